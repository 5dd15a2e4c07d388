import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows, type QuotedText } from '../../../platform/database/index.js';
import type { DueRecipient, LastOutcome } from '../attempts.js';
import {
  heldFence,
  inLaneOrder,
  laneKey,
  type LaneKey,
  type LaneSnapshot,
  sqlFirstIndexOf,
  sqlGroupOf,
  sqlRouteAt,
} from '../lanes.js';
import { type RecipientKey, RecipientStatus, SENDER_COLUMN, type SenderRow, termsOf } from '../recipient.js';

/** First fence of a lane that is created again: milliseconds since 2024, hence above any fence of the earlier lane. */
export const NEW_FENCE = "TIMESTAMPDIFF(MICROSECOND, '2024-01-01', UTC_TIMESTAMP(3)) DIV 1000";

export interface NextAttempt {
  campaignId: number;
  seq: number;
  lane: number;
  delayMs: number;
  lastStatus: RecipientStatus | null;
}

interface RetryRow {
  n: number;
  seq: number;
  receiver: string;
  status: RecipientStatus;
  attempt: number;
  made: number;
  last_status: RecipientStatus | null;
  error_code: number | null;
  error_message: string | null;
}

/** Statuses with waiting retries; rows of other statuses are dropped. */
export const RETRIABLE = [RecipientStatus.Pending, RecipientStatus.Retrying];
/** Also unknown outcomes, on routes that drop duplicates. */
const REPEATABLE = [...RETRIABLE, RecipientStatus.Unknown];

export interface PutOff {
  recipient: DueRecipient;
  delayMs: number;
  /** a copy may have been sent, and the route drops duplicates */
  inDoubt?: boolean;
}

const lastOf = (row: RetryRow): LastOutcome | null =>
  row.last_status === null
    ? null
    : { status: row.last_status, errorCode: row.error_code, errorText: row.error_message };

export type FencedLane = Pick<LaneSnapshot, 'campaignId' | 'lane' | 'fence'>;

/**
 * SQL: whether lane `l` has a begun retry, by the last index entry. With `IS NOT NULL`, or a shorter ORDER BY, MySQL reads all
 * waiting retries.
 */
export const HAS_BEGUN_RETRIES = `(SELECT t.intent_fence FROM recipient_retries t FORCE INDEX (ix_recipient_retries_due)
  WHERE t.campaign_id = l.campaign_id AND t.lane = l.lane
  ORDER BY t.campaign_id DESC, t.lane DESC, t.intent_fence DESC, t.due_at DESC LIMIT 1) IS NOT NULL`;

const LANES = `JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]',
  fence BIGINT PATH '$[2]')) j`;
const lanesOf = (lanes: readonly FencedLane[]): QuotedText =>
  jsonRows(lanes.map((lane) => [lane.campaignId, lane.lane, heldFence(lane)]));

/** Begun retries, in order. */
export interface BegunRetries {
  recipients: DueRecipient[];
  /** rows of recipients that need no retry */
  leftOver: RecipientKey[];
}

/** @param ofAny begun under any fence, as a lost worker leaves them @param deduplicated repeat unknown outcomes too */
export async function begunRetries(
  tx: EntityManager,
  lanes: readonly LaneSnapshot[],
  { ofAny = false, deduplicated = false },
): Promise<BegunRetries> {
  const ownSenders = lanes.some((lane) => lane.ownSenders);
  const rows: (RetryRow & SenderRow)[] = await tx.query(
    `SELECT STRAIGHT_JOIN j.n, t.seq, r.receiver, r.status, t.attempt, r.attempts AS made, t.last_status, r.error_code,
       r.error_message${ownSenders ? `, ${SENDER_COLUMN}` : ''}
     FROM ${LANES}
     JOIN recipient_retries t FORCE INDEX (ix_recipient_retries_due) ON t.campaign_id = j.campaign_id AND t.lane = j.lane
       AND t.intent_fence ${ofAny ? 'IS NOT NULL' : '= j.fence'}
     JOIN campaign_recipients r ON r.campaign_id = t.campaign_id AND r.seq = t.seq
     ${ownSenders ? 'LEFT JOIN recipient_terms o ON o.campaign_id = t.campaign_id AND o.seq = t.seq' : ''}
     ORDER BY t.campaign_id, t.seq`,
    [lanesOf(lanes)],
  );
  const begun: BegunRetries = { recipients: [], leftOver: [] };
  for (const row of rows) {
    const lane = lanes[row.n - 1] as LaneSnapshot;
    if (!(deduplicated ? REPEATABLE : RETRIABLE).includes(row.status)) {
      begun.leftOver.push({ campaignId: lane.campaignId, seq: row.seq });
      continue;
    }
    const inDoubt = row.status === RecipientStatus.Unknown;
    begun.recipients.push({
      lane,
      seq: row.seq,
      number: row.receiver,
      ...termsOf(row, lane.sender),
      attempt: row.attempt,
      // A copy under the same reference belongs to the same attempt.
      made: inDoubt ? row.made - 1 : row.made,
      last: lastOf(row),
      ...(inDoubt && { inDoubt }),
    });
  }
  return begun;
}

