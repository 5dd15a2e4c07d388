import { performance } from 'node:perf_hooks';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now, readRetryAfter } from '../../../kernel/clock.js';
import { cutCodePoints } from '../../../kernel/text.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { type Span, type Tracing, TRACING } from '../../../platform/observability/index.js';
import {
  OutboundClient,
  OutboundError,
  type OutboundFault,
  type OutboundResponse,
} from '../../../platform/outbound/index.js';
import { CampaignTraces } from '../../engine/index.js';
import { keyOf, signatures } from '../webhook.js';
import type { DueDelivery, HeldEndpoint } from './delivery-queue.store.js';
import type { Attempt } from './delivery-results.store.js';

// Jitter: deliveries that failed together are not retried together.
const JITTER = 0.1;
const LONGEST_HOLD_MS = 24 * 3_600_000;

/**
 * Milliseconds until the next try; null = give up (reference/webhooks#tries). `delays` are the waits before each try, `tries`
 * counts the failed one; the longer of delay and `heldMs` counts, up to a day. `chance` (0 to 1) adds jitter.
 */
export function nextWait(
  delays: readonly number[],
  tries: number,
  heldMs: number | null,
  chance: number,
): number | null {
  const delay = delays[tries];
  if (delay === undefined) return null;
  return Math.round(Math.max(delay * (1 + JITTER * chance), Math.min(heldMs ?? 0, LONGEST_HOLD_MS)));
}

/** Milliseconds that a `Retry-After` requests, at most a day; null = none. */
export function holdOf(retryAfter: string | undefined, at: Date): number | null {
  const ms = readRetryAfter(retryAfter, at);
  return ms === null ? null : Math.min(ms, LONGEST_HOLD_MS);
}

// Later recipients of a campaign are not traced: there may be hundreds of thousands.
const MOST_RECIPIENTS = 20;

/** Adds tries of recipient events to the traces of their campaigns. */
@Injectable()
export class DeliveryTraces {
  constructor(
    @Inject(TRACING) private readonly tracing: Tracing,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly traces: CampaignTraces,
  ) {}

  // Never rejects; null = not traced.
  async begin(eventId: string): Promise<Span | null> {
    if (!this.tracing.isOn) return null;
    try {
      const [event] = await this.dataSource.query<{ campaign_id: number | null; type: string }[]>(
        'SELECT campaign_id, type FROM webhook_events WHERE id = ? AND seq <= ? LIMIT 1',
        [eventId, MOST_RECIPIENTS],
      );
      if (!event || event.campaign_id === null) return null;
      const id = Number(event.campaign_id);
      const parent = (await this.traces.of(this.dataSource, [id])).get(id);
      if (parent === undefined) return null;
      return this.tracing.start('webhook', { kind: 'client', parent, facts: { 'switchboard.event': event.type } });
    } catch {
      return null;
    }
  }
}

const GONE = 410;
const ANSWER_BYTES = 1024;
// Slightly longer answers are read to the end, so that the connection can be reused.
const READ_BYTES = 64 * 1024;

// Texts in the customer's log must not reveal the internal network.
const FAULT_TEXTS: Readonly<Record<OutboundFault, string>> = {
  refused: 'Address is not allowed',
  unencrypted: 'Plain HTTP is not allowed',
  unreachable: 'No connection',
  timeout: 'No answer in time',
  interrupted: 'Connection was interrupted',
  too_large: 'Answer is too large',
  redirect: 'Redirects are not followed',
};

/** Makes one signed try through the guard for users' addresses, without redirects (reference/webhooks#tries). */
@Injectable()
export class WebhookSender {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'WEBHOOK_TIMEOUT'>,
    private readonly client: OutboundClient,
    private readonly traces: DeliveryTraces,
  ) {}

  /** Never rejects. Every try sends the recorded body under the same id. */
  async attempt(
    endpoint: Pick<HeldEndpoint, 'accountId' | 'url' | 'secrets'>,
    { eventId }: Pick<DueDelivery, 'eventId'>,
    body: string,
  ): Promise<Attempt> {
    const span = await this.traces.begin(eventId);
    const startedAt = now();
    const begun = performance.now();
    const timestamp = Math.floor(startedAt.getTime() / 1000);
    const outcome = await this.client
      .request({
        url: endpoint.url,
        customer: endpoint.accountId,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Switchboard-Webhooks/1',
          'webhook-id': eventId,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signatures(endpoint.secrets.map(keyOf), eventId, timestamp, body),
        },
        body,
        timeoutMs: this.environment.WEBHOOK_TIMEOUT,
        maxBytes: READ_BYTES,
        cutAnswer: true,
        ownConnections: true,
        tlsOutside: true,
      })
      .then(outcomeOf, (error: unknown) => ({ ...FAILED, error: faultText(error) }));
    if (outcome.statusCode !== null) span?.annotate({ 'http.response.status_code': outcome.statusCode });
    span?.end(outcome.ok ? undefined : 'failed');
    return { ...outcome, startedAt, durationMs: Math.round(performance.now() - begun) };
  }
}

type Outcome = Omit<Attempt, 'startedAt' | 'durationMs'>;

const FAILED: Outcome = { ok: false, statusCode: null, error: null, answer: '', isGone: false, heldMs: null };

function outcomeOf({ status, headers, body }: OutboundResponse): Outcome {
  const ok = status >= 200 && status < 300;
  const isRedirect = status >= 300 && status < 400;
  const error = isRedirect ? `Answered ${status}: ${FAULT_TEXTS.redirect}` : `Answered ${status}`;
  return {
    ok,
    statusCode: status,
    error: ok ? null : error,
    answer: cutCodePoints(body.subarray(0, ANSWER_BYTES).toString('utf8'), ANSWER_BYTES),
    isGone: status === GONE,
    heldMs: ok ? null : holdOf(headers['retry-after'], now()),
  };
}

const faultText = (error: unknown): string =>
  error instanceof OutboundError ? FAULT_TEXTS[error.fault] : FAULT_TEXTS.unreachable;
