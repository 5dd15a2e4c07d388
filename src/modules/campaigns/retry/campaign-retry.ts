import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { again, type WriteResult, HeldLease, isFree, LeasedTable } from '../../../platform/database/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { tooMany } from '../../../platform/security/index.js';
import { type AcceptedCampaign, type CampaignRecord, Channels, Submissions } from '../../engine/index.js';
import type { KeptOutcome } from '../../idempotency/index.js';
import { onlyRoute } from '../../routing/index.js';
import { campaignErrors } from '../campaigns.errors.js';
import { FailedRecipients, type LeftOutKind, type ReasonCount } from './failed-recipients.store.js';

const TABLE = 'campaign_retries';
const RIGHTS = new LeasedTable({ table: TABLE, key: ['campaign_id'] });
/** Wait after which another retry may take over the row of a killed process. */
const LEASE_MS = 15_000;
/** Rows are deleted and recreated: a fence of a deleted row must not match its successor's. */
const MOST_FENCE = 2 ** 31;
const RETRY_SECONDS = 10;

/** The exclusive right, over all instances, to retry one campaign. */
interface RetryRight {
  /** Releases the right in the retry's transaction. @throws AppError too_many if another retry took over after the lease */
  spend(tx: EntityManager): Promise<void>;
  /** Releases an unused right; does nothing after `spend`. */
  drop(): Promise<void>;
}

/** Rows of running retries, each written, not only locked: a large retry commits often, locks stay on one cluster node. */
@Injectable()
export class RetryRights {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Returns null while another retry holds the right. */
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

interface RenewedTerms {
  service: string;
  pricer: Awaited<ReturnType<Submissions['pricerOf']>>;
}

export interface RetryTerms {
  include: readonly LeftOutKind[];
  /** `kernel/maker.ts` */
  createdBy: string;
  /** called again when an id is taken */
  makeRequestId: () => string;
  /** writes of the same transaction; `child` is the new campaign */
  alongside: (tx: EntityManager, child: AcceptedCampaign) => Promise<void>;
  /** stored in the same transaction for the request's `Idempotency-Key` */
  outcome: ((reasons: readonly ReasonCount[]) => KeptOutcome<AcceptedCampaign>) | undefined;
}

export interface RetryQuote {
  total: number;
  credits: number;
  reasons: readonly ReasonCount[];
}

const CHECK_AGAIN_MS = 100;
const PATIENCE_MS = 60_000;

/** Creates a campaign from another's failed recipients, completely or not at all. */
@Injectable()
export class CampaignRetry {
  private readonly logger = new Logger(CampaignRetry.name);

  constructor(
    private readonly failed: FailedRecipients,
    private readonly submissions: Submissions,
    private readonly rights: RetryRights,
    private readonly channels: Channels,
  ) {}

  /**
   * Charges and sends like a new send; a large retry commits in several parts. The failed campaign is neither changed nor
   * locked, so receipts and batches continue. @throws AppError conflict `Campaign has no failed recipients`; invalid
   * `Insufficient credits. …`; unavailable; too_many after waiting a minute for another retry
   */
  async accept(
    parent: CampaignRecord,
    terms: RetryTerms,
  ): Promise<{ child: AcceptedCampaign; reasons: readonly ReasonCount[] }> {
    const right = await this.rightOf(parent.id);
    try {
      return await this.acceptUnder(right, parent, terms);
    } finally {
      await right.drop().catch((error: unknown) => {
        this.logger.warn({ err: safeError(error), campaign: parent.id }, 'the right to a retry ends with its lease');
      });
    }
  }

  /** What `accept` would send to, and its price; writes nothing. @throws AppError as `accept`, but for credits */
  async quote(parent: CampaignRecord, include: readonly LeftOutKind[]): Promise<RetryQuote> {
    const { source, reasons } = await this.failed.sourceOf(parent, include);
    if (source.total === 0) return { total: 0, credits: 0, reasons };
    const { pricer } = await this.renewed(parent);
    return { total: source.total, credits: await this.submissions.costOf(source, pricer), reasons };
  }

  /** Prices and routes the retry like a new send, including the channel's own validation. */
  private async renewed(parent: CampaignRecord): Promise<RenewedTerms> {
    const { content, accountId, category, isTest } = parent;
    const channel = this.channels.get(parent.channel);
    await channel.validateRetry?.(this.channels.services, parent);
    const renewed = await channel.renew?.(this.channels.services, parent);
    const service = renewed?.service ?? parent.service;
    const submission = {
      channel,
      content,
      service,
      category,
      sender: { accountId, isTest },
      ...(renewed && { price: renewed }),
    };
    const routes = renewed && !isTest ? onlyRoute(renewed.routeId) : await this.submissions.routesOf(submission);
    return { service, pricer: await this.submissions.pricerOf(submission, routes) };
  }

  /** Waits without holding a connection: a retry of a million recipients takes seconds. */
  private async rightOf(campaignId: number): Promise<RetryRight> {
    for (const until = Date.now() + PATIENCE_MS; ;) {
      const right = await this.rights.take(campaignId);
      if (right) return right;
      if (Date.now() > until) throw tooMany(RETRY_SECONDS);
      await sleep(CHECK_AGAIN_MS);
    }
  }

  private async acceptUnder(
    right: RetryRight,
    parent: CampaignRecord,
    { include, makeRequestId, alongside, outcome, createdBy }: RetryTerms,
  ): Promise<{ child: AcceptedCampaign; reasons: readonly ReasonCount[] }> {
    const { service, pricer } = await this.renewed(parent);
    const { source, reasons } = await this.failed.sourceOf(parent, include);
    if (source.total === 0) throw campaignErrors.noneFailed();
    const sender = parent.sender ?? undefined;
    const how = { sender, isRetry: true };
    const priced = await this.submissions.priced(parent.accountId, source, pricer, how);
    const head = {
      accountId: parent.accountId,
      channel: parent.channel,
      requestId: { make: makeRequestId },
      broadcastName: parent.broadcastName,
      service,
      sender: parent.sender,
      category: parent.category,
      content: parent.content,
      ...(parent.tags && { tags: parent.tags }),
      // The first send's content was already reviewed.
      initialState: 'accepted' as const,
      isTest: parent.isTest,
      retryOf: parent.requestId,
      createdBy,
    };
    const spend: typeof alongside = async (tx, child) => {
      await alongside(tx, child);
      await right.spend(tx);
    };
    return { child: await this.submissions.acceptPriced(pricer, head, priced, spend, outcome?.(reasons)), reasons };
  }
}
