import { performance } from 'node:perf_hooks';
import { Inject, Injectable } from '@nestjs/common';
import { now } from '../../../kernel/clock.js';
import { cutCodePoints } from '../../../kernel/text.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import {
  OutboundClient,
  OutboundError,
  type OutboundFault,
  type OutboundResponse,
} from '../../../platform/outbound/index.js';
import { holdOf } from '../domain/retry-plan.js';
import type { DueDelivery, HeldEndpoint } from '../persistence/delivery-queue.js';
import type { Attempt } from '../persistence/delivery-results.js';
import { keyOf, signatures } from '../webhook-secret.js';
import { DeliveryTraces } from './delivery-traces.js';

const GONE = 410;
/** What is kept of an answer, in bytes. */
const ANSWER_BYTES = 1024;
/** A little longer answers are read to their end, so that the connection can be used again. */
const READ_BYTES = 64 * 1024;

/** How a fault reads in the customer's log; none reveals anything about our network. */
const FAULT_TEXTS: Readonly<Record<OutboundFault, string>> = {
  refused: 'Address is not allowed',
  unencrypted: 'Plain HTTP is not allowed',
  unreachable: 'No connection',
  timeout: 'No answer in time',
  interrupted: 'Connection was interrupted',
  too_large: 'Answer is too large',
  redirect: 'Redirects are not followed',
};

/** Makes one try (reference/webhooks#tries): signed, through the guard for users' addresses, without redirects. */
@Injectable()
export class WebhookSender {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'WEBHOOK_TIMEOUT'>,
    private readonly client: OutboundClient,
    private readonly traces: DeliveryTraces,
  ) {}

  /** Never rejects. @param body as it was recorded: every try sends the same bytes under the same id */
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
      .then(judged, (error: unknown) => ({ ...FAILED, error: faultText(error) }));
    if (outcome.statusCode !== null) span?.note({ 'http.response.status_code': outcome.statusCode });
    span?.end(outcome.ok ? undefined : 'failed');
    return { ...outcome, startedAt, durationMs: Math.round(performance.now() - begun) };
  }
}

type Outcome = Omit<Attempt, 'startedAt' | 'durationMs'>;

const FAILED: Outcome = { ok: false, statusCode: null, error: null, answer: '', isGone: false, heldMs: null };

function judged({ status, headers, body }: OutboundResponse): Outcome {
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
