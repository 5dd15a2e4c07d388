import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, HttpCode, Injectable, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { CarrierLedger, type LedgerEntry, MessageIds } from './carrier-ledger.js';
import { messageOutcomeOf, type MessageOutcome } from '../../kernel/contacts.js';
import { Faults, OnceBook } from './faults.js';
import { answerAsBadProxy, CallbackSender } from './http-exchange.js';

const messageSchema = z.object({
  to: z.string().regex(/^[0-9]{1,30}$/),
  text: z.string().default(''),
  from: z.string().default(''),
  media_url: z.string().nullish(),
  ref: z.string().nullish(),
  callback_url: z.url().nullish(),
});

interface GatewayAnswer {
  status: number;
  body: Record<string, unknown>;
  retryAfter?: number;
  drop?: boolean;
  silent?: boolean;
}

/** Accepts messages over HTTP and posts receipts to a callback URL; the same outcomes as over SMPP. */
@Injectable()
export class HttpGateway {
  private readonly once = new OnceBook();
  private readonly ids = new MessageIds();

  constructor(
    private readonly ledger: CarrierLedger,
    private readonly faults: Faults,
    private readonly callbacks: CallbackSender,
  ) {}

  clear(): void {
    this.once.clear();
  }

  async take(request: unknown): Promise<GatewayAnswer> {
    const { answerDelayMs, stopAnswering } = this.faults.current;
    const answer = this.answerTo(request);
    if (this.faults.dropsNow()) return { ...answer, drop: true };
    if (stopAnswering) return { ...answer, silent: true };
    if (answerDelayMs > 0) await sleep(answerDelayMs);
    return answer;
  }

  private answerTo(request: unknown): GatewayAnswer {
    const parsed = messageSchema.safeParse(request);
    if (!parsed.success) return { status: 400, body: { error: 'to must be 1 to 30 digits', code: 10 } };
    const message = parsed.data;
    if (this.faults.current.refuseAll) return { status: 503, body: { error: 'Out of service', code: 20 } };
    const outcome = messageOutcomeOf(message.to);
    if (this.faults.current.throttleAll || (outcome === 'throttled once' && this.once.refuse(message.to))) {
      this.ledger.refusals.throttled += 1;
      return { status: 429, retryAfter: 1, body: { error: 'Too many messages', code: 21 } };
    }
    if (outcome === 'error once' && this.once.refuse(message.to)) {
      this.ledger.refusals.errors += 1;
      return { status: 500, body: { error: 'Temporary error', code: 22 } };
    }
    const entry = this.ledger.add({
      id: `gw-${this.ids.next()}`,
      protocol: 'http',
      account: 'gateway',
      from: message.from,
      to: message.to,
      text: message.text,
      mediaUrl: message.media_url ?? null,
      parts: 1,
      ref: message.ref ?? null,
      status: outcome === 'refused' ? 'FAILED' : 'ACCEPTED',
      at: Date.now(),
    });
    if (outcome === 'refused') return { status: 422, body: { error: 'Message refused', code: 603 } };
    const url = message.callback_url ?? this.faults.current.callbackUrl;
    if (url && outcome !== 'silent') this.receipt(url, entry, outcome);
    return { status: 200, body: { id: entry.id, status: 'queued' } };
  }

  private receipt(url: string, entry: LedgerEntry, outcome: MessageOutcome): void {
    const failed = outcome === 'undeliverable';
    const body = {
      id: entry.id,
      ref: entry.ref,
      to: entry.to,
      status: failed ? 'undelivered' : 'delivered',
      error_code: failed ? 404 : null,
      error: failed ? 'Unknown subscriber' : null,
    };
    this.callbacks.send(url, body, this.faults.current.receiptDelayMs, () => {
      if (this.faults.current.holdReceipts) return false;
      entry.status = failed ? 'FAILED' : 'DELIVERED';
      return true;
    });
  }
}

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
