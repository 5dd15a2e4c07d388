import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Faults } from '../carrier/faults.js';
import { answerAsBadProxy } from './bad-proxy.js';
import { type GatewayAnswer, HttpGateway } from './http-gateway.js';

/** An HTTP SMS and chat gateway, as small operators run them. */
@Controller('gateway/messages')
export class GatewayController {
  constructor(
    private readonly gateway: HttpGateway,
    private readonly faults: Faults,
  ) {}

  @Post()
  @HttpCode(200)
  async send(@Body() body: unknown, @Res() response: Response): Promise<void> {
    const answer: GatewayAnswer = await this.gateway.take(body);
    if (answer.drop) {
      response.socket?.destroy();
      return;
    }
    if (answer.silent || answerAsBadProxy(response, this.faults.current)) return;
    if (answer.retryAfter !== undefined) response.setHeader('Retry-After', String(answer.retryAfter));
    response.status(answer.status).json(answer.body);
  }
}
