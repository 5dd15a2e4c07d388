import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import type { LaneJob } from '../../../platform/queues/index.js';
import type { DueRecipient, LastOutcome } from './attempts.js';
import { RecipientStatus } from '../state/recipient-status.js';

/** Another attempt, because the one before it was in vain. */
export interface NextAttempt {
  campaignId: number;
  seq: number;
  lane: number;
  delayMs: number;
  /** how the attempt before ended; null = there was none */
  lastStatus: RecipientStatus | null;
}

type LaneKey = Pick<LaneJob, 'campaignId' | 'lane'>;

interface RetryRow {
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
const RETRIABLE = [RecipientStatus.Pending, RecipientStatus.Retrying];
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

/**
 * Retries of a lane that a turn has begun, in order.
 * @param fence of that turn; null = of any, as a lost worker leaves them
 * @param deduplicated whether those of unknown outcome may be sent again
 */
export async function begunRetries(
  tx: EntityManager,
  { campaignId, lane }: LaneKey,
  fence: number | null,
  deduplicated: boolean,
): Promise<DueRecipient[]> {
  const rows: RetryRow[] = await tx.query(
    `SELECT t.seq, r.receiver, r.status, t.attempt, r.attempts AS made, t.last_status, r.error_code, r.error_message
     FROM recipient_retries t JOIN campaign_recipients r ON r.campaign_id = t.campaign_id AND r.seq = t.seq
     WHERE t.campaign_id = ? AND t.lane = ? AND t.intent_fence ${fence === null ? 'IS NOT NULL' : '= ?'}
       AND r.status IN (?) ORDER BY t.seq`,
    [campaignId, lane, ...(fence === null ? [] : [fence]), deduplicated ? REPEATABLE : RETRIABLE],
  );
  return rows.map((row) => {
    const inDoubt = row.status === RecipientStatus.Unknown;
    return {
      seq: row.seq,
      number: row.receiver,
      attempt: row.attempt,
      // A second copy under the same reference is the same attempt.
      made: inDoubt ? row.made - 1 : row.made,
      last: lastOf(row),
      ...(inDoubt && { inDoubt }),
    };
  });
}

/** Drops the begun retries of a lane whose recipients need none any more. @param still those that do */
export async function dropLeftOver(
  tx: EntityManager,
  { campaignId, lane }: LaneKey,
  still: readonly DueRecipient[],
): Promise<void> {
  await tx.query(
    `DELETE FROM recipient_retries WHERE campaign_id = ? AND lane = ? AND intent_fence IS NOT NULL
     ${still.length > 0 ? 'AND seq NOT IN (?)' : ''}`,
    [campaignId, lane, ...(still.length > 0 ? [still.map(({ seq }) => seq)] : [])],
  );
}

/** What shall be sent later: temporary faults of the carrier, and further attempts of channels that make some. */
@Injectable()
export class RetryStore {
  /**
   * Puts off sends of a turn. Only for recipients that still wait, and only while the turn holds its lane: another worker
   * has decided on them else.
   * @param fence the turn's own
   */
  async putOff(
    tx: EntityManager,
    { campaignId, lane }: LaneKey,
    fence: number,
    retries: readonly PutOff[],
  ): Promise<void> {
    if (retries.length === 0) return;
    await tx.query(
      `INSERT INTO recipient_retries (campaign_id, seq, lane, due_at, attempt, intent_fence)
       SELECT ?, j.seq, ?, UTC_TIMESTAMP(3) + INTERVAL j.delay_ms * 1000 MICROSECOND, j.attempt, NULL
       FROM JSON_TABLE(?, '$[*]' COLUMNS (seq INT PATH '$[0]', attempt INT PATH '$[1]', delay_ms BIGINT PATH '$[2]',
         in_doubt INT PATH '$[3]')) j
       JOIN campaign_recipients r ON r.campaign_id = ? AND r.seq = j.seq
         AND (r.status IN (?) OR r.status = ${RecipientStatus.Unknown} AND j.in_doubt = 1)
       JOIN campaign_lanes l ON l.campaign_id = ? AND l.lane = ? AND l.fence = ?
       ON DUPLICATE KEY UPDATE due_at = VALUES(due_at), attempt = VALUES(attempt), intent_fence = NULL`,
      [
        campaignId,
        lane,
        jsonRows(
          retries.map(({ recipient, delayMs, inDoubt = false }) => [
            recipient.seq,
            recipient.attempt,
            Math.round(delayMs),
            inDoubt ? 1 : 0,
          ]),
        ),
        campaignId,
        RETRIABLE,
        campaignId,
        lane,
        fence,
      ],
    );
  }

  /** Plans further attempts and wakes their lanes for them; whatever state the campaign is in, the lane's next turn judges it. */
  async plan(tx: EntityManager, attempts: readonly NextAttempt[]): Promise<void> {
    if (attempts.length === 0) return;
    const lanes = new Map<string, [campaignId: number, lane: number, delayMs: number]>();
    for (const { campaignId, lane, delayMs } of attempts) {
      const known = lanes.get(`${campaignId} ${lane}`);
      if (!known || delayMs < known[2]) lanes.set(`${campaignId} ${lane}`, [campaignId, lane, delayMs]);
    }
    // Lanes before retries, as a turn takes them.
    await tx.query(
      `UPDATE campaign_lanes l JOIN JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]', delay_ms BIGINT PATH '$[2]')) j
       ON l.campaign_id = j.campaign_id AND l.lane = j.lane
       SET l.wake_at = LEAST(COALESCE(l.wake_at, UTC_TIMESTAMP(3) + INTERVAL j.delay_ms * 1000 MICROSECOND),
         UTC_TIMESTAMP(3) + INTERVAL j.delay_ms * 1000 MICROSECOND)`,
      [jsonRows([...lanes.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]))],
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
   * @param fence of the turn that began them; null = of any
   */
  async dropBegun(tx: EntityManager, { campaignId, lane }: LaneKey, fence: number | null): Promise<void> {
    await tx.query(
      `DELETE FROM recipient_retries WHERE campaign_id = ? AND lane = ?
         AND intent_fence ${fence === null ? 'IS NOT NULL' : '= ?'}`,
      [campaignId, lane, ...(fence === null ? [] : [fence])],
    );
  }

  async drop(tx: EntityManager, campaignId: number, seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return;
    await tx.query('DELETE FROM recipient_retries WHERE campaign_id = ? AND seq IN (?)', [campaignId, seqs]);
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
