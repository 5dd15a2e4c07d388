import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  Inject,
  Injectable,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import type { Response } from 'express';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { safeError } from '../observability/index.js';
import { clientIp, type MeteredRequest, tooMany, UserMeter } from '../security/index.js';
import { answerOf, type ErrorAnswer } from './error-answer.js';
import { errorBody } from './error-shape.js';
import { protocolErrors, unknownResource } from './request-errors.js';
import { RouteTable } from './route-table.js';

/** Makes the service's error answers of everything thrown: the only place that does. */
@Catch()
@Injectable()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  constructor(
    private readonly routes: RouteTable,
    private readonly users: UserMeter,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<MeteredRequest>();
    const response = host.switchToHttp().getResponse<Response>();
    try {
      const answer = (await this.meteredAnswer(request)) ?? this.answer(error, request, response);
      if (answer.fault) this.logger.error({ requestId: request.id, err: safeError(error) }, 'Request failed');
      this.send(answer, request, response);
    } catch (fault) {
      this.logger.error({ requestId: request.id, err: safeError(fault) }, 'An error could not be answered');
      response.destroy();
    }
  }

  /** Requests that failed before their limit was applied (unknown paths, bad tokens, bad bodies) count by address. */
  private async meteredAnswer(request: MeteredRequest): Promise<ErrorAnswer | null> {
    if (request.metered) return null;
    request.metered = true;
    const seconds = await this.users.checkAddress(clientIp(request));
    return seconds > 0 ? answerOf(tooMany(seconds)) : null;
  }

  private answer(error: unknown, request: MeteredRequest, response: Response): ErrorAnswer {
    if (!request.route) {
      // No handler was reached. A wrong method comes before whatever is wrong with the body
      // (reference/requests#methods).
      const methods = this.routes.methodsOf(request.path);
      if (methods.length > 0 && !methods.includes(request.method)) {
        response.setHeader('Allow', methods.join(', '));
        return { ...protocolErrors.method, fault: false };
      }
      if (error instanceof NotFoundException) return answerOf(unknownResource());
    }
    return answerOf(error);
  }

  private send(answer: ErrorAnswer, request: MeteredRequest, response: Response): void {
    if (response.headersSent) {
      // A stream broke off: the client must see that the body is not whole.
      response.destroy();
      return;
    }
    if (answer.retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(answer.retryAfterSeconds));
    const shape = this.routes.shapeOf(request.method, request.path);
    // a handler that answers text or XML has said so already
    response.type('json');
    const site = this.environment.DOCS ? (this.environment.PUBLIC_URL ?? '') : null;
    response.status(answer.status).json(errorBody(shape, answer.status, answer, site));
  }
}
