import { STATUS_CODES } from 'node:http';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  Injectable,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import type { Response } from 'express';
import { QueryFailedError } from 'typeorm';
import { AppError, type ErrorHelp, type ErrorKind, type RowFault } from '../../kernel/errors.js';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import { safeError } from '../observability/index.js';
import { clientIp, type MeteredRequest, tooMany, UserMeter } from '../security/index.js';
import { bodyErrors, protocolErrors, serverErrors, unknownResource } from './http.errors.js';
import { errorBody, RouteTable } from './route-table.js';

/** The only mapping of error kinds to HTTP statuses. */
export const STATUS_OF: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported: 415,
  unprocessable: 422,
  too_many: 429,
  failed: 500,
  upstream: 502,
  unavailable: 503,
};

const INTERNAL_TEXT = serverErrors.internal.text;

interface ErrorAnswer {
  status: number;
  code: string;
  message: string;
  help?: Readonly<ErrorHelp>;
  retryAfterSeconds?: number;
  errors?: readonly RowFault[];
  facts?: Readonly<Record<string, unknown>>;
  fault: boolean;
}

/** The answer to any thrown value; the text of unknown errors is never shown. */
export function answerOf(error: unknown): ErrorAnswer {
  if (error instanceof AppError) {
    const status = STATUS_OF[error.kind];
    const { code, message, help, retryAfterSeconds, rows, facts } = error;
    return {
      status,
      code,
      message,
      help,
      fault: status === 500,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(rows && { errors: rows }),
      ...(facts && { facts }),
    };
  }
  if (error instanceof HttpException) {
    const status = error.getStatus();
    const known = KNOWN_TO_NEST[status] ?? { code: wordOf(status) };
    if (status < 500) return { status, ...known, message: clientText(error, status), fault: false };
    const message = status === 500 ? INTERNAL_TEXT : (STATUS_CODES[status] ?? INTERNAL_TEXT);
    return { status, ...known, message, fault: true };
  }
  const { code, text, help } = isConnectionFault(error) ? serverErrors.databaseAway : serverErrors.internal;
  return { status: 500, code, message: text, help, fault: true };
}

/** Errors of Nest and Express that have another code here. */
const KNOWN_TO_NEST: Readonly<Record<number, { code: string; help: Readonly<ErrorHelp> }>> = {
  405: protocolErrors.method,
  413: bodyErrors.tooLarge,
  415: protocolErrors.charset,
  500: serverErrors.internal,
};

/** `bad_request` for 400 */
const wordOf = (status: number): string => (STATUS_CODES[status] ?? 'error').toLowerCase().replace(/\W+/g, '_');

/** The first text of a Nest error, which may have a list. */
function clientText(error: HttpException, status: number): string {
  const body = error.getResponse();
  const inner: unknown = typeof body === 'string' ? body : (body as { message?: unknown }).message;
  const first: unknown = Array.isArray(inner) ? inner[0] : inner;
  return typeof first === 'string' && first !== '' ? first : (STATUS_CODES[status] ?? 'Error');
}

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'PROTOCOL_ENQUEUE_AFTER_QUIT',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'POOL_WAIT_TIMEOUT',
  'ER_CON_COUNT_ERROR',
  'ER_ACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_BAD_DB_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_USER_LIMIT_REACHED',
  'ER_SERVER_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'ER_CLIENT_INTERACTION_TIMEOUT',
]);
/** mysql2's pool sets no code for these. */
const CONNECTION_TEXTS =
  /^(Pool is closed\.?|No connections available\.?|Queue limit reached\.?|Can't add new command when connection is in closed state|Connection lost|Driver not Connected)/;
const MAX_CAUSES = 4;

/** True when the database could not be reached, false when it refused a statement. */
function isConnectionFault(error: unknown): boolean {
  let current: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof current === 'object' && current !== null; depth++) {
    const fault = current as {
      code?: unknown;
      message?: unknown;
      driverError?: unknown;
      cause?: unknown;
      name?: unknown;
    };
    if (typeof fault.code === 'string' && CONNECTION_CODES.has(fault.code)) return true;
    if (typeof fault.message === 'string' && CONNECTION_TEXTS.test(fault.message)) return true;
    if (fault.name === 'ConnectionIsNotSetError' || fault.name === 'DriverNotConnectedError') return true;
    current = fault.driverError ?? fault.cause;
  }
  return false;
}

/** The only place that turns thrown values into error answers. */
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

  /** Counts, by address, requests that failed before their rate limit (unknown path, bad token, bad body). */
  private async meteredAnswer(request: MeteredRequest): Promise<ErrorAnswer | null> {
    if (request.metered) return null;
    request.metered = true;
    const seconds = await this.users.checkAddress(clientIp(request));
    return seconds > 0 ? answerOf(tooMany(seconds)) : null;
  }

  private answer(error: unknown, request: MeteredRequest, response: Response): ErrorAnswer {
    if (!request.route) {
      // No handler was reached. 405 precedes faults of the body (reference/requests#methods).
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
      // A stream failed: close the connection, so that the client detects an incomplete body.
      response.destroy();
      return;
    }
    if (answer.retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(answer.retryAfterSeconds));
    const shape = this.routes.shapeOf(request.method, request.path);
    // The handler may have set text or XML.
    response.type('json');
    const site = this.environment.DOCS ? (this.environment.PUBLIC_URL ?? '') : null;
    response.status(answer.status).json(errorBody(shape, answer.status, answer, site));
  }
}

/** Replaces the error of a refused statement by `failure` with a cause (reference/requests#error-bodies); passes others. */
export async function namingQueryFaults<T>(failure: () => AppError, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof QueryFailedError) || isConnectionFault(error)) throw error;
    throw Object.assign(failure(), { cause: error });
  }
}
