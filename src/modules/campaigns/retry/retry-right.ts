import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { again, type WriteResult } from '../../../platform/database/index.js';
import { HeldLease, isFree, LeasedTable } from '../../../platform/leases/index.js';
import { tooMany } from '../../../platform/security/index.js';

const TABLE = 'campaign_retries';
const RIGHTS = new LeasedTable({ table: TABLE, key: ['campaign_id'] });
/** A retry whose process was killed is waited for so long. */
const LEASE_MS = 15_000;
/** Rows come and go: a fence of one that went must not be one of its successor. */
const MOST_FENCE = 2 ** 31;
export const RETRY_SECONDS = 10;

/** The right to retry a campaign, which one retry at a time has, over all instances. */
export interface RetryRight {
  /** Gives it back with what was made under it. @throws AppError too_many when the lease was over, and another took it */
  spend(tx: EntityManager): Promise<void>;
  /** Gives it back where nothing came about; nothing where it was spent. */
  drop(): Promise<void>;
}

/**
 * The rows that say which campaigns are being retried. Each is written, not only locked: a large retry has several commits,
 * and a lock does not reach the other nodes of a cluster.
 */
@Injectable()
export class RetryRights {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @returns null while another retry has it */
  async take(campaignId: number): Promise<RetryRight | null> {
    const found = await this.row(campaignId);
    if (found && !found.free) return null;
    if (!found) {
      await this.dataSource.query(again(`INSERT IGNORE INTO ${TABLE} (campaign_id, fence) VALUES (?, ?)`), [
        campaignId,
        randomInt(MOST_FENCE),
      ]);
    }
    const fence = (found ?? (await this.row(campaignId)))?.fence;
    const claimedAt = performance.now();
    if (fence === undefined || !(await RIGHTS.claim(this.dataSource, [campaignId], LEASE_MS, { fence }))) return null;
    return this.held(campaignId, fence + 1, claimedAt);
  }

  private held(campaignId: number, fence: number, claimedAt: number): RetryRight {
    const lease = new HeldLease({
      leaseMs: LEASE_MS,
      claimedAt,
      renew: () => RIGHTS.renew(this.dataSource, [campaignId], fence, LEASE_MS),
    });
    const remove = (source: Pick<EntityManager, 'query'>): Promise<WriteResult> =>
      source.query(again(`DELETE FROM ${TABLE} WHERE campaign_id = ? AND fence = ?`), [campaignId, fence]);
    return {
      spend: async (tx) => {
        const removed = await remove(tx);
        if (removed.affectedRows === 0) throw tooMany(RETRY_SECONDS);
      },
      drop: async () => {
        lease.end();
        await remove(this.dataSource);
      },
    };
  }

  private async row(campaignId: number): Promise<{ fence: number; free: boolean } | null> {
    const rows = await this.dataSource.query<{ fence: number; free: number }[]>(
      `SELECT fence, ${isFree()} AS free FROM ${TABLE} WHERE campaign_id = ?`,
      [campaignId],
    );
    const [row] = rows;
    return row ? { fence: row.fence, free: Number(row.free) === 1 } : null;
  }
}
