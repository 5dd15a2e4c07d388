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
  LATE_CHANGE,
  LATE_S,
  type LaneAction,
  TRANSITIONS,
} from '../campaign.js';

/** Leased lanes are checked again, also after a worker's death; others sleep. */
const WHILE_HELD = 'IF(lease_until IS NULL, NULL, UTC_TIMESTAMP(3))';
/** Resuming and approving never send before the schedule. */
const WHEN_SCHEDULED = `GREATEST(UTC_TIMESTAMP(3), COALESCE(
  (SELECT c.scheduled_at FROM campaigns c WHERE c.id = campaign_lanes.campaign_id), UTC_TIMESTAMP(3)))`;
const AT_ONCE = 'UTC_TIMESTAMP(3)';

/** Wake-up time by action. Writes leased lanes too, so that a lane that ends now sees the new state (docs/decisions/0004). */
const WAKE_AT: Readonly<Record<LaneAction, string>> = {
  wait: WHILE_HELD,
  send: WHEN_SCHEDULED,
  refund: AT_ONCE,
  nothing: 'NULL',
};

/** SQL: the next state; a campaign has begun once it has a receipt deadline. */
const nextState = ({ to, toUnbegun }: CampaignTransition): string =>
  toUnbegun === undefined ? `'${to}'` : `IF(overdue_check_at IS NULL, '${toUnbegun}', '${to}')`;

export const sqlStates = (states: readonly CampaignState[]): string => states.map((state) => `'${state}'`).join(', ');

/** SQL: seconds since the schedule; null without one. */
const LATE_BY = 'TIMESTAMPDIFF(SECOND, scheduled_at, UTC_TIMESTAMP(3))';

const BEGUN = [
  `state = ${nextState(TRANSITIONS.begin)}`,
  'overdue_check_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND',
  `started_late_s = IF(${LATE_BY} >= COALESCE(late_after_s, ${LATE_S}), ${LATE_BY}, NULL)`,
];

export interface UnsentCampaign {
  id: number;
  requestId: string;
  channel: string;
  state: CampaignState;
}

/** As `CampaignStates.begin`, inside the statement that claims lanes (`j` = its rows). @param ids distinct */
export function beginsAlongside(ids: readonly number[], receiptTimeoutMs: number): ClaimedAlongside {
  return {
    join: `LEFT JOIN campaigns c FORCE INDEX (PRIMARY) ON c.id = IF(j.campaign_id IN (?), j.campaign_id, NULL)
      AND c.state IN (${sqlStates(TRANSITIONS.begin.from)})`,
    set: BEGUN.map((change) => `c.${change}`),
    values: [[ids], [receiptTimeoutMs * 1000]],
    rows: ids.length,
  };
}

/** The only writer of campaign states: applies `TRANSITIONS` to a campaign and its lanes. */
@Injectable()
export class CampaignStates {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Call before the first batch leaves; sets the receipt deadline. */
  async begin(tx: EntityManager, ids: readonly number[], receiptTimeoutMs: number): Promise<void> {
    const { from } = TRANSITIONS.begin;
    await tx.query(
      `UPDATE campaigns SET ${BEGUN.join(', ')}
       WHERE id IN (?) AND state IN (${sqlStates(from)})`,
      [receiptTimeoutMs * 1000, [...ids].sort((a, b) => a - b)],
    );
  }

  /** Sets `sent_at` when no lane is left. @param ids campaigns that lost a lane */
  async markSent(ids: readonly number[]): Promise<void> {
    await this.dataSource.query(
      again(`UPDATE campaigns SET sent_at = UTC_TIMESTAMP(3) WHERE id IN (?) AND sent_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM campaign_lanes l WHERE l.campaign_id = campaigns.id)`),
      [[...ids].sort((a, b) => a - b)],
    );
  }

