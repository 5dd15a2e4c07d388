import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, IsNull, Not } from 'typeorm';
import { type Listed, type Page, partOf } from '../../kernel/lists.js';
import {
  inListedOrder,
  type KeyRange,
  listKeys,
  ReadDatabase,
  type ReadSession,
} from '../../platform/database/index.js';
import { timeOfEventId } from './events.js';
import { WebhookEndpointEntity } from './tables.js';
import { MOST_WEBHOOKS, WEBHOOK_STATUSES, type WebhookStatus } from './webhook.js';

export interface TriesOf {
  tries: number;
  failed: number;
}

export interface EndpointHealth {
  lastSuccessAt: Date | null;
  lastHour: TriesOf;
  lastDay: TriesOf;
  waiting: number;
  oldestWaitingAt: Date | null;
}

/** Filter of endpoints of all accounts; null = all. */
export interface EndpointFilter {
  accountId: number | null;
  status: WebhookStatus | null;
  isFailing: boolean;
}

/** Queued events of an endpoint are counted up to this number. */
export const MOST_WAITING = 1_000;

const COUNTED_AT_ONCE = 100;

const since = (minutes: number): string => `UTC_TIMESTAMP() - INTERVAL ${minutes} MINUTE`;

/** Reads endpoints of all accounts and their health, for staff. */
@Injectable()
export class EndpointHealths {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reads: ReadDatabase,
  ) {}

  /** A page, newest first; the failing filter examines at most 10,000 endpoints per answer. */
  async part({ accountId, status, isFailing }: EndpointFilter, page: Page): Promise<Listed<WebhookEndpointEntity>> {
    if (accountId !== null) return this.partOfAccount({ accountId, status, isFailing }, page);
    const statuses = isFailing ? (['active'] as const) : status === null ? WEBHOOK_STATUSES : [status];
    if (isFailing && status === 'disabled') return partOf<WebhookEndpointEntity>([], ({ id }) => id, page);
    const ranges: KeyRange[] = statuses.map((word) => ({ where: 'status = ?', values: [word] }));
    const list = {
      table: 'webhook_endpoints',
      index: 'ix_webhook_endpoints_listed',
      key: 'id',
      order: 'DESC',
      ranges,
      ...(isFailing && { filter: { where: 't.failing_since IS NOT NULL', values: [] } }),
    } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(WebhookEndpointEntity).findBy({ id: In(ids.items) });
    return inListedOrder(ids, rows, ({ id }) => id);
  }

  find(id: number): Promise<WebhookEndpointEntity | null> {
    return this.dataSource.getRepository(WebhookEndpointEntity).findOneBy({ id, slot: Not(IsNull()) });
  }

  /** Health in the order of the ids. */
  async of(ids: readonly number[]): Promise<EndpointHealth[]> {
    if (ids.length === 0) return [];
    const session = await this.reads.session();
    const [counters, found] = await Promise.all([
      session.query<Record<string, string | number>[]>(
        `SELECT endpoint_id, SUM(tries) AS day_tries, SUM(failed) AS day_failed,
           SUM(IF(period > ${since(60)}, tries, 0)) AS hour_tries, SUM(IF(period > ${since(60)}, failed, 0)) AS hour_failed
         FROM webhook_counters WHERE endpoint_id IN (?) AND period > ${since(1_440)} GROUP BY endpoint_id`,
        [ids],
      ),
      session.query<{ id: number; oldest: string | null; last_success_at: Date | null }[]>(
        `SELECT e.id,
           (SELECT d.event_id FROM webhook_deliveries d WHERE d.endpoint_id = e.id ORDER BY d.endpoint_id, d.event_id LIMIT 1) AS oldest,
           (SELECT c.last_success_at FROM webhook_counters c WHERE c.endpoint_id = e.id AND c.last_success_at IS NOT NULL
             ORDER BY c.endpoint_id DESC, c.period DESC LIMIT 1) AS last_success_at
         FROM webhook_endpoints e WHERE e.id IN (?)`,
        [ids],
      ),
    ]);
    const tries = new Map(counters.map((row) => [Number(row['endpoint_id']), row]));
    const states = new Map(found.map((row) => [Number(row.id), row]));
    const waiting = await this.waiting(
      session,
      found.flatMap(({ id, oldest }) => (oldest === null ? [] : [Number(id)])),
    );
    return ids.map((id) => {
      const [counted, state] = [tries.get(id), states.get(id)];
      const sum = (name: string): number => Number(counted?.[name] ?? 0);
      return {
        lastSuccessAt: state?.last_success_at ?? null,
        lastHour: { tries: sum('hour_tries'), failed: sum('hour_failed') },
        lastDay: { tries: sum('day_tries'), failed: sum('day_failed') },
        waiting: waiting.get(id) ?? 0,
        oldestWaitingAt: state?.oldest ? timeOfEventId(state.oldest) : null,
      };
    });
  }

  // One bounded subquery per endpoint: few have queued events, and each count ends early.
  private async waiting(session: ReadSession, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const counts = new Map<number, number>();
    for (let start = 0; start < ids.length; start += COUNTED_AT_ONCE) {
      const some = ids.slice(start, start + COUNTED_AT_ONCE);
      const part = `(SELECT ? AS id, COUNT(*) AS waiting FROM (
        SELECT 1 FROM webhook_deliveries WHERE endpoint_id = ? LIMIT ${MOST_WAITING}) k)`;
      const rows = await session.query<{ id: number; waiting: string }[]>(
        some.map(() => part).join(' UNION ALL '),
        some.flatMap((id) => [id, id]),
      );
      for (const row of rows) counts.set(Number(row.id), Number(row.waiting));
    }
    return counts;
  }

  private async partOfAccount(
    { accountId, status, isFailing }: EndpointFilter,
    page: Page,
  ): Promise<Listed<WebhookEndpointEntity>> {
    const rows = await this.dataSource.getRepository(WebhookEndpointEntity).find({
      where: {
        accountId: accountId ?? 0,
        slot: Not(IsNull()),
        ...(status !== null && { status }),
      },
      order: { id: 'ASC' },
      take: MOST_WEBHOOKS,
    });
    const wanted = rows.filter((row) => !isFailing || (row.status === 'active' && row.failingSince !== null));
    // `partOf` sorts ascending, so the keys are negated for "newest first".
    const listed = partOf(wanted.reverse(), ({ id }) => -id, { ...page, after: negative(page.after) });
    return { ...listed, next: negative(listed.next) };
  }
}

