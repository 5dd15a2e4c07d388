import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows, lockOnly } from '../../../platform/database/index.js';
import { Traffic } from '../../traffic/index.js';
import { type CampaignBrief, CampaignBriefs } from '../state/campaign-briefs.js';
import { CampaignStates } from '../state/campaign-states.js';
import { laneOf } from '../state/lanes.js';
import { campaignsOf, keyOf, type RecipientKey, toLock } from '../state/recipient-key.js';
import { countMoves } from './counted-moves.js';
import { type CountedMove, count } from './counters.js';
import {
  furthest,
  type KnownRecipient,
  type KnownRecipients,
  moveOf,
  type RecipientChange,
  type RecipientMove,
} from './recipient-change.js';
import { type Refund, Refunds } from './refunds.js';
import { StatusEvents } from './status-events.js';
import { writeStatuses } from './status-writer.js';

interface TermsRow extends RecipientKey {
  laneGroup: number;
  credits: number | null;
  sender: string | null;
}

/**
 * The only writer of recipient statuses. In one transaction, and in the order of docs/decisions/0004: forward moves written
 * in bulk, counted by lane, campaigns told of lanes that ended and of what goes back, balances last.
 */
@Injectable()
export class Settlement {
  constructor(
    private readonly briefs: CampaignBriefs,
    private readonly states: CampaignStates,
    private readonly refunds: Refunds,
    private readonly events: StatusEvents,
    private readonly traffic: Traffic,
  ) {}

  /**
   * @param changes any order; several for one recipient are taken as the furthest of them
   * @param known recipients that the caller has read, under a lock or without one; absent = those without one that a
   * change brings along are locked
   * @returns what really changed
   * @throws Outdated where a recipient is not as it was read without a lock; see `readFirst`
   */
  async settle(
    tx: EntityManager,
    changes: readonly RecipientChange[],
    known?: KnownRecipients,
  ): Promise<RecipientMove[]> {
    if (changes.length === 0) return [];
    const others =
      known ??
      (await this.lock(
        tx,
        changes.filter(({ recipient }) => !recipient),
      ));
    const possible: RecipientMove[] = [];
    for (const change of furthest(changes)) {
      const recipient = change.recipient ?? others.get(keyOf(change));
      const move = recipient && moveOf(change, recipient);
      if (move) possible.push(move);
    }
    if (possible.length === 0) return [];
    const campaigns = await this.briefs.of(tx, campaignsOf(possible));
    // Retention takes a campaign before its recipients: a late receipt of one that has gone must not stop those beside it.
    const moves = possible.filter(({ campaignId }) => campaigns.has(campaignId));
    if (moves.length === 0) return [];
    await this.addTerms(tx, moves, campaigns);
    await writeStatuses(tx, moves);
    const refunds = await this.refunds.of(tx, moves, campaigns);
    countMoves(tx, this.traffic, moves, campaigns);
    await this.finish(tx, moves, refunds, (ended) => this.events.publish(tx, moves, ended));
    return moves;
  }

  /**
   * Counts moves whose statuses have been written, and settles what follows from them.
   * @param publish tells subscribers, given the campaigns that ended with these moves; before the balances are locked
   */
  async finish(
    tx: EntityManager,
    moves: readonly CountedMove[],
    refunds: readonly Refund[],
    publish: (ended: readonly number[]) => Promise<void>,
  ): Promise<void> {
    const closed = await count(tx, moves);
    const ended = await this.states.settle(
      tx,
      closed,
      new Map(refunds.map(({ campaignId, amount }) => [campaignId, amount])),
    );
    await publish(ended);
    await this.refunds.pay(tx, refunds);
  }

  /** Locks recipients in the order of their keys; those that do not exist are missing. */
  async lock(tx: EntityManager, places: readonly RecipientKey[]): Promise<KnownRecipients> {
    if (places.length === 0) return new Map();
    const rows: (KnownRecipient & RecipientKey)[] = await tx.query(
      `SELECT STRAIGHT_JOIN r.campaign_id AS campaignId, r.seq, r.receiver AS number, r.status, r.attempts
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
       JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = j.campaign_id AND r.seq = j.seq
       WHERE r.campaign_id IN (?) ${lockOnly('r')}`,
      [jsonRows(toLock(places)), campaignsOf(places)],
    );
    return new Map(rows.map((row) => [keyOf(row), row]));
  }

  /** Adds lane, price and sender of each recipient; a campaign without own terms costs no look at them. Terms never change. */
  private async addTerms(
    tx: EntityManager,
    moves: readonly RecipientMove[],
    campaigns: ReadonlyMap<number, CampaignBrief>,
  ): Promise<void> {
    const own = moves.filter(({ campaignId }) => campaigns.get(campaignId)?.ownTerms);
    const terms = await this.ownTerms(tx, own);
    for (const move of moves) {
      const campaign = campaigns.get(move.campaignId);
      if (!campaign) throw new Error(`campaign ${move.campaignId} is missing`);
      const row = campaign.ownTerms ? terms.get(keyOf(move)) : undefined;
      move.lane = laneOf(campaign.totalRows, move.seq, row?.laneGroup);
      move.credits = row?.credits ?? campaign.unitCredits;
      move.sender = row?.sender ?? campaign.sender;
    }
  }

  private async ownTerms(tx: EntityManager, moves: readonly RecipientMove[]): Promise<ReadonlyMap<string, TermsRow>> {
    if (moves.length === 0) return new Map();
    const rows: TermsRow[] = await tx.query(
      `SELECT STRAIGHT_JOIN t.campaign_id AS campaignId, t.seq, t.lane_group AS laneGroup, t.credits, t.sender
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
       JOIN recipient_terms t ON t.campaign_id = j.campaign_id AND t.seq = j.seq WHERE t.campaign_id IN (?)`,
      [jsonRows(moves.map(({ campaignId, seq }) => [campaignId, seq])), campaignsOf(moves)],
    );
    return new Map(rows.map((row) => [keyOf(row), row]));
  }
}
