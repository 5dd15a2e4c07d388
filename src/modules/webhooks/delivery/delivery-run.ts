import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { GroupCommit } from '../../../platform/concurrency/index.js';
import type { Environment } from '../../../platform/config/index.js';
import { HeldLease } from '../../../platform/database/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { subjectOf } from '../events.js';
import type { DeliveryQueue, DueDelivery, HeldEndpoint } from './delivery-queue.store.js';
import type { Attempt, DeliveryResult, DeliveryResults } from './delivery-results.store.js';
import { nextWait, type WebhookSender } from './webhook-sender.js';

const FETCHED = 200;
// Reads the next page at this fill, so that the sends never run out of events.
const FETCH_BELOW = 100;
// A full page with at least this many subjects keeps their order, whatever the concurrency.
const ENOUGH_SUBJECTS = 20;
const MOST_UNWRITTEN = 1_000;
const POLL_EVERY_MS = 250;
const FETCH_AGAIN_MS = 50;
const GROUP = { maxItems: MOST_UNWRITTEN, delayMs: 10 };
const WRITE_AGAIN_MS = 500;
// An owner's change (URL, secret, disabled, removed) takes effect within this time.
const READ_AGAIN_MS = 1_000;
// A run yields to waiting endpoints after this time, so that silent endpoints cannot block the others.
const CROWDED_RUN_MS = 5_000;

type Waiting = DueDelivery & { body: string; subject: string };

export interface DeliveryTools {
  environment: Pick<
    Environment,
    'WEBHOOK_CONCURRENCY' | 'WEBHOOK_LEASE' | 'WEBHOOK_RETRY_DELAYS' | 'WEBHOOK_DISABLE_AFTER'
  >;
  queue: DeliveryQueue;
  results: DeliveryResults;
  sender: WebhookSender;
  logger: Logger;
  isCrowded: () => boolean;
}

/**
 * Delivers the due events of one claimed endpoint, a few at once, until nothing is due; a slow endpoint delays only itself.
 * Sends one event of a subject at a time, so that DELIVERED does not overtake SENT while both are new. Exception: a full
 * page of few subjects is sent concurrently, because otherwise one busy subject would block the events behind it.
 */
export class DeliveryRun {
  private readonly underWay = new Set<string>();
  private readonly sends = new Set<Promise<void>>();
  private readonly subjects = new Map<string, number>();
  private readonly group: GroupCommit<DeliveryResult, void>;
  private buffer: Waiting[] = [];
  /** a full page of too few subjects: sent without order */
  private isCrowded = false;
  private reading: Promise<void> | null = null;
  private fault: unknown = null;
  private last: DueDelivery | null = null;
  private fetchedAt = -Infinity;
  private readAt: number;
  private endpoint: HeldEndpoint | null;
  private mayGoOn = true;
  /** after a 410, or a refusal with `Retry-After`: read the endpoint again before the next send */
  private isStale = false;
  private wakeUp: () => void = () => undefined;
  private readonly lease: HeldLease;

  /** @param claimedAt time of `performance.now()` before the claim */
  constructor(
    private readonly tools: DeliveryTools,
    private readonly held: HeldEndpoint,
    private readonly claimedAt: number,
  ) {
    const { WEBHOOK_LEASE: leaseMs } = tools.environment;
    this.endpoint = held;
    this.readAt = claimedAt;
    this.lease = new HeldLease({
      leaseMs,
      claimedAt,
      renew: () => tools.queue.renew(held.id, held.fence, leaseMs),
      onLost: () => this.end(),
    });
    this.group = new GroupCommit<DeliveryResult, void>(async (results) => {
      await this.write(results);
      for (const { delivery } of results) this.underWay.delete(delivery.eventId);
      return results.map(() => undefined);
    }, GROUP);
  }

  /** Stops sending; running sends are settled. */
  end(): void {
    this.mayGoOn = false;
    this.wakeUp();
  }

  /** Resolves when the endpoint is released. */
  async run(): Promise<void> {
    try {
      while (this.mayGoOn && (await this.step()));
    } finally {
      this.mayGoOn = false;
      // Holds the lease until all sends are recorded, so that no other worker sends them again.
      await this.reading;
      await Promise.all(this.sends);
      await this.group.drained();
      this.lease.end();
    }
    // Skipped after a fault: the lease must expire first, so that the next run does not fail at once.
    await this.tools.queue.release(this.held.id, this.held.fence);
  }

  // false = nothing is due, or the endpoint was lost
  private async step(): Promise<boolean> {
    if (this.isStale) {
      await Promise.race([this.group.drained(), sleep(POLL_EVERY_MS)]);
      await this.reading;
      this.isStale = false;
      this.buffer = [];
      this.last = null;
      this.readAt = -Infinity;
    }
    const now = performance.now();
    if (now - this.readAt > READ_AGAIN_MS && !(await this.read())) return false;
    if (now - this.claimedAt > CROWDED_RUN_MS && this.tools.isCrowded()) return false;
    if (this.isPageWanted(now)) {
      this.reading ??= this.readOn();
      if (this.buffer.length === 0) await this.reading;
    }
    if (this.fault) throw this.fault as Error;
    this.fill();
    if (this.underWay.size === 0 && this.buffer.length === 0 && !this.reading) return false;
    // Bounded: new events may become due while the endpoint does not answer.
    await this.pause();
    return this.lease.maySend || this.sends.size > 0;
  }

