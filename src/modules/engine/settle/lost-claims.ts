import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, jsonRows } from '../../../platform/database/index.js';
import type { DueRecipient } from '../attempts.js';
import { heldFence, laneOf, type LaneSnapshot } from '../lanes.js';
import { inLockOrder, RecipientStatus } from '../recipient.js';
import { OWN_KIND, variablesOf } from '../state/own-variables.js';
import { HAS_BEGUN_RETRIES, RetryStore } from '../state/retries.js';
import { type SpendingRecipient, BatchSpend } from './batch-spend.js';
import type { RecipientChange, RecipientMove } from './recipient-change.js';
import { Settlement } from './settlement.js';

interface ClaimedRecipient {
  lane: Pick<LaneSnapshot, 'campaignId' | 'lane' | 'fence'>;
  seq: number;
}

/** Rows in lock order. */
const byKey = (recipients: readonly ClaimedRecipient[]): [campaignId: number, seq: number][] =>
  recipients
    .map(({ lane: { campaignId }, seq }) => ({ campaignId, seq }))
    .sort(inLockOrder)
    .map(({ campaignId, seq }) => [campaignId, seq]);

const KEYS = `JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j`;

/** Marks recipients as unknown: listed for receipts until the deadline, flagged permanently. @param lost see `takeBack` */
export async function markUnknown(tx: EntityManager, recipients: readonly DueRecipient[], lost = false): Promise<void> {
  if (recipients.length === 0) return;
  await tx.query(
    `UPDATE ${KEYS} STRAIGHT_JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = j.campaign_id AND r.seq = j.seq
     SET r.outcome_unknown = 1`,
    [jsonRows(byKey(recipients))],
  );
  await tx.query(
    `INSERT IGNORE INTO unknown_outcomes (campaign_id, seq, route_id, receiver, created_at, lost_fence, lost_claim, lost_lane)
     SELECT j.campaign_id, j.seq, j.route_id, j.receiver, UTC_TIMESTAMP(3), j.lost_fence, j.lost_claim, j.lost_lane FROM JSON_TABLE(?, '$[*]' COLUMNS (
       campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', route_id INT PATH '$[2]',
       receiver VARCHAR(32) CHARACTER SET ascii PATH '$[3]', lost_fence BIGINT PATH '$[4]',
       lost_claim BIGINT PATH '$[5]', lost_lane INT PATH '$[6]')) j`,
    [
      jsonRows(
        recipients.map(({ lane, seq, number }) => [
          lane.campaignId,
          seq,
          lane.routeId,
          number,
          lost ? lane.fence : null,
          lost ? lane.claimId : null,
          lost ? lane.lane : null,
        ]),
      ),
    ],
  );
}

/**
 * A worker cut off past its lease counts as dead. What it reports as never sent becomes pending again, unless a second copy may
 * have been sent.
 */
export async function takeBack(
  tx: EntityManager,
  settlement: Settlement,
  retries: RetryStore,
  recipients: readonly ClaimedRecipient[],
): Promise<RecipientMove[]> {
  if (recipients.length === 0) return [];
  const lanes = new Map<string, ClaimedRecipient['lane']>();
  for (const { lane, seq } of recipients) lanes.set(`${lane.campaignId} ${seq}`, lane);
  const lost: { campaignId: number; seq: number }[] = await tx.query(
    `SELECT STRAIGHT_JOIN u.campaign_id AS campaignId, u.seq FROM JSON_TABLE(?, '$[*]' COLUMNS (
       campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', fence BIGINT PATH '$[2]')) j
     JOIN unknown_outcomes u ON u.campaign_id = j.campaign_id AND u.seq = j.seq AND u.lost_fence = j.fence`,
    [jsonRows(recipients.map(({ lane, seq }) => [lane.campaignId, seq, heldFence(lane)]))],
  );
  const changes = lost.map(({ campaignId, seq }): RecipientChange => ({
    ...{ campaignId, seq, to: RecipientStatus.Pending, takenBack: true },
    ...{ errorCode: null, errorText: null, refund: false, attempted: true },
  }));
  const back = await settlement.settle(tx, changes);
  if (back.length === 0) return [];
  const own = jsonRows(back.map(({ campaignId, seq }) => [campaignId, seq]));
  await tx.query(
    `UPDATE ${KEYS} STRAIGHT_JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = j.campaign_id AND r.seq = j.seq SET r.outcome_unknown = 0`,
    [own],
  );
  await tx.query(
    `DELETE u FROM ${KEYS} STRAIGHT_JOIN unknown_outcomes u FORCE INDEX (PRIMARY) ON u.campaign_id = j.campaign_id AND u.seq = j.seq`,
    [own],
  );
  await retries.plan(
    tx,
    back.map(({ campaignId, seq }) => ({
      ...{ campaignId, seq, lane: lanes.get(`${campaignId} ${seq}`)?.lane ?? 0 },
      ...{ delayMs: 0, lastStatus: null },
    })),
  );
  return back;
}