  /**
   * Counts final lanes and refunds (by campaign), and completes campaigns with their last lane; other end states stay. Two
   * transactions that end the last two lanes conflict on the row.
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

  /** Campaigns that may still retry. */
  async open(tx: EntityManager, ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const rows: { id: number }[] = await tx.query('SELECT id FROM campaigns WHERE id IN (?) AND state IN (?)', [
      ids,
      TRANSITIONS.complete.from,
    ]);
    return new Set(rows.map((row) => row.id));
  }

  /** Campaigns with unsent recipients, of one maker or all, not locked: the query reads more rows than it returns. */
  async unsentOf(
    tx: EntityManager,
    accountId: number,
    most: number,
    { maker = '', channels = [] as readonly string[] } = {},
  ): Promise<number[]> {
    const over = channels.length > 0 ? 'AND c.channel IN (?)' : '';
    const rows: { id: number }[] = await tx.query(
      `SELECT c.id FROM campaigns c
       WHERE c.account_id = ? AND c.state IN (?) AND COALESCE(c.created_by, '') LIKE ? ${over} AND EXISTS (
         SELECT 1 FROM campaign_lanes l WHERE l.campaign_id = c.id AND l.wake_at IS NOT NULL)
       LIMIT ?`,
      [accountId, TRANSITIONS.pause.from, `${maker}%`, ...(over ? [channels] : []), most],
    );
    return rows.map(({ id }) => id);
  }

  /** Those of these campaigns that can be paused. */
  async unsent(source: EntityManager, ids: readonly number[]): Promise<UnsentCampaign[]> {
    if (ids.length === 0) return [];
    return source.query(
      'SELECT id, request_id AS requestId, channel, state FROM campaigns WHERE id IN (?) AND state IN (?) ORDER BY id',
      [ids, TRANSITIONS.pause.from],
    );
  }

  /** Pauses those that can be. @returns them as before */
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

  async locked(tx: EntityManager, campaignId: number): Promise<CampaignState | null> {
    const rows: { state: CampaignState }[] = await tx.query('SELECT state FROM campaigns WHERE id = ? FOR UPDATE', [
      campaignId,
    ]);
    return rows[0]?.state ?? null;
  }

  /** A change by owner or staff; false = not allowed. Free lanes get a new fence, so that older batches fail to claim. */
  change(tx: EntityManager, campaignId: number, change: CampaignChange): Promise<boolean> {
    return this.move(tx, [campaignId], change);
  }

  /** @param ids several only if locked in an allowed state */
  private async move(tx: EntityManager, ids: readonly number[], change: CampaignChange): Promise<boolean> {
    const transition = TRANSITIONS[change];
    const result: WriteResult = await tx.query(
      `UPDATE campaigns SET state = ${nextState(transition)}${change === 'resume' ? ', late_at = NULL' : ''}
       WHERE id IN (?) AND state IN (?)`,
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

  /** Cancels or pauses a campaign that has not begun in time; false = its state does not allow it, or it has begun. */
  late(campaignId: number, rule: keyof typeof LATE_CHANGE): Promise<boolean> {
    return inTransaction(this.dataSource, async (tx) => {
      const [row] = await tx.query<{ reason: string }[]>(
        `SELECT CONCAT('Not started within ', late_after_s, ' s of its schedule') AS reason FROM campaigns
         WHERE id = ? AND late_at IS NOT NULL AND overdue_check_at IS NULL FOR UPDATE`,
        [campaignId],
      );
      if (!row || !(await this.move(tx, [campaignId], LATE_CHANGE[rule]))) return false;
      await tx.query('UPDATE campaigns SET late_at = NULL, reason = ? WHERE id = ?', [row.reason, campaignId]);
      return true;
    });
  }

  /** Stores the reason of a rejection. */
  async explain(tx: EntityManager, campaignId: number, reason: string): Promise<void> {
    await tx.query('UPDATE campaigns SET reason = ? WHERE id = ?', [reason, campaignId]);
  }

  changeAlone(campaignId: number, change: CampaignChange): Promise<boolean> {
    return inTransaction(this.dataSource, (tx) => this.change(tx, campaignId, change));
  }
}