const negative = (position: Page['after']): number | null => (position === null ? null : -Number(position));

export interface FailingEndpoint {
  id: number;
  accountId: number;
  seconds: number;
}

const MOST = 200;

/** Failing endpoints of all accounts, read by an index. */
@Injectable()
export class FailingEndpoints {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Longest failing first, at most 200, failing for at least `sinceMs`. */
  async since(sinceMs: number): Promise<FailingEndpoint[]> {
    const rows = await this.dataSource.query<(Omit<FailingEndpoint, 'seconds'> & { seconds: string })[]>(
      `SELECT id, account_id AS accountId, TIMESTAMPDIFF(SECOND, failing_since, UTC_TIMESTAMP(3)) AS seconds
       FROM webhook_endpoints FORCE INDEX (ix_webhook_endpoints_failing)
       WHERE failing_since <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND AND status = 'active'
       ORDER BY failing_since LIMIT ${MOST}`,
      [Math.round(sinceMs * 1000)],
    );
    return rows.map((row) => ({ ...row, seconds: Number(row.seconds) }));
  }
}

export interface Backlog {
  deliveries: number;
  /** age of the longest due endpoint; 0 = none */
  oldestSeconds: number;
  failing: number;
}

/** Measures the webhook backlog at a bounded cost. */
@Injectable()
export class WebhookBacklog {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async read(): Promise<Backlog> {
    const [row] = await this.dataSource.query<Record<keyof Backlog, string | null>[]>(
      `SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM webhook_deliveries LIMIT 10000) d) AS deliveries,
         (SELECT TIMESTAMPDIFF(SECOND, MIN(next_due_at), UTC_TIMESTAMP(3)) FROM webhook_endpoints
          WHERE status = 'active' AND next_due_at <= UTC_TIMESTAMP(3)) AS oldestSeconds,
         (SELECT COUNT(*) FROM (SELECT 1 FROM webhook_endpoints FORCE INDEX (ix_webhook_endpoints_failing)
          WHERE failing_since IS NOT NULL AND status = 'active' LIMIT 1000) f) AS failing LIMIT 1`,
    );
    return {
      deliveries: Number(row?.deliveries ?? 0),
      oldestSeconds: Number(row?.oldestSeconds ?? 0),
      failing: Number(row?.failing ?? 0),
    };
  }
}
