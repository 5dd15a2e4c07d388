import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { jsonRows, QuotedText } from '../../../platform/database/index.js';
import {
  type CustomerEvent,
  CustomerEvents,
  type CustomerEventSink,
  type Subscriptions,
} from '../../customer-events/index.js';
import { EndpointMoments, IS_AWAITED } from './endpoint-moments.js';
import { eventIds } from './event-id.js';

interface EndpointRow {
  id: number;
  account_id: number;
  events: string;
  is_awaited: number;
}

/** Endpoints by account and type. */
type Takers = ReadonlyMap<string, readonly number[]>;

const BATCH = 1_000;
const keyOf = (accountId: number, type: string): string => `${accountId} ${type}`;

/** Writes events and their deliveries in the transaction of what they report (reference/webhooks#when). */
@Injectable()
export class EventOutbox implements CustomerEventSink {
  constructor(
    events: CustomerEvents,
    private readonly moments: EndpointMoments,
  ) {
    events.register(this);
  }

  async subscriptions(tx: EntityManager, accountIds: readonly number[]): Promise<Subscriptions> {
    const rows: EndpointRow[] = await tx.query(
      `SELECT id, account_id, events, ${IS_AWAITED} AS is_awaited FROM webhook_endpoints
       WHERE account_id IN (?) AND status = 'active'`,
      [accountIds],
    );
    const takers = new Map<string, number[]>();
    const awaited = new Set<number>();
    for (const { id, account_id: accountId, events, is_awaited: isAwaited } of rows) {
      if (Number(isAwaited) === 1) awaited.add(id);
      for (const type of events.split(',')) {
        const key = keyOf(accountId, type);
        takers.set(key, [...(takers.get(key) ?? []), id]);
      }
    }
    return {
      takes: (accountId, type) => takers.has(keyOf(accountId, type)),
      record: async (events) => {
        const endpoints = await this.record(tx, takers, events);
        if (endpoints.size === 0) return;
        await this.moments.advance(
          tx,
          [...endpoints].sort((a, b) => a - b).map((id) => ({ id, isAwaited: awaited.has(id) })),
        );
      },
    };
  }

  /** @returns the endpoints that get some of them */
  private async record(
    tx: EntityManager,
    takers: Takers,
    events: readonly CustomerEvent[],
  ): Promise<ReadonlySet<number>> {
    const at = now();
    const nextId = eventIds(at);
    const taken = events.flatMap((event) => {
      const endpoints = takers.get(keyOf(event.accountId, event.type));
      return endpoints ? [{ id: nextId(), event, endpoints }] : [];
    });
    for (let start = 0; start < taken.length; start += BATCH) {
      const batch = taken.slice(start, start + BATCH);
      await tx.query('INSERT INTO webhook_events (id, account_id, type, body, campaign_id, seq, created_at) VALUES ?', [
        batch.map(({ id, event: { accountId, type, body, recipient } }) => [
          id,
          accountId,
          type,
          new QuotedText(JSON.stringify(body)),
          recipient?.campaignId ?? null,
          recipient?.seq ?? null,
          at,
        ]),
      ]);
      await tx.query(
        `INSERT INTO webhook_deliveries (endpoint_id, event_id, due_at, tries, attempts, revision)
         SELECT j.endpoint_id, j.event_id, UTC_TIMESTAMP(3), 0, 0, 0 FROM JSON_TABLE(?, '$[*]' COLUMNS (
           endpoint_id BIGINT PATH '$[0]', event_id VARCHAR(40) CHARACTER SET ascii PATH '$[1]')) j`,
        [jsonRows(batch.flatMap(({ id, endpoints }) => endpoints.map((endpoint) => [endpoint, id])))],
      );
    }
    return new Set(taken.flatMap(({ endpoints }) => endpoints));
  }
}