/** Marks due retries with the claim's fence as intent. @param most of a single lane @param beforeDue also later ones */
export async function beginRetries(
  tx: EntityManager,
  lanes: readonly LaneSnapshot[],
  { most, beforeDue }: { most: number; beforeDue: boolean },
): Promise<void> {
  const isDue = (due: string): string => (beforeDue ? '' : `AND ${due} <= UTC_TIMESTAMP(3)`);
  const [lane] = lanes;
  if (lane && lanes.length === 1) {
    await tx.query(
      // selected separately: otherwise both servers sort all due rows, as the update changes the index
      `UPDATE (SELECT campaign_id, seq FROM recipient_retries FORCE INDEX (ix_recipient_retries_due)
         WHERE campaign_id = ? AND lane = ? AND intent_fence IS NULL ${isDue('due_at')}
         ORDER BY due_at, seq LIMIT ?) j
       STRAIGHT_JOIN recipient_retries t FORCE INDEX (PRIMARY) ON t.campaign_id = j.campaign_id AND t.seq = j.seq
       SET t.intent_fence = ?`,
      [lane.campaignId, lane.lane, most, heldFence(lane)],
    );
    return;
  }
  await tx.query(
    `UPDATE ${LANES} STRAIGHT_JOIN recipient_retries t FORCE INDEX (ix_recipient_retries_due) ON t.campaign_id = j.campaign_id AND t.lane = j.lane
       AND t.intent_fence IS NULL ${isDue('t.due_at')} SET t.intent_fence = j.fence`,
    [lanesOf(lanes)],
  );
}

export async function dropRetries(tx: EntityManager, recipients: readonly RecipientKey[]): Promise<void> {
  if (recipients.length === 0) return;
  await tx.query(
    `DELETE t FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
     STRAIGHT_JOIN recipient_retries t FORCE INDEX (PRIMARY) ON t.campaign_id = j.campaign_id AND t.seq = j.seq`,
    [jsonRows(recipients.map(({ campaignId, seq }) => [campaignId, seq]))],
  );
}

export async function dropRetriesOf(tx: EntityManager, lanes: readonly LaneSnapshot[]): Promise<void> {
  await tx.query(
    `DELETE t FROM ${LANES} STRAIGHT_JOIN recipient_retries t FORCE INDEX (ix_recipient_retries_due) ON t.campaign_id = j.campaign_id AND t.lane = j.lane`,
    [lanesOf(lanes)],
  );
}

/** Drops retries with a possible copy at the carrier, except those of open batches. */
export async function dropInDoubtOf(tx: EntityManager, lanes: readonly FencedLane[]): Promise<void> {
  await tx.query(
    `DELETE t FROM ${LANES}
     STRAIGHT_JOIN recipient_retries t FORCE INDEX (ix_recipient_retries_due) ON t.campaign_id = j.campaign_id AND t.lane = j.lane
       AND t.intent_fence IS NULL
     STRAIGHT_JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = t.campaign_id AND r.seq = t.seq
       AND r.status = ${RecipientStatus.Unknown}`,
    [lanesOf(lanes)],
  );
}

/** Sends planned for later: temporary faults, and further attempts. */
@Injectable()
export class RetryStore {
  /** Postpones sends of waiting recipients while the claim is held; otherwise another worker decides. */
  async putOff(tx: EntityManager, retries: readonly PutOff[]): Promise<void> {
    if (retries.length === 0) return;
    await tx.query(
      `INSERT INTO recipient_retries (campaign_id, seq, lane, due_at, attempt, intent_fence)
       SELECT STRAIGHT_JOIN j.campaign_id, j.seq, j.lane, UTC_TIMESTAMP(3) + INTERVAL j.delay_ms * 1000 MICROSECOND, j.attempt, NULL
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', lane INT PATH '$[2]',
         fence BIGINT PATH '$[3]', attempt INT PATH '$[4]', delay_ms BIGINT PATH '$[5]', in_doubt INT PATH '$[6]')) j
       JOIN campaign_lanes l ON l.campaign_id = j.campaign_id AND l.lane = j.lane AND l.fence = j.fence
       JOIN campaign_recipients r ON r.campaign_id = j.campaign_id AND r.seq = j.seq
         AND (r.status IN (?) OR r.status = ${RecipientStatus.Unknown} AND j.in_doubt = 1)
       ON DUPLICATE KEY UPDATE due_at = VALUES(due_at), attempt = VALUES(attempt), intent_fence = NULL`,
      [
        jsonRows(
          retries.map(({ recipient: { lane, seq, attempt }, delayMs, inDoubt = false }) => [
            ...[lane.campaignId, seq, lane.lane, heldFence(lane)],
            ...[attempt, Math.round(delayMs), inDoubt ? 1 : 0],
          ]),
        ),
        RETRIABLE,
      ],
    );
  }

