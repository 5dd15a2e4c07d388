import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { RecipientStatus } from '../../../engine/index.js';

/** One call, as owners and staff see it. */
export interface VoiceCall {
  seq: number;
  /** counts from 1 */
  attempt: number;
  callId: string;
  status: RecipientStatus;
  errorCode: number | null;
  errorMessage: string | null;
  /** seconds from the answer to the end, 0 when it was not answered */
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

/** A call without a menu asks us nothing: it was answered as long before its end as it lasted. */
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

/** Reads the calls of voice campaigns; takes no locks. */
@Injectable()
export class VoiceCalls {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Every call to these recipients, by recipient and attempt. */
  async of(campaignId: number, seqs: readonly number[]): Promise<VoiceCall[]> {
    if (seqs.length === 0) return [];
    const rows: CallRow[] = await this.dataSource.query(
      `SELECT ${COLUMNS} FROM voice_calls WHERE campaign_id = ? AND seq IN (?) ORDER BY seq, attempt, started_at, call_id`,
      [campaignId, seqs],
    );
    return rows.map(toCall);
  }
}