/** A claim of a dead worker with its submit log. */
export interface LostClaim {
  id: number;
  lanes: readonly { campaignId: number; lane: number; fence: number }[];
  mayHaveLeft: (campaignId: number, seq: number) => boolean;
}

export type ClaimStanding =
  /** lease not over, or not yet recovered */
  | 'held'
  /** not found; a write in flight when the worker died may still arrive */
  | 'unmade'
  | 'recovered';

interface LostRow {
  campaign_id: number;
  seq: number;
  lost_fence: number;
  total_rows: number;
  lane_group: number;
  lost_lane: number | null;
  route_id: number;
  receiver: string;
  account_id: number;
  channel: string;
  content: string;
  own_kinds: number;
}

const RECIPIENTS_A_STEP = 500;

/** Recipients of killed workers' claims, once their batches are recovered. */
@Injectable()
export class LostClaims {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly settlement: Settlement,
    private readonly retries: RetryStore,
    private readonly spend: BatchSpend,
  ) {}

  async standing({ id, lanes }: LostClaim): Promise<ClaimStanding> {
    const [row] = await this.dataSource.query<{ held: string | null; unmade: string | null }[]>(
      `SELECT STRAIGHT_JOIN SUM(l.fence = j.fence AND l.claim_id = ?) AS held, SUM(l.fence < j.fence) AS unmade
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]', fence BIGINT PATH '$[2]')) j
       JOIN campaign_lanes l ON l.campaign_id = j.campaign_id AND l.lane = j.lane
         AND (l.fence < j.fence OR l.intent_seq > l.next_seq OR ${HAS_BEGUN_RETRIES})
       LIMIT 1`,
      [id, jsonRows(lanes.map(({ campaignId, lane, fence }) => [campaignId, lane, fence]))],
    );
    if (Number(row?.held) > 0) return 'held';
    return Number(row?.unmade) > 0 ? 'unmade' : 'recovered';
  }

  /**
   * Retries recipients that are unknown only by this claim and were never sent; idempotent. Further call attempts stay unknown,
   * since their wait would need its last outcome. @returns how many
   */
  async takeBack({ id, lanes, mayHaveLeft }: LostClaim): Promise<number> {
    let count = 0;
    for (const campaignId of new Set(lanes.map((lane) => lane.campaignId))) {
      for (let after = 0; ;) {
        const rows = await this.lost(campaignId, id, after);
        const recipients = rows
          .filter(({ seq }) => !mayHaveLeft(campaignId, seq))
          .map((row): ClaimedRecipient => {
            const lane = row.lost_lane ?? laneOf(row.total_rows, row.seq, row.lane_group);
            return { lane: { campaignId, lane, fence: row.lost_fence - 1 }, seq: row.seq };
          });
        const spending = await this.spending(rows);
        await this.spend.counting(
          spending.map(({ lane }) => lane),
          (counted) =>
            inTransaction(this.dataSource, async (tx) => {
              const back = await takeBack(tx, this.settlement, this.retries, recipients);
              await counted(tx, back, () => spending);
            }),
        );
        count += recipients.length;
        const last = rows.at(-1);
        if (!last || rows.length < RECIPIENTS_A_STEP) break;
        after = last.seq;
      }
    }
    return count;
  }

  private lost(campaignId: number, claimId: number, after: number): Promise<LostRow[]> {
    return this.dataSource.query(
      `SELECT u.campaign_id, u.seq, u.lost_fence, u.lost_lane, c.total_rows, COALESCE(o.lane_group, 0) AS lane_group,
         u.route_id, u.receiver, c.account_id, c.channel, c.content, c.own_kinds
       FROM unknown_outcomes u JOIN campaigns c ON c.id = u.campaign_id
       LEFT JOIN recipient_terms o ON o.campaign_id = u.campaign_id AND o.seq = u.seq
       WHERE u.campaign_id = ? AND u.seq > ? AND u.lost_claim = ?
         AND NOT EXISTS (SELECT 1 FROM provider_messages m WHERE m.campaign_id = u.campaign_id AND m.seq = u.seq)
       ORDER BY u.seq LIMIT ${RECIPIENTS_A_STEP}`,
      [campaignId, after, claimId],
    );
  }

  private async spending(rows: readonly LostRow[]): Promise<SpendingRecipient[]> {
    const own = rows.filter((row) => row.own_kinds & OWN_KIND.variables);
    const variablesAt = await variablesOf(
      this.dataSource,
      own.map(({ campaign_id: campaignId, seq }) => ({ campaignId, seq })),
    );
    return rows.map((row): SpendingRecipient => {
      const { campaign_id: campaignId, account_id: accountId, route_id: routeId, channel, seq } = row;
      const content = JSON.parse(row.content) as Record<string, unknown>;
      const variables = variablesAt({ campaignId, seq });
      const recipient = { lane: { campaignId, routeId, accountId, channel, content }, seq, number: row.receiver };
      return variables ? { ...recipient, variables } : recipient;
    });
  }
}
