import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { afterCommit, again, type WriteResult } from '../../../platform/database/index.js';
import { WakeCalls } from '../../../platform/duties/index.js';
import { isFree } from '../../../platform/leases/index.js';
import { safeError } from '../../../platform/observability/index.js';

/** Name of the calls that wake a dispatcher. */
export const WEBHOOK_CALLS = 'webhooks';
/** Commits within so long are checked together. */
const CHECKED_AFTER_MS = 20;
/** Endpoints of one statement. */
const PAGE = 1_000;

/** SQL: from when on something may be sent to an endpoint. */
const SOONEST = 'GREATEST(UTC_TIMESTAMP(3), COALESCE(held_until, UTC_TIMESTAMP(3)))';

/**
 * SQL: what is due now at an endpoint is found without a change of its row: a worker is sending to it, or it is looked at
 * as soon as something may be sent.
 */
export const IS_AWAITED = `(next_due_at IS NOT NULL AND (next_due_at <= ${SOONEST} OR NOT ${isFree()}))`;

/**
 * Keeps `next_due_at` of endpoints, by which dispatchers find those with something due (docs/decisions/0014): never later
 * than the first delivery, with one exception. A worker that finds an endpoint empty moves the moment away, and cannot
 * see what a transaction is still writing that has found the endpoint awaited. So a writer asks once more when it has
 * committed, and the moment stays near for a while after a turn. What both miss (a process that dies right after its
 * commit) `repair` finds within a minute.
 */
@Injectable()
export class EndpointMoments implements OnApplicationShutdown {
  private readonly logger = new Logger(EndpointMoments.name);
  private unchecked = new Set<number>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly calls: WakeCalls,
  ) {}

  onApplicationShutdown(): void {
    if (this.timer) clearTimeout(this.timer);
  }

  /**
   * Something is due now at these endpoints: in the transaction that has written it, at its end.
   * @param endpoints `isAwaited` as this transaction has read it: the row of a busy endpoint is not written again and again
   */
  async advance(tx: EntityManager, endpoints: readonly { id: number; isAwaited: boolean }[]): Promise<void> {
    const away = endpoints.flatMap(({ id, isAwaited }) => (isAwaited ? [] : [id]));
    const moved = away.length > 0 ? await this.move(tx, away) : 0;
    afterCommit(tx, () => {
      if (moved > 0) this.calls.wake(WEBHOOK_CALLS);
      if (moved < endpoints.length) this.checkSoon(endpoints.map(({ id }) => id));
    });
  }

  /** Endpoints whose moment is later than their first delivery are due now. @returns how many there were */
  async repair(): Promise<number> {
    let repaired = 0;
    for (let after = 0; ;) {
      const page: { id: number }[] = await this.dataSource.query(
        `SELECT endpoint_id AS id FROM webhook_deliveries WHERE endpoint_id > ? GROUP BY endpoint_id
         HAVING MIN(due_at) <= UTC_TIMESTAMP(3) ORDER BY endpoint_id LIMIT ${PAGE}`,
        [after],
      );
      const ids = page.map(({ id }) => id);
      if (ids.length > 0) repaired += await this.move(this.dataSource, ids);
      if (ids.length < PAGE) return repaired;
      after = ids.at(-1) ?? after;
    }
  }

  private async move(source: Pick<EntityManager, 'query'>, ids: readonly number[]): Promise<number> {
    const { affectedRows }: WriteResult = await source.query(
      again(
        `UPDATE webhook_endpoints SET next_due_at = ${SOONEST} WHERE id IN (?) AND status = 'active' AND NOT ${IS_AWAITED}`,
      ),
      [ids],
    );
    return affectedRows;
  }

  private checkSoon(ids: readonly number[]): void {
    for (const id of ids) this.unchecked.add(id);
    this.timer ??= setTimeout(() => void this.check(), CHECKED_AFTER_MS);
  }

  private async check(): Promise<void> {
    const ids = [...this.unchecked];
    this.unchecked = new Set();
    this.timer = null;
    try {
      if ((await this.move(this.dataSource, ids)) > 0) this.calls.wake(WEBHOOK_CALLS);
    } catch (error) {
      this.logger.warn({ err: safeError(error) }, 'endpoints could not be looked at again, which is left to the sweep');
    }
  }
}
