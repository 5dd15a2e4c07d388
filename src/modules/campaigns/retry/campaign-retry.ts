import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { again, type WriteResult, HeldLease, isFree, LeasedTable } from '../../../platform/database/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { tooMany } from '../../../platform/security/index.js';
import {
  type AcceptedCampaign,
  CampaignAcceptance,
  type CampaignRecord,
  type RecipientPricer,
  Submissions,
} from '../../engine/index.js';
import type { KeptOutcome } from '../../idempotency/index.js';
import { campaignErrors } from '../campaigns.errors.js';
import { FailedRecipients } from './failed-recipients.store.js';

const TABLE = 'campaign_retries';
const RIGHTS = new LeasedTable({ table: TABLE, key: ['campaign_id'] });
/** A retry whose process was killed is waited for so long. */
const LEASE_MS = 15_000;
/** Rows come and go: a fence of one that went must not be one of its successor. */
const MOST_FENCE = 2 ** 31;
const RETRY_SECONDS = 10;

/** The right to retry a campaign, which one retry at a time has, over all instances. */
interface RetryRight {
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

/** What of the new campaign is not the failed one's. */
export interface RetryTerms {
  service: string;
  /** what the recipients cost now, and how they leave */
  judging: RecipientPricer;
  /** who sends it again (`kernel/maker.ts`) */
  createdBy: string;
  /** asked again when an id is taken */
  makeRequestId: () => string;
  /** further writes of the same transaction. @param child the new campaign */
  alongside: (tx: EntityManager, child: AcceptedCampaign) => Promise<void>;
  /** of the request's `Idempotency-Key`, stored in the same transaction */
  outcome: KeptOutcome<AcceptedCampaign> | undefined;
}

const LOOK_AGAIN_MS = 100;
const PATIENCE_MS = 60_000;

/** Makes a campaign of the recipients that failed in another: everything of it, or nothing. */
@Injectable()
export class CampaignRetry {
  private readonly logger = new Logger(CampaignRetry.name);

  constructor(
    private readonly failed: FailedRecipients,
    private readonly submissions: Submissions,
    private readonly acceptance: CampaignAcceptance,
    private readonly rights: RetryRights,
  ) {}

  /**
   * Charged, stored and sent as a new send to them would be now, a large one in several commits like any large acceptance.
   * One retry of a campaign runs at a time, over all instances; the next one finds what is left. The failed campaign itself
   * never changes, nor is it locked, so receipts and windows go on.
   * @throws AppError conflict `Campaign has no failed recipients`; invalid `Insufficient credits. …`; unavailable without
   * a route; too_many while another retry of it goes on for a minute
   */
  async accept(parent: CampaignRecord, terms: RetryTerms): Promise<AcceptedCampaign> {
    const right = await this.rightOf(parent.id);
    try {
      return await this.acceptUnder(right, parent, terms);
    } finally {
      await right.drop().catch((error: unknown) => {
        this.logger.warn({ err: safeError(error), campaign: parent.id }, 'the right to a retry ends with its lease');
      });
    }
  }

  /** Waits without a connection: a retry of a million takes seconds. */
  private async rightOf(campaignId: number): Promise<RetryRight> {
    for (const until = Date.now() + PATIENCE_MS; ;) {
      const right = await this.rights.take(campaignId);
      if (right) return right;
      if (Date.now() > until) throw tooMany(RETRY_SECONDS);
      await sleep(LOOK_AGAIN_MS);
    }
  }

  private async acceptUnder(
    right: RetryRight,
    parent: CampaignRecord,
    { service, judging, makeRequestId, alongside, outcome, createdBy }: RetryTerms,
  ): Promise<AcceptedCampaign> {
    const source = await this.failed.sourceOf(parent);
    if (source.total === 0) throw campaignErrors.noneFailed();
    const sender = parent.sender ?? undefined;
    const how = { sender, isRetry: true };
    const { common, ...recipients } = await this.submissions.judged(parent.accountId, source, judging, how);
    const head = {
      accountId: parent.accountId,
      channel: parent.channel,
      requestId: { make: makeRequestId },
      broadcastName: parent.broadcastName,
      service,
      ...common,
      sender: parent.sender,
      category: parent.category,
      content: parent.content,
      // What is said was looked at when it was said first.
      initialState: 'accepted' as const,
      retryOf: parent.requestId,
      createdBy,
    };
    const spend: typeof alongside = async (tx, child) => {
      await alongside(tx, child);
      await right.spend(tx);
    };
    return this.acceptance.acceptRecipients(head, recipients, spend, outcome);
  }
}
