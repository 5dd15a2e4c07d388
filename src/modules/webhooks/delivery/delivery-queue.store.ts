import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { again, inTransaction, isFree, LeasedTable } from '../../../platform/database/index.js';
import { Sealer } from '../../../platform/security/index.js';
import { openSecrets } from '../endpoints.store.js';

export interface HeldEndpoint {
  id: number;
  fence: number;
  accountId: number;
  url: string;
  secrets: string[];
  isFailing: boolean;
}

export interface DueDelivery {
  eventId: string;
  dueAt: Date;
  type: string;
  /** JSON text; null = the event has expired */
  body: string | null;
  tries: number;
  attempts: number;
  revision: number;
}

const ENDPOINT = 'account_id, url, secret, previous_secret, previous_until, failing_since';

interface EndpointRow {
  account_id: string;
  url: string;
  secret: string;
  previous_secret: string | null;
  previous_until: Date | null;
  failing_since: Date | null;
}

interface LockedEndpoint extends EndpointRow {
  id: number;
  fence: number;
  may_be_sent_to: number;
  is_due: number;
}

interface DueRow {
  event_id: string;
  due_at: Date;
  type: string | null;
  body: string | null;
  tries: number;
  attempts: number;
  revision: number;
}

// Deliveries of a closed or expired account wait until it is opened, as long as their events are kept.
const MAY_BE_SENT_TO = `status = 'active' AND (held_until IS NULL OR held_until <= UTC_TIMESTAMP(3))
  AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = account_id AND a.is_active = 1
    AND (a.expires_at IS NULL OR a.expires_at >= UTC_TIMESTAMP(3)))`;
// MariaDB reads all deliveries of the endpoint for `MIN`; MySQL does unless the order names every column of the index.
const FIRST_DELIVERY = `(SELECT d.due_at FROM webhook_deliveries d WHERE d.endpoint_id = webhook_endpoints.id
  ORDER BY d.endpoint_id, d.due_at LIMIT 1)`;
const IS_DUE = `status = 'active' AND next_due_at <= UTC_TIMESTAMP(3)`;

/** SQL: some endpoint is due; one step in the index. */
export const IS_ANY_ENDPOINT_DUE = `EXISTS (SELECT 1 FROM webhook_endpoints WHERE ${IS_DUE})`;

// Next poll after a run: transactions that were being written at its end have committed by then.
const CHECK_AGAIN = 'UTC_TIMESTAMP(3) + INTERVAL 2 SECOND';
const CLOSED_AGAIN = 'UTC_TIMESTAMP(3) + INTERVAL 5 SECOND';

const ENDPOINTS = new LeasedTable({ table: 'webhook_endpoints', key: ['id'], moved: ['next_due_at'] });

