import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { WriteResult } from '../../../platform/database/index.js';
import { UsageTally } from '../../credits/index.js';
import { type LanesLeft, LaneTaken } from '../state/lane-endings.js';
import { LaneStore } from '../state/lane-store.js';
import { type LaneKey, type LaneSnapshot, groupOf } from '../lanes.js';
import { type CampaignBrief, CampaignBriefs } from '../state/campaign-briefs.js';
import { RecipientStatus } from '../recipient.js';
import { readFirst, Outdated } from './status-writer.js';
import type { RecipientChange } from './recipient-change.js';
import { RetryStore } from '../state/retries.js';
import { Settlement } from './settlement.js';
import { StatusEvents, type StatusChange } from './status-events.js';

const { Cancelled, Pending } = RecipientStatus;

/** Retries per transaction; they are written row by row. */
const RETRIES_A_STEP = 2_000;

interface UnsentRange {
  lane: number;
  campaign: CampaignBrief;
  from: number;
  end: number;
}

export interface HeldLane extends LaneKey {
  /** end of the current batch */
  intentSeq: number;
  endSeq: number;
}

interface ChargedRange {
  recipients: number;
  charged: number;
  amount: number;
  tally: UsageTally;
}

/** Unsent recipients with the same leading digits and sender. */
interface ChargedGroup {
  digits: string;
  sender: string | null;
  recipients: string;
  charged: string;
  amount: string;
}

