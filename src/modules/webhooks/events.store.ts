import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { firstIdAt, timeOfId } from '../../kernel/ids.js';
import type { Listed, Page } from '../../kernel/lists.js';
import { inListedOrder, jsonRows, listKeys, QuotedText } from '../../platform/database/index.js';
import {
  type CustomerEvent,
  CustomerEvents,
  type CustomerEventSink,
  type Subscriptions,
} from '../customer-events/index.js';
import { type CampaignRecord, type TimelineEvent, TimelineSources } from '../engine/index.js';
import { EndpointMoments, IS_AWAITED } from './endpoints.store.js';
import { eventIds, firstEventIdAt, isEventId, timeOfEventId } from './events.js';
import { WebhookAttemptEntity, WebhookEventEntity } from './tables.js';

export interface RecipientAttempt {
  endpoint_id: number;
  event_id: string;
  type: string;
  attempt: number;
  status_code: number | null;
  error: string | null;
  created_at: Date;
}

// Process clocks may differ by this much, so the id of a consequence may be that much earlier.
const CLOCKS_MS = 3_600_000;
const shortlyBefore = (at: Date): Date => new Date(Math.max(0, at.getTime() - CLOCKS_MS));

const MOST_SHOWN = 1_000;

/** Reads events and their tries; replays events. */
@Injectable()
export class EventStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly moments: EndpointMoments,
  ) {}

  /** Tries of an endpoint, newest first. */
  async attempts(endpointId: number, page: Page): Promise<Listed<WebhookAttemptEntity>> {
    const ranges = [{ where: 'endpoint_id = ?', values: [endpointId] }];
    const list = { table: 'webhook_attempts', index: 'PRIMARY', key: 'id', order: 'DESC', ranges } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(WebhookAttemptEntity).findBy({ endpointId, id: In(ids.items) });
    return inListedOrder(ids, rows, ({ id }) => id);
  }

  async find(accountId: number, id: string): Promise<WebhookEventEntity | null> {
    if (!isEventId(id)) return null;
    return this.dataSource.getRepository(WebhookEventEntity).findOneBy({ id, accountId });
  }

  /** An event of any account, or null. */
  async findAny(id: string): Promise<WebhookEventEntity | null> {
    if (!isEventId(id)) return null;
    return this.dataSource.getRepository(WebhookEventEntity).findOneBy({ id });
  }

  /** Tries of a recipient's events; skips the daily partitions before the campaign. */
  ofRecipient(campaignId: number, seq: number): Promise<RecipientAttempt[]> {
    const since = shortlyBefore(timeOfId(campaignId));
    return this.dataSource.query(
      `SELECT a.endpoint_id, a.event_id, a.type, a.attempt, a.status_code, a.error, a.created_at
       FROM webhook_events v JOIN webhook_attempts a ON a.event_id = v.id
       WHERE v.campaign_id = ? AND v.seq = ? AND v.id >= ? AND a.id >= ? ORDER BY a.created_at LIMIT ${MOST_SHOWN}`,
      [campaignId, seq, firstEventIdAt(since), firstIdAt(since)],
    );
  }

  /** Sends an event now to its account's active subscribers, with a new retry plan. Returns their number. */
  async replay(tx: EntityManager, { id, accountId, type }: WebhookEventEntity): Promise<number> {
    const endpoints: { id: number }[] = await tx.query(
      `SELECT id FROM webhook_endpoints WHERE account_id = ? AND status = 'active' AND FIND_IN_SET(?, events) ORDER BY id`,
      [accountId, type],
    );
    for (const endpoint of endpoints) {
      await tx.query(
        `INSERT INTO webhook_deliveries (endpoint_id, event_id, due_at, tries, attempts, revision)
         SELECT ?, ?, UTC_TIMESTAMP(3), 0, COALESCE(MAX(attempt), 0), 0 FROM webhook_attempts
         WHERE event_id = ? AND endpoint_id = ? AND id >= ?
         ON DUPLICATE KEY UPDATE due_at = VALUES(due_at), tries = 0, revision = revision + 1`,
        [endpoint.id, id, id, endpoint.id, firstIdAt(shortlyBefore(timeOfEventId(id)))],
      );
    }
    await this.moments.advance(
      tx,
      endpoints.map(({ id: endpoint }) => ({ id: endpoint, isAwaited: false })),
    );
    return endpoints.length;
  }
}

interface EndpointRow {
  id: number;
  account_id: number;
  events: string;
  is_awaited: number;
}

type Takers = ReadonlyMap<string, readonly number[]>;

const BATCH = 1_000;
const keyOf = (accountId: number, type: string): string => `${accountId} ${type}`;

/** Writes events and deliveries in the transaction of the reported change (reference/webhooks#when). */
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

/** The webhook tries of a recipient, for its timeline. */
@Injectable()
export class RecipientAttempts implements Pick<TimelineSources, 'timelineOf'> {
  constructor(
    private readonly events: EventStore,
    sources: TimelineSources,
  ) {
    sources.register(this);
  }

  async timelineOf(campaign: CampaignRecord, seq: number): Promise<TimelineEvent[]> {
    const attempts = await this.events.ofRecipient(campaign.id, seq);
    return attempts.map(({ created_at: at, endpoint_id: webhook_id, ...details }) => ({
      at,
      event: 'webhook',
      details: { webhook_id, ...details },
    }));
  }
}