/** Deliveries by endpoint. A lease and a fence give an endpoint to one worker and free it if that worker dies. */
@Injectable()
export class DeliveryQueue {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sealer: Sealer,
  ) {}

  /** Claims up to `most` due endpoints in one transaction; SKIP LOCKED gives concurrent workers different ones. */
  take(most: number, leaseMs: number): Promise<{ endpoints: HeldEndpoint[]; mayBeMore: boolean }> {
    return inTransaction(
      this.dataSource,
      async (tx) => {
        const { endpoints, mayBeMore } = await this.waiting(tx, most);
        const ids = endpoints.map(({ id }) => id);
        await ENDPOINTS.claimLocked(tx, ids, leaseMs);
        return { endpoints: endpoints.map((one) => ({ ...one, fence: one.fence + 1 })), mayBeMore };
      },
      {
        committed: ({ endpoints: [first] }) =>
          first ? { table: 'webhook_endpoints', where: { id: first.id, fence: first.fence } } : null,
      },
    );
  }

  // Reads the index by due time, so idle endpoints and long queues cost nothing. Postpones endpoints that get nothing now.
  async waiting(
    tx: Pick<EntityManager, 'query'>,
    most: number,
  ): Promise<{ endpoints: HeldEndpoint[]; mayBeMore: boolean }> {
    const rows: LockedEndpoint[] = await tx.query(
      `SELECT id, fence, ${ENDPOINT}, ${MAY_BE_SENT_TO} AS may_be_sent_to,
         COALESCE(${FIRST_DELIVERY} <= UTC_TIMESTAMP(3), 0) AS is_due
       FROM webhook_endpoints WHERE ${IS_DUE} AND ${isFree()} ORDER BY next_due_at LIMIT ? FOR UPDATE SKIP LOCKED`,
      [most],
    );
    const isTrue = (value: number): boolean => Number(value) === 1;
    const [due, empty] = split(rows, (row) => isTrue(row.is_due));
    const [open, closed] = split(due, (row) => isTrue(row.may_be_sent_to));
    await this.putOff(tx, empty, FIRST_DELIVERY);
    await this.putOff(tx, closed, `CASE WHEN held_until > UTC_TIMESTAMP(3) THEN held_until ELSE ${CLOSED_AGAIN} END`);
    return { endpoints: open.map((row) => this.endpointOf(row.id, row.fence, row)), mayBeMore: rows.length === most };
  }

  /** Releases an unused endpoint and polls it again soon. */
  async putBack(id: number, fence: number): Promise<void> {
    await this.dataSource.query(
      again(`UPDATE webhook_endpoints SET lease_until = UTC_TIMESTAMP(3), next_due_at = ${CHECK_AGAIN}
       WHERE id = ? AND fence = ?`),
      [id, fence],
    );
  }

  renew(id: number, fence: number, leaseMs: number): Promise<boolean> {
    return ENDPOINTS.renew(this.dataSource, [id], fence, leaseMs);
  }

  /** Releases an endpoint; its next poll is when the next delivery is due, and at the latest soon, after other endpoints. */
  async release(id: number, fence: number): Promise<void> {
    await this.dataSource.query(
      again(`UPDATE webhook_endpoints SET lease_until = UTC_TIMESTAMP(3),
         next_due_at = GREATEST(UTC_TIMESTAMP(3), LEAST(${CHECK_AGAIN}, COALESCE(${FIRST_DELIVERY}, ${CHECK_AGAIN})))
       WHERE id = ? AND fence = ?`),
      [id, fence],
    );
  }

  /** The current endpoint; null = lost, disabled, removed, paused, or its account is closed. */
  async held(id: number, fence: number): Promise<HeldEndpoint | null> {
    const [row] = await this.dataSource.query<EndpointRow[]>(
      `SELECT ${ENDPOINT} FROM webhook_endpoints WHERE id = ? AND fence = ? AND ${MAY_BE_SENT_TO}`,
      [id, fence],
    );
    return row ? this.endpointOf(id, fence, row) : null;
  }

  /** Due deliveries, longest due first, except `without`; `after` = the last one of the page before. */
  async due(
    endpointId: number,
    most: number,
    without: readonly string[],
    after: DueDelivery | null = null,
  ): Promise<DueDelivery[]> {
    const others = without.length > 0 ? 'AND d.event_id NOT IN (?)' : '';
    const later = after ? 'AND (d.due_at > ? OR d.due_at = ? AND d.event_id > ?)' : '';
    const rows: DueRow[] = await this.dataSource.query(
      `SELECT d.event_id, d.due_at, v.type, v.body, d.tries, d.attempts, d.revision
       FROM webhook_deliveries d LEFT JOIN webhook_events v ON v.id = d.event_id
       WHERE d.endpoint_id = ? AND d.due_at <= UTC_TIMESTAMP(3) ${later} ${others} ORDER BY d.due_at, d.event_id LIMIT ?`,
      [
        endpointId,
        ...(after ? [after.dueAt, after.dueAt, after.eventId] : []),
        ...(without.length > 0 ? [without] : []),
        most,
      ],
    );
    return rows.map(({ event_id: eventId, due_at: dueAt, type, ...row }) => ({
      eventId,
      dueAt,
      type: type ?? '',
      ...row,
    }));
  }

  async drop(endpointId: number, eventIds: readonly string[]): Promise<void> {
    await this.dataSource.query(again('DELETE FROM webhook_deliveries WHERE endpoint_id = ? AND event_id IN (?)'), [
      endpointId,
      eventIds,
    ]);
  }

  // Skips endpoints that were moved or claimed since they were read.
  private async putOff(
    tx: Pick<EntityManager, 'query'>,
    endpoints: readonly { id: number }[],
    moment: string,
  ): Promise<void> {
    if (endpoints.length === 0) return;
    await tx.query(
      `UPDATE webhook_endpoints SET next_due_at = ${moment} WHERE id IN (?) AND ${IS_DUE} AND ${isFree()}`,
      [endpoints.map(({ id }) => id)],
    );
  }

  private endpointOf(id: number, fence: number, row: EndpointRow): HeldEndpoint {
    const signsToo = row.previous_until !== null && row.previous_until > now() ? row.previous_secret : null;
    return {
      id,
      fence,
      accountId: Number(row.account_id),
      url: row.url,
      secrets: openSecrets(this.sealer, id, row.secret, signsToo),
      isFailing: row.failing_since !== null,
    };
  }
}

function split<T>(rows: readonly T[], isFirst: (row: T) => boolean): [first: T[], others: T[]] {
  return [rows.filter(isFirst), rows.filter((row) => !isFirst(row))];
}
