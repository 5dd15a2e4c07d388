import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { GroupCommit } from '../../../platform/concurrency/index.js';
import type { Environment } from '../../../platform/config/index.js';
import { HeldLease } from '../../../platform/leases/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { nextWait } from '../domain/retry-plan.js';
import { subjectOf } from '../domain/event-subject.js';
import type { DeliveryQueue, DueDelivery, HeldEndpoint } from '../persistence/delivery-queue.js';
import type { Attempt, DeliveryResult, DeliveryResults } from '../persistence/delivery-results.js';
import type { WebhookSender } from './webhook-sender.js';

/** A page: what is read at once, bodies included. */
const FETCHED = 200;
/** A full page keeps the order of its subjects if it has at least so many of them, however many tries may run at once. */
const ENOUGH_SUBJECTS = 20;
/** Tries that have ended and are not yet written. */
const MOST_UNWRITTEN = 1_000;
const LOOK_EVERY_MS = 250;
const GROUP = { maxItems: MOST_UNWRITTEN, delayMs: 10 };
const WRITE_AGAIN_MS = 500;
/** What its owner changes (another URL, a new secret, disabled, removed) counts after so long at the latest. */
const READ_AGAIN_MS = 1_000;

/** An event that waits in this turn. */
type Waiting = DueDelivery & { body: string; subject: string };

/** What a turn works with. */
export interface TurnTools {
  environment: Pick<
    Environment,
    'WEBHOOK_CONCURRENCY' | 'WEBHOOK_LEASE' | 'WEBHOOK_RETRY_DELAYS' | 'WEBHOOK_DISABLE_AFTER'
  >;
  queue: DeliveryQueue;
  results: DeliveryResults;
  sender: WebhookSender;
  logger: Logger;
}

/**
 * One worker's hold on one endpoint: sends what is due, a few at once, until nothing is. Everything an endpoint does to
 * its sender (silence, refusals) stays within its own turn. Of one subject one event is under way at a time, so that
 * DELIVERED does not overtake SENT while both are new. That holds while a page has enough subjects to fill the places, or
 * is all that is due: a full page of few subjects goes out side by side, for otherwise one busy subject would keep from
 * being read what waits behind it.
 */
export class EndpointTurn {
  private readonly underWay = new Set<string>();
  /** subjects of the sends under way */
  private readonly sends = new Map<Promise<void>, string>();
  private readonly group: GroupCommit<DeliveryResult, void>;
  private buffer: Waiting[] = [];
  /** a full page of too few subjects: kept in order, it would hold up everything behind it, so its events go side by side */
  private isCrowded = false;
  private endpoint: HeldEndpoint | null = null;
  /** clock of `performance.now()` */
  private readAt = 0;
  private mayGoOn = true;
  /** after a 410, or a refusal with `Retry-After`: the endpoint is looked at again before more is sent */
  private isStale = false;
  private readonly lease: HeldLease;

  /** @param claimedAt clock of `performance.now()`, taken before the claim */
  constructor(
    private readonly tools: TurnTools,
    private readonly id: number,
    private readonly fence: number,
    claimedAt: number,
  ) {
    const { WEBHOOK_LEASE: leaseMs } = tools.environment;
    this.lease = new HeldLease({
      leaseMs,
      claimedAt,
      renew: () => tools.queue.renew(id, fence, leaseMs),
      onLost: () => this.end(),
    });
    this.group = new GroupCommit<DeliveryResult, void>(async (results) => {
      await this.write(results);
      return results.map(() => undefined);
    }, GROUP);
  }

  /** Nothing more leaves; what is under way is settled. */
  end(): void {
    this.mayGoOn = false;
  }

  /** Resolves when the endpoint is given back. */
  async run(): Promise<void> {
    try {
      while (this.mayGoOn) if (!(await this.step())) break;
    } finally {
      // Held until nothing is under way any more: what has left is not sent a second time.
      await Promise.all(this.sends.keys());
      await this.group.drained();
      this.lease.end();
    }
    // Not after a fault: its lease runs out first, so that the next turn does not meet the same at once.
    await this.tools.queue.release(this.id, this.fence);
  }

