import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import { AttemptReader, type Channel, RecipientStatus } from '../../engine/index.js';
import type { CallStep } from '../../providers/index.js';
import { type CallPosition, START } from './calls/menu-machine.js';

type AttemptLog = NonNullable<Channel['attemptLog']>;
type EndedAttempt = Parameters<AttemptLog['ended']>[1][number];

export interface VoiceCall {
  seq: number;
  attempt: number;
  callId: string;
  status: RecipientStatus;
  errorCode: number | null;
  errorMessage: string | null;
  /** seconds from the answer to the end; 0 = unanswered */
  seconds: number;
  /** keys pressed, in order; '' = none */
  digits: string;
  recordingUrls: string[];
  startedAt: Date;
  answeredAt: Date | null;
  endedAt: Date | null;
}

interface CallRow {
  seq: number;
  attempt: number;
  call_id: string;
  status: RecipientStatus;
  error_code: number | null;
  error_message: string | null;
  seconds: number;
  digits: string;
  recording_urls: string | null;
  started_at: Date;
  answered_at: Date | null;
  ended_at: Date | null;
}

const COLUMNS = `seq, attempt, call_id, status, error_code, error_message, seconds, digits, recording_urls,
  started_at, answered_at, ended_at`;

/** A call without a menu sends no questions: its answer time follows from its end and duration. */
function answeredAt({ answered_at: at, ended_at: end, status, seconds }: CallRow): Date | null {
  if (at || !end || status !== RecipientStatus.Answered) return at;
  return new Date(end.getTime() - seconds * 1_000);
}

const toCall = (row: CallRow): VoiceCall => ({
  seq: row.seq,
  attempt: row.attempt,
  callId: row.call_id,
  status: row.status,
  errorCode: row.error_code,
  errorMessage: row.error_message,
  seconds: row.seconds,
  digits: row.digits,
  recordingUrls: row.recording_urls === null ? [] : (JSON.parse(row.recording_urls) as string[]),
  startedAt: row.started_at,
  answeredAt: answeredAt(row),
  endedAt: row.ended_at,
});

/** Reads the calls of voice campaigns without locks. */
@Injectable()
export class VoiceCalls {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async of(campaignId: number, seqs: readonly number[]): Promise<VoiceCall[]> {
    if (seqs.length === 0) return [];
    const rows: CallRow[] = await this.dataSource.query(
      `SELECT ${COLUMNS} FROM voice_calls WHERE campaign_id = ? AND seq IN (?) ORDER BY seq, attempt, started_at, call_id`,
      [campaignId, seqs],
    );
    return rows.map(toCall);
  }
}

const LONGEST_TEXT = 255;
const INT_MAX = 2_147_483_647;

/** Stores the engine's events of calls: begun and ended. The carrier's questions may arrive first. */
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

/** The first report wins: a column changes only while the call is under way. Set `status` last. */
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

export interface CallKey {
  campaignId: number;
  seq: number;
  callId: string;
}

export interface LiveCall {
  position: CallPosition;
  answers: CallStep[];
  digits: string;
  recordingUrls: string[];
}

interface LiveCallRow {
  position: string | null;
  answers: string | null;
  digits: string;
  recording_urls: string | null;
}

/** Answered calls; a row lock keeps two instances from answering at once. */
@Injectable()
export class LiveCalls {
  constructor(private readonly attempts: AttemptReader) {}

  /** The locked call, inserted when the carrier asks before the send is written. @returns null = no such recipient */
  async lock(tx: EntityManager, key: CallKey): Promise<LiveCall | null> {
    const known = await this.find(tx, key);
    if (known) return known;
    const { campaignId, seq, callId } = key;
    const attempt = await this.attempts.numberOf(tx, campaignId, seq, callId);
    if (attempt === null) return null;
    await tx.query(
      `INSERT IGNORE INTO voice_calls (campaign_id, seq, call_id, attempt, status, seconds, digits, started_at)
       VALUES (?, ?, ?, ?, ${RecipientStatus.Submitted}, 0, '', UTC_TIMESTAMP(3))`,
      [campaignId, seq, callId, attempt],
    );
    return this.find(tx, key);
  }

  async save(tx: EntityManager, { campaignId, seq, callId }: CallKey, call: LiveCall): Promise<void> {
    await tx.query(
      `UPDATE voice_calls SET position = ?, answers = ?, digits = ?, recording_urls = ?,
         answered_at = COALESCE(answered_at, UTC_TIMESTAMP(3)) WHERE campaign_id = ? AND seq = ? AND call_id = ?`,
      [
        JSON.stringify(call.position),
        JSON.stringify(call.answers),
        call.digits,
        call.recordingUrls.length === 0 ? null : JSON.stringify(call.recordingUrls),
        campaignId,
        seq,
        callId,
      ],
    );
  }

  private async find(tx: EntityManager, { campaignId, seq, callId }: CallKey): Promise<LiveCall | null> {
    const rows: LiveCallRow[] = await tx.query(
      `SELECT position, answers, digits, recording_urls FROM voice_calls
       WHERE campaign_id = ? AND seq = ? AND call_id = ? FOR UPDATE`,
      [campaignId, seq, callId],
    );
    const row = rows[0];
    if (!row) return null;
    return {
      position: row.position === null ? START : (JSON.parse(row.position) as CallPosition),
      answers: row.answers === null ? [] : (JSON.parse(row.answers) as CallStep[]),
      digits: row.digits,
      recordingUrls: row.recording_urls === null ? [] : (JSON.parse(row.recording_urls) as string[]),
    };
  }
}
