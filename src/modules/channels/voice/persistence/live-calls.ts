import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AttemptReader, RecipientStatus } from '../../../engine/index.js';
import type { CallStep } from '../../../providers/index.js';
import { type CallPosition, START } from '../calls/menu-machine.js';

/** Which call a question of the network is about. */
export interface CallKey {
  campaignId: number;
  seq: number;
  callId: string;
}

/** A call as its script knows it. */
export interface LiveCall {
  position: CallPosition;
  /** answers given so far, by step */
  answers: CallStep[];
  digits: string;
  recordingUrls: string[];
}

interface CallRow {
  position: string | null;
  answers: string | null;
  digits: string;
  recording_urls: string | null;
}

/** Answered calls: the row is locked while one question is answered, so that two instances never answer at once. */
@Injectable()
export class LiveCalls {
  constructor(private readonly attempts: AttemptReader) {}

  /**
   * The call, locked; made when the network asks before the send has been written.
   * @returns null when the campaign has no such recipient
   */
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
    const rows: CallRow[] = await tx.query(
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