  // Full pages: read before the buffer is empty; otherwise at intervals.
  private isPageWanted(now: number): boolean {
    if (this.underWay.size >= MOST_UNWRITTEN || this.isStale) return false;
    if (this.last && this.buffer.length < FETCH_BELOW) return true;
    if (this.sends.size >= this.tools.environment.WEBHOOK_CONCURRENCY || this.next() >= 0) return false;
    return this.last !== null || this.underWay.size === 0 || now - this.fetchedAt >= FETCH_AGAIN_MS;
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_EVERY_MS);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async read(): Promise<boolean> {
    this.readAt = performance.now();
    this.endpoint = await this.tools.queue.held(this.held.id, this.held.fence);
    return this.endpoint !== null;
  }

  private fill(): void {
    const { endpoint } = this;
    const { WEBHOOK_CONCURRENCY: most } = this.tools.environment;
    while (endpoint && this.mayGoOn && !this.isStale && this.sends.size < most && this.lease.maySend) {
      if (this.underWay.size >= MOST_UNWRITTEN) return;
      const index = this.next();
      if (index < 0) return;
      for (const delivery of this.buffer.splice(index, 1)) this.send(endpoint, delivery);
    }
  }

  // Index of the first event whose subject has no running send; -1 = none.
  private next(): number {
    const index = this.buffer.findIndex(({ subject }) => !this.subjects.has(subject));
    return index < 0 && this.isCrowded && this.buffer.length > 0 ? 0 : index;
  }

  private async readOn(): Promise<void> {
    try {
      await this.fetch();
    } catch (error) {
      this.fault = error;
    }
    this.reading = null;
    this.wakeUp();
  }

  private async fetch(): Promise<void> {
    const { queue, environment } = this.tools;
    this.fetchedAt = performance.now();
    const inHand = [...this.underWay, ...this.buffer.map(({ eventId }) => eventId)];
    const due = await queue.due(this.held.id, FETCHED, inHand, this.last);
    const unkept = due.filter(({ body }) => body === null).map(({ eventId }) => eventId);
    if (unkept.length > 0) await queue.drop(this.held.id, unkept);
    if (this.isStale) return; // the run starts again with a new page
    this.buffer.push(
      ...due.flatMap((delivery): Waiting[] => {
        const { body } = delivery;
        return body === null ? [] : [{ ...delivery, body, subject: subjectOf(body) }];
      }),
    );
    const isFull = due.length === FETCHED;
    this.last = isFull ? (due.at(-1) ?? null) : null;
    const subjects = new Set(this.buffer.map(({ subject }) => subject)).size;
    this.isCrowded = isFull && subjects < Math.min(environment.WEBHOOK_CONCURRENCY, ENOUGH_SUBJECTS);
    this.fill();
  }

  private send(endpoint: HeldEndpoint, delivery: Waiting): void {
    const { eventId, subject, body } = delivery;
    this.underWay.add(eventId);
    this.subjects.set(subject, (this.subjects.get(subject) ?? 0) + 1);
    const send: Promise<void> = this.tools.sender.attempt(endpoint, delivery, body).then((attempt) => {
      this.sends.delete(send);
      const others = (this.subjects.get(subject) ?? 1) - 1;
      if (others > 0) this.subjects.set(subject, others);
      else this.subjects.delete(subject);
      if (attempt.isGone || attempt.heldMs !== null) this.isStale = true;
      // Not awaited: the next send may start while this result is written.
      void this.group.add(this.resultOf(delivery, attempt)).then(() => this.callWhenIdle());
      this.fill();
      if (this.isStale || this.buffer.length < FETCH_BELOW) this.wakeUp();
    });
    this.sends.add(send);
  }

  private callWhenIdle(): void {
    if (this.underWay.size === 0) this.wakeUp();
  }

  private resultOf(delivery: DueDelivery, attempt: Attempt): DeliveryResult {
    if (attempt.ok || attempt.isGone) return { delivery, attempt, waitMs: null };
    const { WEBHOOK_RETRY_DELAYS: delays } = this.tools.environment;
    return { delivery, attempt, waitMs: nextWait(delays, delivery.tries + 1, attempt.heldMs, Math.random()) };
  }

  // Never rejects: retries while the lease lasts; unwritten tries are sent again afterwards.
  private async write(results: DeliveryResult[]): Promise<void> {
    const { results: store, environment, logger } = this.tools;
    for (;;) {
      try {
        const wasFailing = this.endpoint?.isFailing ?? true;
        await store.write(this.held.id, results, wasFailing, environment.WEBHOOK_DISABLE_AFTER);
        if (this.endpoint) this.endpoint.isFailing = results.every(({ attempt }) => !attempt.ok);
        return;
      } catch (error) {
        logger.warn({ err: safeError(error), webhook: this.held.id }, 'tries could not be written');
        if (!this.lease.maySend) return this.end();
        await sleep(WRITE_AGAIN_MS);
      }
    }
  }
}
