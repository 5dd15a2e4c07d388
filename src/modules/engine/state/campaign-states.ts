import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import {
  again,
  inTransaction,
  jsonRows,
  type WriteResult,
  type ClaimedAlongside,
  isFree,
} from '../../../platform/database/index.js';
import {
  type CampaignChange,
  type CampaignState,
  type CampaignTransition,
  LANE_ACTION,
  type LaneAction,
  TRANSITIONS,
} from '../campaign.js';

/** A lane that a worker holds, or has died with, is looked at again; the others sleep. */
const WHILE_HELD = 'IF(lease_until IS NULL, NULL, UTC_TIMESTAMP(3))';
/** Resuming or approving never sends before the schedule. */
const WHEN_SCHEDULED = `GREATEST(UTC_TIMESTAMP(3), COALESCE(
  (SELECT c.scheduled_at FROM campaigns c WHERE c.id = campaign_lanes.campaign_id), UTC_TIMESTAMP(3)))`;
const AT_ONCE = 'UTC_TIMESTAMP(3)';

/**
 * When the lanes of a campaign wake, by what they do in its new state. Every lane is written, a held one too: the
 * turn that ends it at the same moment sees the new state, or is run again (docs/decisions/0004). A window under way
 * leaves the lanes of a paused campaign asleep.
 */
const WAKE_AT: Readonly<Record<LaneAction, string>> = {
  wait: WHILE_HELD,
  send: WHEN_SCHEDULED,
  refund: AT_ONCE,
  rest: 'NULL',
};

/** The next state as SQL: a campaign has begun once its receipts have a deadline. */
const nextState = ({ to, toUnbegun }: CampaignTransition): string =>
  toUnbegun === undefined ? `'${to}'` : `IF(overdue_check_at IS NULL, '${toUnbegun}', '${to}')`;

/** States as an SQL list. */
export const sqlStates = (states: readonly CampaignState[]): string => states.map((state) => `'${state}'`).join(', ');

/** What a campaign that begins is set to; takes its deadline for receipts, in microseconds. */
const BEGUN = [
  `state = ${nextState(TRANSITIONS.begin)}`,
  'overdue_check_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND',
];

/** A campaign that wants to send more. */
export interface UnsentCampaign {
  id: number;
  requestId: string;
  channel: string;
  state: CampaignState;
}

/**
 * As `CampaignStates.begin`, by the statement that claims lanes of the campaigns: its rows are `j`. Campaigns that have begun
 * are not read by it.
 * @param ids each once
 */
export function beginsAlongside(ids: readonly number[], receiptTimeoutMs: number): ClaimedAlongside {
  return {
    join: `LEFT JOIN campaigns c FORCE INDEX (PRIMARY) ON c.id = IF(j.campaign_id IN (?), j.campaign_id, NULL)
      AND c.state IN (${sqlStates(TRANSITIONS.begin.from)})`,
    set: BEGUN.map((change) => `c.${change}`),
    values: [[ids], [receiptTimeoutMs * 1000]],
    rows: ids.length,
  };
}

/** The only writer of campaign states: moves a campaign by the table of transitions, and its lanes with it. */
@Injectable()
export class CampaignStates {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Before the first windows leave; from now on receipts have a deadline. */
  async begin(tx: EntityManager, ids: readonly number[], receiptTimeoutMs: number): Promise<void> {
    const { from } = TRANSITIONS.begin;
    await tx.query(
      `UPDATE campaigns SET ${BEGUN.join(', ')}
       WHERE id IN (?) AND state IN (${sqlStates(from)})`,
      [receiptTimeoutMs * 1000, [...ids].sort((a, b) => a - b)],
    );
  }

  /** `sent_at`: the last recipient left, and no try waits, so no lane is left. @param ids of campaigns that lost a lane */
  async markSent(ids: readonly number[]): Promise<void> {
    await this.dataSource.query(
      again(`UPDATE campaigns SET sent_at = UTC_TIMESTAMP(3) WHERE id IN (?) AND sent_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM campaign_lanes l WHERE l.campaign_id = campaigns.id)`),
      [[...ids].sort((a, b) => a - b)],
    );
  }

  /**
   * Counts lanes whose recipients have all become final, and what goes back to campaigns; completes campaigns with their
   * last lane. One that ended otherwise before keeps its state. The row is written for every lane: of two transactions that
   * end the last two, one waits for the other, or is run again by its cluster.
   * @param closed lanes that ended, by campaign
   * @param refunded credits, by campaign
   * @returns the campaigns that wait for no recipient any more
   */
  async settle(
    tx: EntityManager,
    closed: ReadonlyMap<number, number>,
    refunded: ReadonlyMap<number, number>,
  ): Promise<number[]> {
    const ids = [...new Set([...closed.keys(), ...refunded.keys()])].sort((a, b) => a - b);
    if (ids.length === 0) return [];
    await tx.query(
      `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$[0]', lanes INT PATH '$[1]', refunded BIGINT PATH '$[2]')) j
         STRAIGHT_JOIN campaigns c FORCE INDEX (PRIMARY) ON c.id = j.id
       SET c.open_lanes = c.open_lanes - j.lanes, c.refunded_credits = c.refunded_credits + j.refunded`,
      [jsonRows(ids.map((id) => [id, closed.get(id) ?? 0, refunded.get(id) ?? 0]))],
    );
    return closed.size > 0 ? this.complete(tx, [...closed.keys()]) : [];
  }

