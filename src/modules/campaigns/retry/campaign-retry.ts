import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { inTransaction, isDuplicateKey } from '../../../platform/database/index.js';
import { RelayNotifier } from '../../../platform/queues/index.js';
import { tooMany } from '../../../platform/security/index.js';
import { CreditBook } from '../../credits/index.js';
import { campaignErrors } from '../campaigns.errors.js';
import {
  type AcceptedCampaign,
  type CampaignDraft,
  type CampaignRecord,
  CampaignWriter,
  InsufficientCredits,
  Outspent,
  type RenewedTerms,
} from '../../engine/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { FailedRecipients } from './failed-recipients.js';
import { RetriedTerms } from './retried-terms.js';

/** The new campaign. */
export interface RetriedCampaign extends AcceptedCampaign {
  /** for all of its recipients */
  chargedCredits: number;
}

/** What of the new campaign is not the failed one's. */
export interface RetryTerms extends RenewedTerms {
  /** asked again when an id is taken */
  makeRequestId: () => string;
  /** further writes of the same transaction. @param child the new campaign */
  alongside: (tx: EntityManager, child: RetriedCampaign) => Promise<void>;
}

const LOOK_AGAIN_MS = 100;
const PATIENCE_MS = 60_000;
const RETRY_SECONDS = 10;
const ROUNDS = 6;

/** Makes a campaign of the recipients that failed in another: everything of it, or nothing, in one transaction. */
@Injectable()
export class CampaignRetry {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly failed: FailedRecipients,
    private readonly writer: CampaignWriter,
    private readonly credits: CreditBook,
    private readonly routes: RouteDirectory,
    private readonly relay: RelayNotifier,
  ) {}

  /**
   * Charges and stores the retry like a new send, at the same speed, in memory of one batch. One retry of a campaign
   * runs at a time, over all instances; the next one finds what is left. The failed campaign itself never changes, nor
   * is it locked, so receipts and windows go on.
   * @throws AppError conflict `Campaign has no failed recipients`; invalid `Insufficient credits. …`
   */
  async accept(parent: CampaignRecord, terms: RetryTerms): Promise<RetriedCampaign> {
    const until = Date.now() + PATIENCE_MS;
    await this.judge(parent, terms);
    const routes = await this.routesOf(parent);
    for (let round = 1; ;) {
      const accepted = await this.attempt(parent, terms, routes).catch((error: unknown) => {
        if ((error instanceof Outspent || isDuplicateKey(error)) && round < ROUNDS) return null;
        throw error;
      });
      if (accepted === 'busy') {
        if (Date.now() > until) throw tooMany(RETRY_SECONDS);
        await sleep(LOOK_AGAIN_MS); // without a connection: a retry of a million takes seconds
      } else if (accepted) {
        const single = accepted.totalRows === 1;
        this.relay.notify([terms.routeId, ...routes].map((routeId) => ({ channel: parent.channel, routeId, single })));
        return accepted;
      } else {
        round += 1;
        await this.judge(parent, terms);
      }
    }
  }

  /** Refuses cheaply; the transaction stays the judge. */
  private async judge(parent: CampaignRecord, { unitCredits, balance }: RenewedTerms): Promise<void> {
    const { recipients, credits: required } = await this.failed.sum(parent, unitCredits);
    if (recipients === 0) throw campaignErrors.noneFailed();
    const available = await this.credits.available(parent.accountId, balance);
    if (required > available) throw new InsufficientCredits(available, required);
  }

  /** Routes of recipients' own that have not been removed since. */
  private async routesOf(parent: CampaignRecord): Promise<number[]> {
    const routes = await this.failed.ownRoutes(parent);
    const known = await Promise.all(routes.map((id) => this.routes.exists(id)));
    return routes.filter((_, index) => known[index]);
  }

  private async attempt(
    parent: CampaignRecord,
    terms: RetryTerms,
    routes: readonly number[],
  ): Promise<RetriedCampaign | 'busy'> {
    await this.makeLock(parent.id);
    return inTransaction(this.dataSource, async (tx) => {
      if (!(await this.lock(tx, parent.id))) return 'busy';
      const id = newId();
      const retried = new RetriedTerms({ ...terms, sender: parent.sender }, routes);
      let total = 0;
      for await (const batch of this.failed.batches(tx, parent)) {
        await this.writer.insertRetried(tx, id, total, batch, retried.add(batch));
        total += batch.length;
      }
      if (total === 0) throw campaignErrors.noneFailed();
      const requestId = terms.makeRequestId();
      const { sum } = retried;
      await this.writer.insertHeads(tx, [{ id, requestId, draft: draftOf(parent, requestId, terms), total, sum }]);
      const { unitCredits } = terms;
      const child = { id, requestId, totalRows: total, unitCredits, chargedCredits: sum.charged, repeated: false };
      await terms.alongside(tx, child);
      const charge = {
        accountId: parent.accountId,
        balance: terms.balance,
        requestId,
        amount: sum.charged,
        usage: { channel: parent.channel, shares: sum.usage },
      };
      await this.release(tx, parent.id);
      if (!(await this.credits.debit(tx, [charge]))) throw new Outspent();
      return child;
    });
  }

  /** The row to hold. Looked for first, because an INSERT waits for the retry that holds it. */
  private async makeLock(campaignId: number): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const found: unknown[] = await tx.query('SELECT 1 FROM campaign_retries WHERE campaign_id = ?', [campaignId]);
      if (found.length === 0) {
        await tx.query('INSERT IGNORE INTO campaign_retries (campaign_id) VALUES (?)', [campaignId]);
      }
    });
  }

  /** The row is written, not only locked: a lock does not reach the other nodes of a cluster, a written row does. */
  private async release(tx: EntityManager, campaignId: number): Promise<void> {
    await tx.query('DELETE FROM campaign_retries WHERE campaign_id = ?', [campaignId]);
  }

  private async lock(tx: EntityManager, campaignId: number): Promise<boolean> {
    const rows: unknown[] = await tx.query(
      'SELECT campaign_id FROM campaign_retries WHERE campaign_id = ? FOR UPDATE SKIP LOCKED',
      [campaignId],
    );
    return rows.length > 0;
  }
}

const draftOf = (
  parent: CampaignRecord,
  requestId: string,
  { routeId, service, balance, unitCredits }: RenewedTerms,
): Omit<CampaignDraft, 'recipients'> => ({
  accountId: parent.accountId,
  channel: parent.channel,
  requestId: { given: requestId },
  broadcastName: parent.broadcastName,
  service,
  routeId,
  sender: parent.sender,
  content: parent.content,
  balance,
  unitCredits,
  // What is said was looked at when it was said first.
  initialState: 'accepted',
  retryOf: parent.requestId,
});