  /** @returns false when nothing is due any more, or the endpoint is no longer ours to send to */
  private async step(): Promise<boolean> {
    if (this.isStale) {
      this.isStale = false;
      await Promise.race([this.group.drained(), sleep(LOOK_EVERY_MS)]);
      this.buffer = [];
    }
    const { WEBHOOK_CONCURRENCY: most } = this.tools.environment;
    if (this.sends.size < most && this.underWay.size < MOST_UNWRITTEN && this.next() < 0) {
      if (!(await this.read())) return false;
      await this.fetch(most);
      if (this.buffer.length === 0 && this.underWay.size === 0) return false;
    } else if (performance.now() - this.readAt > READ_AGAIN_MS && !(await this.read())) return false;
    const { endpoint } = this;
    while (endpoint && this.mayGoOn && this.sends.size < most && this.lease.maySend) {
      const place = this.next();
      if (place < 0) break;
      for (const delivery of this.buffer.splice(place, 1)) this.send(endpoint, delivery);
    }
    // The endpoint may be silent for long; what becomes due meanwhile is not kept waiting by that.
    const ends = this.sends.size > 0 ? this.sends.keys() : [this.group.drained()];
    await Promise.race([...ends, sleep(LOOK_EVERY_MS)]);
    return this.lease.maySend || this.sends.size > 0;
  }

  private async read(): Promise<boolean> {
    this.endpoint = await this.tools.queue.held(this.id, this.fence);
    this.readAt = performance.now();
    return this.endpoint !== null;
  }

  /** Place in the buffer of what leaves next: the first event whose subject has none under way; -1 = there is none. */
  private next(): number {
    const taken = new Set(this.sends.values());
    const place = this.buffer.findIndex(({ subject }) => !taken.has(subject));
    return place < 0 && this.isCrowded && this.buffer.length > 0 ? 0 : place;
  }

  /** Reads the next page. @param most sends at once */
  private async fetch(most: number): Promise<void> {
    const due = await this.tools.queue.due(this.id, FETCHED, [...this.underWay]);
    const unkept = due.filter(({ body }) => body === null).map(({ eventId }) => eventId);
    if (unkept.length > 0) await this.tools.queue.drop(this.id, unkept);
    this.buffer = due.flatMap((delivery): Waiting[] => {
      const { body } = delivery;
      return body === null ? [] : [{ ...delivery, body, subject: subjectOf(body) }];
    });
    const subjects = new Set(this.buffer.map(({ subject }) => subject)).size;
    this.isCrowded = due.length === FETCHED && subjects < Math.min(most, ENOUGH_SUBJECTS);
  }

  private send(endpoint: HeldEndpoint, delivery: Waiting): void {
    this.underWay.add(delivery.eventId);
    const send: Promise<void> = this.tools.sender.attempt(endpoint, delivery, delivery.body).then((attempt) => {
      this.sends.delete(send);
      if (attempt.isGone || attempt.heldMs !== null) this.isStale = true;
      // Not waited for: the place is free for the next try while this one is being written.
      void this.group.add(this.resultOf(delivery, attempt)).finally(() => this.underWay.delete(delivery.eventId));
    });
    this.sends.set(send, delivery.subject);
  }

  private resultOf(delivery: DueDelivery, attempt: Attempt): DeliveryResult {
    if (attempt.ok || attempt.isGone) return { delivery, attempt, waitMs: null };
    const { WEBHOOK_RETRY_DELAYS: delays } = this.tools.environment;
    return { delivery, attempt, waitMs: nextWait(delays, delivery.tries + 1, attempt.heldMs, Math.random()) };
  }

  /** Never rejects: while the lease lasts the database is asked again, and afterwards the tries are made once more. */
  private async write(results: DeliveryResult[]): Promise<void> {
    const { results: store, environment, logger } = this.tools;
    for (;;) {
      try {
        const wasFailing = this.endpoint?.isFailing ?? true;
        await store.write(this.id, results, wasFailing, environment.WEBHOOK_DISABLE_AFTER);
        if (this.endpoint) this.endpoint.isFailing = results.every(({ attempt }) => !attempt.ok);
        return;
      } catch (error) {
        logger.warn({ err: safeError(error), webhook: this.id }, 'tries could not be written');
        if (!this.lease.maySend) return this.end();
        await sleep(WRITE_AGAIN_MS);
      }
    }
  }
}
