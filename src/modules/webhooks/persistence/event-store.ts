import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { firstIdAt, timeOfId } from '../../../kernel/ids.js';
import { DataSource, type EntityManager, In } from 'typeorm';
import type { Listed, Page } from '../../../kernel/lists.js';
import { inListedOrder, listKeys } from '../../../platform/database/index.js';
import { firstEventIdAt, isEventId, timeOfEventId } from './event-id.js';
import { EndpointMoments } from './endpoint-moments.js';
import { WebhookAttemptEntity, WebhookEventEntity } from './webhook.entities.js';

/** A try as the timeline of its recipient shows it. */
export interface RecipientAttempt {
  endpoint_id: number;
  event_id: string;
  type: string;
  attempt: number;
  status_code: number | null;
  error: string | null;
  created_at: Date;
}

/** Clocks of processes differ: what follows from something has an id of so much earlier at the most. */
const CLOCKS_MS = 3_600_000;
const shortlyBefore = (at: Date): Date => new Date(Math.max(0, at.getTime() - CLOCKS_MS));

/** Most tries that one timeline shows. */
const MOST_SHOWN = 1_000;

/** Reads events and their tries; sends events again. */
@Injectable()
export class EventStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly moments: EndpointMoments,
  ) {}

  /** Newest first. */
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

  /** Of any account. */
  async findAny(id: string): Promise<WebhookEventEntity | null> {
    if (!isEventId(id)) return null;
    return this.dataSource.getRepository(WebhookEventEntity).findOneBy({ id });
  }

  /** Days before the campaign's are not looked into. */
  ofRecipient(campaignId: number, seq: number): Promise<RecipientAttempt[]> {
    const since = shortlyBefore(timeOfId(campaignId));
    return this.dataSource.query(
      `SELECT a.endpoint_id, a.event_id, a.type, a.attempt, a.status_code, a.error, a.created_at
       FROM webhook_events v JOIN webhook_attempts a ON a.event_id = v.id
       WHERE v.campaign_id = ? AND v.seq = ? AND v.id >= ? AND a.id >= ? ORDER BY a.created_at LIMIT ${MOST_SHOWN}`,
      [campaignId, seq, firstEventIdAt(since), firstIdAt(since)],
    );
  }

  /**
   * Sends an event again, now, to every active endpoint of its account that takes its type; the retry plan begins anew
   * and attempts count on.
   * @returns to how many
   */
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