/** Cancels and refunds unsent recipients of cancelled or rejected campaigns, in bounded transactions. */
@Injectable()
export class Cancellations {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly settlement: Settlement,
    private readonly lanes: LaneStore,
    private readonly retries: RetryStore,
    private readonly briefs: CampaignBriefs,
    private readonly events: StatusEvents,
  ) {}

  /** Next part of a lane: waiting retries first, then unsent recipients. @param limit recipients */
  step(lane: LaneSnapshot, limit: number): Promise<LanesLeft> {
    return readFirst(this.dataSource, async (tx) => {
      if (await this.endRetries(tx, lane, Math.min(limit, RETRIES_A_STEP))) {
        return this.lanes.finish(tx, [{ lane, reached: lane.nextSeq }]);
      }
      const end = Math.min(lane.nextSeq + limit, lane.endSeq);
      const campaign = (await this.briefs.of(tx, [lane.campaignId])).get(lane.campaignId);
      if (campaign && lane.nextSeq < end) {
        await this.cancel(tx, { campaign, lane: lane.lane, from: lane.nextSeq, end });
      }
      return this.lanes.finish(tx, [{ lane, reached: end }]);
    });
  }

  /** Cancels the end of a lane behind the batch that a worker sends. @returns whether anything was cancelled */
  async cut(lane: HeldLane, limit: number): Promise<boolean> {
    const { campaignId, endSeq } = lane;
    const from = Math.max(lane.intentSeq, endSeq - limit);
    const work = readFirst(this.dataSource, async (tx) => {
      const campaign = (await this.briefs.of(tx, [campaignId])).get(campaignId);
      if (!campaign || from >= endSeq) return false;
      await this.cancel(tx, { campaign, lane: lane.lane, from, end: endSeq });
      const { affectedRows }: WriteResult = await tx.query(
        'UPDATE campaign_lanes SET end_seq = ? WHERE campaign_id = ? AND lane = ? AND end_seq = ? AND intent_seq <= ?',
        [from, campaignId, lane.lane, endSeq, from],
      );
      if (affectedRows === 0) throw new LaneTaken();
      return true;
    });
    return work.catch((error: unknown) => {
      if (error instanceof LaneTaken) return false;
      throw error;
    });
  }

  /** Recipients already tried keep their last outcome, without refund. @returns whether there were any */
  private async endRetries(tx: EntityManager, lane: LaneSnapshot, limit: number): Promise<boolean> {
    const waiting = await this.retries.waiting(tx, lane, limit);
    if (waiting.length === 0) return false;
    const { campaignId } = lane;
    const changes = waiting.map(({ seq, last }): RecipientChange => {
      const base = { campaignId, seq, attempted: false };
      if (!last) return { ...base, to: Cancelled, errorCode: null, errorText: null, refund: true };
      return { ...base, to: last.status, errorCode: last.errorCode, errorText: last.errorText, refund: false };
    });
    await this.settlement.settle(tx, changes);
    await this.retries.drop(
      tx,
      waiting.map(({ seq }) => ({ campaignId, seq })),
    );
    return true;
  }

  /** One statement per range: all unsent recipients have the same status, which is also the condition. */
  private async cancel(tx: EntityManager, range: UnsentRange): Promise<void> {
    const { campaign, lane, from, end } = range;
    const campaignId = campaign.id;
    const unsent = await this.charged(tx, range);
    const isHeard = await this.events.isHeard(tx, campaign);
    const changes = isHeard ? await this.unsent(tx, range) : [];
    const { joined, own } = members(range);
    const { affectedRows: recipients }: WriteResult = await tx.query(
      `UPDATE campaign_recipients r ${joined}
       SET r.status = ${Cancelled}, r.error_code = NULL, r.error_message = NULL, r.updated_at = UTC_TIMESTAMP(3)
       WHERE r.campaign_id = ? AND r.seq >= ? AND r.seq < ? AND r.status = ${Pending} ${own}`,
      [campaignId, from, end],
    );
    if ((unsent && unsent.recipients !== recipients) || (isHeard && changes.length !== recipients))
      throw new Outdated();
    if (recipients === 0) return;
    const { charged = 0, amount = 0, tally } = unsent ?? {};
    await this.settlement.finish(
      tx,
      [{ campaignId, lane, recipients, from: Pending, to: Cancelled }],
      tally && amount > 0 ? [{ campaignId, campaign, recipients: charged, amount, shares: tally.shares }] : [],
      (ended) => this.events.publish(tx, changes, ended),
    );
  }

  /** Charged credits of a range; null = the campaign is free. */
  private async charged(tx: EntityManager, range: UnsentRange): Promise<ChargedRange | null> {
    const { unitCredits, ownTerms, id, sender } = range.campaign;
    if (!ownTerms && unitCredits === 0) return null;
    const { joined, own } = members(range);
    const credits = ownTerms ? 'COALESCE(t.credits, ?)' : '?';
    const rows = await tx.query<ChargedGroup[]>(
      `SELECT LEFT(r.receiver, 3) AS digits, ${ownTerms ? 't.sender' : 'NULL'} AS sender, COUNT(*) AS recipients,
         SUM(${credits} > 0) AS charged, SUM(${credits}) AS amount
       FROM campaign_recipients r ${joined}
       WHERE r.campaign_id = ? AND r.seq >= ? AND r.seq < ? AND r.status = ${Pending} ${own} GROUP BY 1, 2`,
      [unitCredits, unitCredits, id, range.from, range.end],
    );
    const sum: ChargedRange = { recipients: 0, charged: 0, amount: 0, tally: new UsageTally() };
    for (const row of rows) {
      const [recipients, charged, amount] = [row.recipients, row.charged, row.amount].map(Number) as [
        number,
        number,
        number,
      ];
      sum.recipients += recipients;
      sum.charged += charged;
      sum.amount += amount;
      sum.tally.add(row.digits, row.sender ?? sender, amount, charged);
    }
    return sum;
  }

  /** Recipients of a range, for subscribers of status events. */
  private async unsent(tx: EntityManager, range: UnsentRange): Promise<StatusChange[]> {
    const { joined, own } = members(range);
    const { campaign, from, end } = range;
    const rows = await tx.query<{ seq: number; number: string }[]>(
      `SELECT r.seq, r.receiver AS number FROM campaign_recipients r ${joined}
       WHERE r.campaign_id = ? AND r.seq >= ? AND r.seq < ? AND r.status = ${Pending} ${own} ORDER BY r.seq LIMIT ?`,
      [campaign.id, from, end, end - from],
    );
    const change = { campaignId: campaign.id, from: Pending, to: Cancelled, errorCode: null, errorText: null } as const;
    return rows.map((row) => ({ ...change, ...row }));
  }
}

/** A lane of a campaign with own terms covers only its group. */
const members = ({ campaign, lane }: UnsentRange): { joined: string; own: string } =>
  campaign.ownTerms
    ? {
        joined: 'LEFT JOIN recipient_terms t ON t.campaign_id = r.campaign_id AND t.seq = r.seq',
        own: `AND COALESCE(t.lane_group, 0) = ${groupOf(lane)}`,
      }
    : { joined: '', own: '' };
