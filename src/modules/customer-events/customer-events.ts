import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { CustomerEvent, CustomerEventSink, Interest } from './customer-event.js';

const NO_INTEREST: Interest = { takes: () => false, record: () => Promise.resolve() };

/**
 * Where features say what customers may want to be told (reference/webhooks#when). An event is written in the
 * transaction of the status it tells of, so neither stands without the other. A process without webhooks tells nobody.
 */
@Injectable()
export class CustomerEvents {
  private sink: CustomerEventSink | null = null;

  register(sink: CustomerEventSink): void {
    this.sink = sink;
  }

  /** False where nobody tells: nothing needs to be gathered. */
  get areHeard(): boolean {
    return this.sink !== null;
  }

  /** For who would have to gather what an event says: asked before the work. */
  interest(tx: EntityManager, accountIds: readonly number[]): Promise<Interest> {
    if (!this.sink || accountIds.length === 0) return Promise.resolve(NO_INTEREST);
    return this.sink.interest(tx, [...new Set(accountIds)]);
  }

  /** For who has the events at hand. */
  async publish(tx: EntityManager, events: readonly CustomerEvent[]): Promise<void> {
    if (events.length === 0) return;
    const interest = await this.interest(
      tx,
      events.map(({ accountId }) => accountId),
    );
    await interest.record(events);
  }
}