  private async complete(tx: EntityManager, ids: readonly number[]): Promise<number[]> {
    const from = sqlStates(TRANSITIONS.complete.from);
    const ended: WriteResult = await tx.query(
      `UPDATE campaigns SET completed_at = UTC_TIMESTAMP(3), overdue_check_at = NULL,
         sent_at = COALESCE(sent_at, UTC_TIMESTAMP(3)),
         state = IF(state IN (${from}), ${nextState(TRANSITIONS.complete)}, state)
       WHERE id IN (?) AND open_lanes = 0 AND completed_at IS NULL`,
      [ids],
    );
    if (ended.affectedRows === 0 || ended.affectedRows === ids.length) return ended.affectedRows === 0 ? [] : [...ids];
    const over: { id: number }[] = await tx.query('SELECT id FROM campaigns WHERE id IN (?) AND open_lanes = 0', [ids]);
    return over.map(({ id }) => id);
  }

  /** Those of these campaigns that go on; what is cancelled or rejected tries nothing again. */
  async open(tx: EntityManager, ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const rows: { id: number }[] = await tx.query('SELECT id FROM campaigns WHERE id IN (?) AND state IN (?)', [
      ids,
      TRANSITIONS.complete.from,
    ]);
    return new Set(rows.map((row) => row.id));
  }

  /** Campaigns of an account that want to send more, so many at the most; not locked, as more rows are looked at than these. */
  async unsentOf(tx: EntityManager, accountId: number, most: number): Promise<number[]> {
    const rows: { id: number }[] = await tx.query(
      `SELECT c.id FROM campaigns c
       WHERE c.account_id = ? AND c.state IN (?) AND EXISTS (
         SELECT 1 FROM campaign_lanes l WHERE l.campaign_id = c.id AND l.wake_at IS NOT NULL)
       LIMIT ?`,
      [accountId, TRANSITIONS.pause.from, most],
    );
    return rows.map(({ id }) => id);
  }

  /** Pauses those of these campaigns whose state still allows it. @returns them as they were before */
  async pauseAll(tx: EntityManager, ids: readonly number[]): Promise<UnsentCampaign[]> {
    if (ids.length === 0) return [];
    const found: UnsentCampaign[] = await tx.query(
      `SELECT id, request_id AS requestId, channel, state FROM campaigns
       WHERE id IN (?) AND state IN (?) ORDER BY id FOR UPDATE`,
      [ids, TRANSITIONS.pause.from],
    );
    if (found.length > 0)
      await this.move(
        tx,
        found.map(({ id }) => id),
        'pause',
      );
    return found;
  }

  /** The state as it stands, locked until the transaction ends. */
  async locked(tx: EntityManager, campaignId: number): Promise<CampaignState | null> {
    const rows: { state: CampaignState }[] = await tx.query('SELECT state FROM campaigns WHERE id = ? FOR UPDATE', [
      campaignId,
    ]);
    return rows[0]?.state ?? null;
  }

  /**
   * Does what an owner or staff ask. Lanes that no worker holds get a new fence: a turn that was planned under the old
   * state can no longer be claimed.
   * @returns false when the state did not allow it
   */
  change(tx: EntityManager, campaignId: number, change: CampaignChange): Promise<boolean> {
    return this.move(tx, [campaignId], change);
  }

  /** @param ids several only of campaigns that are locked in a state that allows it */
  private async move(tx: EntityManager, ids: readonly number[], change: CampaignChange): Promise<boolean> {
    const transition = TRANSITIONS[change];
    const result: WriteResult = await tx.query(
      `UPDATE campaigns SET state = ${nextState(transition)} WHERE id IN (?) AND state IN (?)`,
      [ids, transition.from],
    );
    if (result.affectedRows === 0) return false;
    await tx.query(
      `UPDATE campaign_lanes SET wake_at = ${WAKE_AT[LANE_ACTION[transition.to]]}, stalled_since = NULL,
         ${LANE_ACTION[transition.to] === 'refund' ? 'settle_at = UTC_TIMESTAMP(3),' : ''}
         fence = IF(${isFree()}, fence + 1, fence)
       WHERE campaign_id IN (?)`,
      [ids],
    );
    return true;
  }

  /** Keeps why a campaign was rejected, in the transaction that rejects it. */
  async explain(tx: EntityManager, campaignId: number, reason: string): Promise<void> {
    await tx.query('UPDATE campaigns SET reason = ? WHERE id = ?', [reason, campaignId]);
  }

  /** The same in a transaction of its own. */
  changeAlone(campaignId: number, change: CampaignChange): Promise<boolean> {
    return inTransaction(this.dataSource, (tx) => this.change(tx, campaignId, change));
  }
}
