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

/**
 * A lane's first fence is 0; one that is made again takes the milliseconds since then. No lane is claimed so often, so it is
 * higher than any that a worker of the lane before may still hold.
 */
export const NEW_FENCE = "TIMESTAMPDIFF(MICROSECOND, '2024-01-01', UTC_TIMESTAMP(3)) DIV 1000";

/** Another attempt, because the one before it was in vain. */
export interface NextAttempt {
  campaignId: number;
  seq: number;
  lane: number;
  delayMs: number;
  /** how the attempt before ended; null = there was none */
  lastStatus: RecipientStatus | null;
}

interface RetryRow {
  /** of the turn that is asked for */
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

/** Statuses of recipients for which a retry may wait on every route; a row of any other is left over and goes with its turn. */
export const RETRIABLE = [RecipientStatus.Pending, RecipientStatus.Retrying];
/** On a route that drops a second message with the same reference, those of unknown outcome besides. */
const REPEATABLE = [...RETRIABLE, RecipientStatus.Unknown];

/** A send that is put off. */
export interface PutOff {
  recipient: DueRecipient;
  delayMs: number;
  /** a copy of it may have left, and the route drops a second one */
  inDoubt?: boolean;
}

const lastOf = (row: RetryRow): LastOutcome | null =>
  row.last_status === null
    ? null
    : { status: row.last_status, errorCode: row.error_code, errorText: row.error_message };

/** A lane, and the fence under which it was read. */
export type FencedLane = Pick<LaneSnapshot, 'campaignId' | 'lane' | 'fence'>;

/**
 * SQL: whether a retry of lane `l` was begun. The last entry of the index tells, however many wait: NULL comes first. For
 * `IS NOT NULL`, and where the order does not name each column of the index, MySQL reads all that wait.
 */
export const HAS_BEGUN_RETRIES = `(SELECT t.intent_fence FROM recipient_retries t FORCE INDEX (ix_recipient_retries_due)
  WHERE t.campaign_id = l.campaign_id AND t.lane = l.lane
  ORDER BY t.campaign_id DESC, t.lane DESC, t.intent_fence DESC, t.due_at DESC LIMIT 1) IS NOT NULL`;

/** Lanes of turns, with a fence where one is asked for. */
const LANES = `JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]',
  fence BIGINT PATH '$[2]')) j`;
const lanesOf = (lanes: readonly FencedLane[]): QuotedText =>
  jsonRows(lanes.map((lane) => [lane.campaignId, lane.lane, heldFence(lane)]));

/** Retries of these turns that are begun, in order. */
export interface BegunRetries {
  recipients: DueRecipient[];
  /** rows whose recipients need none any more */
  leftOver: RecipientKey[];
}

/**
 * @param ofAny begun by whichever turn, as a lost worker leaves them; else by the turns' own claims
 * @param deduplicated whether those of unknown outcome may be sent again
 */
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
      // A second copy under the same reference is the same attempt.
      made: inDoubt ? row.made - 1 : row.made,
      last: lastOf(row),
      ...(inDoubt && { inDoubt }),
    });
  }
  return begun;
}

/**
 * Gives retries that are due the fence of the claim that begins them, as the recorded intent.
 * @param most of one turn; several turns begin all of theirs
 * @param beforeDue also those whose moment comes later: nothing of the lanes leaves any more
 */
export async function beginRetries(
  tx: EntityManager,
  lanes: readonly LaneSnapshot[],
  { most, beforeDue }: { most: number; beforeDue: boolean },
): Promise<void> {
  const isDue = (due: string): string => (beforeDue ? '' : `AND ${due} <= UTC_TIMESTAMP(3)`);
  const [lane] = lanes;
  if (lane && lanes.length === 1) {
    await tx.query(
      // chosen apart from the write: both servers sort all that are due for an order by an index that the write changes
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

/** Retries of lanes that are over. */
export async function dropRetriesOf(tx: EntityManager, lanes: readonly LaneSnapshot[]): Promise<void> {
  await tx.query(
    `DELETE t FROM ${LANES} STRAIGHT_JOIN recipient_retries t FORCE INDEX (ix_recipient_retries_due) ON t.campaign_id = j.campaign_id AND t.lane = j.lane`,
    [lanesOf(lanes)],
  );
}

/** Retries of lanes of which a copy may have left already; none of a window under way. */
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

/** What shall be sent later: temporary faults of the carrier, and further attempts of channels that make some. */
@Injectable()
export class RetryStore {
  /**
   * Puts off sends of turns. Only for recipients that still wait, and only while the turn holds its lane: another worker
   * has decided on them else.
   */
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

  /**
   * Plans further attempts and wakes their lanes for them, or makes those again that were done: under a fence made of the
   * clock, which is higher than any before. Whatever state the campaign is in, the lane's next turn judges it.
   */
  async plan(tx: EntityManager, attempts: readonly NextAttempt[]): Promise<void> {
    if (attempts.length === 0) return;
    const lanes = new Map<string, NextAttempt>();
    for (const attempt of attempts) {
      const known = lanes.get(laneKey(attempt));
      if (!known || attempt.delayMs < known.delayMs) lanes.set(laneKey(attempt), attempt);
    }
    // Lanes before retries, as a turn takes them. The settlement of a new lane ends it, or notes when its validity does.
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

  /**
   * Begun retries that were not put off meanwhile: they are made, or their recipients need none any more.
   * @param ofAny begun by whichever turn; else by the turns' own claims
   */
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

  /** The first retries of a lane, due or not, with the outcome that stands if they are never made. */
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
