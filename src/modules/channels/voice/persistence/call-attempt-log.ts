import { jsonRows } from '../../../../platform/database/index.js';
import { type AttemptLog, type EndedAttempt, RecipientStatus } from '../../../engine/index.js';

const LONGEST_TEXT = 255;
const INT_MAX = 2_147_483_647;

/** What the engine knows of calls: begun, and over. The network's own requests may come first. */
export const callAttemptLog: AttemptLog = {
  async began(tx, attempts) {
    await tx.query(
      `INSERT INTO voice_calls (campaign_id, seq, call_id, attempt, status, seconds, digits, started_at)
       SELECT j.campaign_id, j.seq, j.call_id, j.attempt, ${RecipientStatus.Submitted}, 0, '', UTC_TIMESTAMP(3)
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]',
         call_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]', attempt INT PATH '$[3]')) j
       ON DUPLICATE KEY UPDATE attempt = VALUES(attempt)`,
      [jsonRows(attempts.map((a) => [a.campaignId, a.seq, a.providerMessageId, a.attempt]))],
    );
  },

  async ended(tx, attempts) {
    await tx.query(
      `INSERT INTO voice_calls (campaign_id, seq, call_id, attempt, status, error_code, error_message, seconds, digits,
         started_at, ended_at)
       SELECT j.campaign_id, j.seq, j.call_id, j.attempt, j.status, j.error_code, j.error_message, j.seconds, '',
         UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]',
         call_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]', attempt INT PATH '$[3]',
         status INT PATH '$[4]', error_code INT PATH '$[5]',
         error_message VARCHAR(255) CHARACTER SET utf8mb4 PATH '$[6]', seconds INT PATH '$[7]')) j
       ON DUPLICATE KEY UPDATE ended_at = COALESCE(voice_calls.ended_at, VALUES(ended_at)),
         ${['error_code', 'error_message', 'seconds', 'status'].map(firstReport).join(', ')}`,
      [jsonRows(attempts.map(toRow))],
    );
  },
};

/** The first report stands: a column is written while the call counts as under way. `status` must be the last of them. */
const firstReport = (column: string): string =>
  `${column} = IF(voice_calls.status = ${RecipientStatus.Submitted}, VALUES(${column}), voice_calls.${column})`;

const toRow = (attempt: EndedAttempt): unknown[] => [
  attempt.campaignId,
  attempt.seq,
  attempt.providerMessageId,
  attempt.attempt,
  attempt.status,
  attempt.errorCode !== null && Math.abs(attempt.errorCode) <= INT_MAX ? Math.trunc(attempt.errorCode) : null,
  attempt.errorText?.slice(0, LONGEST_TEXT) ?? null,
  attempt.durationSeconds,
];
