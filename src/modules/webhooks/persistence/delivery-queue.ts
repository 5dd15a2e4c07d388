import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { isFree, LeasedTable } from '../../../platform/leases/index.js';
import { Sealer } from '../../../platform/security/index.js';

/** An endpoint that this worker holds. */
export interface HeldEndpoint {
  id: number;
  fence: number;
  /** whose it is */
  accountId: number;
  url: string;
  /** that sign now, the newest first */
  secrets: string[];
  isFailing: boolean;
}

/** An event that is due at an endpoint. */
export interface DueDelivery {
  eventId: string;
  type: string;
  /** JSON text; null once the event is no longer kept */
  body: string | null;
  tries: number;
  attempts: number;
  revision: number;
}

interface EndpointRow {
  account_id: string;
  url: string;
  secret: string;
  previous_secret: string | null;
  previous_until: Date | null;
  failing_since: Date | null;
}

interface DueRow {
  event_id: string;
  type: string | null;
  body: string | null;
  tries: number;
  attempts: number;
  revision: number;
}

/** A closed or expired account is sent nothing; what waits goes out when it is opened again, as long as it is kept. */
const MAY_BE_SENT_TO = `status = 'active' AND (held_until IS NULL OR held_until <= UTC_TIMESTAMP(3))
  AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = account_id AND a.is_active = 1
    AND (a.expires_at IS NULL OR a.expires_at >= UTC_TIMESTAMP(3)))`;

const ENDPOINTS = new LeasedTable({ table: 'webhook_endpoints', key: ['id'] });

/**
 * What waits to be delivered, endpoint by endpoint: a worker takes an endpoint under a lease and a fence, so two never
 * send to it at once, and what a killed one had under way is due again when its lease is over.
 */
@Injectable()
export class DeliveryQueue {
  constructor(
    @InjectDataSource() private readonly dataSource: Pick<DataSource, 'query'>,
    private readonly sealer: Sealer,
  ) {}

  /**
   * Endpoints with something due that no worker holds; the one that has waited longest for a turn comes first. One step in the index an
   * endpoint: neither idle endpoints nor long queues are gone through.
   */
  async waiting(most: number): Promise<number[]> {
    const rows: { id: number }[] = await this.dataSource.query(
      `SELECT e.id FROM (SELECT endpoint_id, MIN(due_at) AS due_at FROM webhook_deliveries GROUP BY endpoint_id) d
       STRAIGHT_JOIN webhook_endpoints e ON e.id = d.endpoint_id
       WHERE d.due_at <= UTC_TIMESTAMP(3) AND ${MAY_BE_SENT_TO} AND ${isFree()} ORDER BY e.lease_until, e.id LIMIT ?`,
      [most],
    );
    return rows.map(({ id }) => id);
  }

  /** @returns the fence of the turn, null when another worker was faster */
  async claim(id: number, leaseMs: number): Promise<number | null> {
    if (!(await ENDPOINTS.claim(this.dataSource, [id], leaseMs, { onlyIf: MAY_BE_SENT_TO }))) return null;
    const [row] = await this.dataSource.query<{ fence: number }[]>('SELECT fence FROM webhook_endpoints WHERE id = ?', [
      id,
    ]);
    return row?.fence ?? null;
  }

  /** @returns false when the endpoint was lost */
  renew(id: number, fence: number, leaseMs: number): Promise<boolean> {
    return ENDPOINTS.renew(this.dataSource, [id], fence, leaseMs);
  }

  /** The moment is kept: the endpoint that has waited longest since then comes first. */
  async release(id: number, fence: number): Promise<void> {
    await this.dataSource.query(
      'UPDATE webhook_endpoints SET lease_until = UTC_TIMESTAMP(3) WHERE id = ? AND fence = ?',
      [id, fence],
    );
  }

  /** The endpoint as it is now; null when it was lost, disabled, removed, asked for a pause, or its account was closed. */
  async held(id: number, fence: number): Promise<HeldEndpoint | null> {
    const [row] = await this.dataSource.query<EndpointRow[]>(
      `SELECT account_id, url, secret, previous_secret, previous_until, failing_since FROM webhook_endpoints
       WHERE id = ? AND fence = ? AND ${MAY_BE_SENT_TO}`,
      [id, fence],
    );
    if (!row) return null;
    const signsToo = row.previous_until !== null && row.previous_until > now() ? row.previous_secret : null;
    return {
      id,
      fence,
      accountId: Number(row.account_id),
      url: row.url,
      secrets: [row.secret, ...(signsToo === null ? [] : [signsToo])].map((sealed) => this.sealer.open(sealed)),
      isFailing: row.failing_since !== null,
    };
  }

  /** What is due, the longest due first, without what this worker has under way. */
  async due(endpointId: number, most: number, underWay: readonly string[]): Promise<DueDelivery[]> {
    const others = underWay.length > 0 ? 'AND d.event_id NOT IN (?)' : '';
    const rows: DueRow[] = await this.dataSource.query(
      `SELECT d.event_id, v.type, v.body, d.tries, d.attempts, d.revision
       FROM webhook_deliveries d LEFT JOIN webhook_events v ON v.id = d.event_id
       WHERE d.endpoint_id = ? AND d.due_at <= UTC_TIMESTAMP(3) ${others} ORDER BY d.due_at, d.event_id LIMIT ?`,
      [endpointId, ...(underWay.length > 0 ? [underWay] : []), most],
    );
    return rows.map(({ event_id: eventId, type, ...row }) => ({ eventId, type: type ?? '', ...row }));
  }

  /** The event is no longer kept. */
  async drop(endpointId: number, eventIds: readonly string[]): Promise<void> {
    await this.dataSource.query('DELETE FROM webhook_deliveries WHERE endpoint_id = ? AND event_id IN (?)', [
      endpointId,
      eventIds,
    ]);
  }
}
