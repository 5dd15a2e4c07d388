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

/** Tries of a while. */
export interface TriesOf {
  tries: number;
  failed: number;
}

/** How an endpoint has done lately. */
export interface EndpointHealth {
  lastSuccessAt: Date | null;
  lastHour: TriesOf;
  lastDay: TriesOf;
  /** events that wait for it, `MOST_WAITING` at the most */
  waiting: number;
  /** when the oldest of them happened */
  oldestWaitingAt: Date | null;
}

/** What the endpoints of all accounts may be narrowed to; null = all. */
export interface EndpointFilter {
  accountId: number | null;
  status: WebhookStatus | null;
  /** active ones whose last try failed */
  isFailing: boolean;
}

/** Events that wait for an endpoint are counted up to here. */
export const MOST_WAITING = 1_000;

/** Endpoints of one statement. */
const COUNTED_AT_ONCE = 100;

const since = (minutes: number): string => `UTC_TIMESTAMP() - INTERVAL ${minutes} MINUTE`;

/** Endpoints of all accounts, for staff, and how each of them does. */
@Injectable()
export class EndpointHealths {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reads: ReadDatabase,
  ) {}

  /** Newest first; of those that are failing 10,000 are looked at in one answer. */
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
      ...(isFailing && { look: { where: 't.failing_since IS NOT NULL', values: [] } }),
    } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(WebhookEndpointEntity).findBy({ id: In(ids.items) });
    return inListedOrder(ids, rows, ({ id }) => id);
  }

  /** Of any account; null for one that was removed. */
  find(id: number): Promise<WebhookEndpointEntity | null> {
    return this.dataSource.getRepository(WebhookEndpointEntity).findOneBy({ id, slot: Not(IsNull()) });
  }

  /** @returns in the order of the ids */
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

  /** Only endpoints for which something waits, which few do: each is a statement's part of its own, which ends early. */
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

  /** An account has `WEBHOOKS_PER_ACCOUNT` of them at the most. */
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
    // `partOf` goes upwards: the newest first are the same list seen from its other end.
    const listed = partOf(wanted.reverse(), ({ id }) => -id, { ...page, after: negative(page.after) });
    return { ...listed, next: negative(listed.next) };
  }
}

const negative = (place: Page['after']): number | null => (place === null ? null : -Number(place));

/** An active endpoint whose every delivery has failed for a while. */
export interface FailingEndpoint {
  id: number;
  accountId: number;
  /** since the first failure after the last success */
  seconds: number;
}

const MOST = 200;

/** Endpoints that fail, over all accounts; those that do not are not read. */
@Injectable()
export class FailingEndpoints {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Longest first, some hundred at the most. @param sinceMs fewer milliseconds do not count */
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

/** What waits for endpoints of all accounts. */
export interface Backlog {
  /** 10,000 at the most */
  deliveries: number;
  /** of the endpoint that has been due for longest; 0 = none is */
  oldestSeconds: number;
  /** 1,000 at the most */
  failing: number;
}

/** How far webhooks are behind, at a cost that does not grow with it. */
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