  /** Plans attempts and wakes their lanes, or creates these again (`NEW_FENCE`). The campaign's state does not matter here. */
  async plan(tx: EntityManager, attempts: readonly NextAttempt[]): Promise<void> {
    if (attempts.length === 0) return;
    const lanes = new Map<string, NextAttempt>();
    for (const attempt of attempts) {
      const known = lanes.get(laneKey(attempt));
      if (!known || attempt.delayMs < known.delayMs) lanes.set(laneKey(attempt), attempt);
    }
    // Lock order: lanes before retries. The settlement of a new lane ends it, or sets the end of its validity.
    await tx.query(
      `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, single, next_seq, intent_seq, end_seq,
         fence, wake_at, settle_at)
       SELECT STRAIGHT_JOIN c.id, j.lane, c.channel, COALESCE(${sqlRouteAt('k.route_ids', 'j.lane')}, o.route_id, c.route_id), c.account_id, c.total_rows = 1,
         c.total_rows + 1, c.total_rows + 1, c.total_rows + 1, ${NEW_FENCE},
         UTC_TIMESTAMP(3) + INTERVAL j.delay_ms * 1000 MICROSECOND, UTC_TIMESTAMP(3)
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]', seq INT PATH '$[2]',
         delay_ms BIGINT PATH '$[3]')) j
       JOIN campaigns c ON c.id = j.campaign_id
       LEFT JOIN recipient_terms o ON o.campaign_id = j.campaign_id AND o.seq = j.seq
       LEFT JOIN campaign_routes k ON k.campaign_id = j.campaign_id AND k.lane_group = ${sqlGroupOf('j.lane')}
         AND ${sqlFirstIndexOf('j.lane')} > 0
       ON DUPLICATE KEY UPDATE wake_at = LEAST(COALESCE(campaign_lanes.wake_at, VALUES(wake_at)), VALUES(wake_at))`,
      [
        jsonRows(
          [...lanes.values()].sort(inLaneOrder).map((a) => [a.campaignId, a.lane, a.seq, Math.round(a.delayMs)]),
        ),
      ],
    );
    await tx.query(
      `INSERT INTO recipient_retries (campaign_id, seq, lane, due_at, attempt, intent_fence, last_status)
       SELECT j.campaign_id, j.seq, j.lane, UTC_TIMESTAMP(3) + INTERVAL j.delay_ms * 1000 MICROSECOND, 1, NULL, j.last_status
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', lane INT PATH '$[2]',
         delay_ms BIGINT PATH '$[3]', last_status INT PATH '$[4]')) j
       ON DUPLICATE KEY UPDATE due_at = VALUES(due_at), attempt = 1, intent_fence = NULL, last_status = VALUES(last_status)`,
      [jsonRows(attempts.map((a) => [a.campaignId, a.seq, a.lane, Math.round(a.delayMs), a.lastStatus]))],
    );
  }

  /** Drops begun retries that were not postponed. @param ofAny begun under any fence */
  async dropBegun(tx: EntityManager, lanes: readonly LaneSnapshot[], ofAny = false): Promise<void> {
    if (lanes.length === 0) return;
    await tx.query(
      `DELETE t FROM ${LANES} STRAIGHT_JOIN recipient_retries t FORCE INDEX (ix_recipient_retries_due) ON t.campaign_id = j.campaign_id AND t.lane = j.lane
         AND t.intent_fence ${ofAny ? 'IS NOT NULL' : '= j.fence'}`,
      [lanesOf(lanes)],
    );
  }

  drop(tx: EntityManager, recipients: readonly RecipientKey[]): Promise<void> {
    return dropRetries(tx, recipients);
  }

  /** Waiting retries of a lane, with the outcome that is final if they are not made. */
  async waiting(
    tx: EntityManager,
    { campaignId, lane }: LaneKey,
    limit: number,
  ): Promise<{ seq: number; last: LastOutcome | null }[]> {
    const rows: RetryRow[] = await tx.query(
      `SELECT t.seq, t.last_status, r.error_code, r.error_message FROM recipient_retries t
       JOIN campaign_recipients r ON r.campaign_id = t.campaign_id AND r.seq = t.seq
       WHERE t.campaign_id = ? AND t.lane = ? ORDER BY t.seq LIMIT ?`,
      [campaignId, lane, limit],
    );
    return rows.map((row) => ({ seq: row.seq, last: lastOf(row) }));
  }
}
