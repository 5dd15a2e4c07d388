import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isFinal, RecipientStatus } from './recipient-status.js';
import { firstSendDay } from './recipient-key.js';

/** Which attempt a carrier speaks of, also before its submit answer has been written. */
@Injectable()
export class AttemptReader {
  /**
   * Read in one statement, so that a send which is being written counts wholly or not at all.
   * @returns the attempt with this id of the carrier, else the one whose answer is not written yet, counted from 1; null
   * without such a recipient or attempt (reference/providers#receipts: only messages of the connection's own)
   */
  async numberOf(
    tx: EntityManager,
    campaignId: number,
    seq: number,
    providerMessageId: string,
  ): Promise<number | null> {
    const rows: { status: RecipientStatus; attempts: number; item: number | null }[] = await tx.query(
      `SELECT r.status, r.attempts, m.item FROM campaign_recipients r LEFT JOIN provider_messages m
         ON m.campaign_id = r.campaign_id AND m.seq = r.seq AND m.provider_message_id = ? AND m.sent_on >= ?
       WHERE r.campaign_id = ? AND r.seq = ?`,
      [providerMessageId, firstSendDay([campaignId]), campaignId, seq],
    );
    const row = rows[0];
    if (!row) return null;
    if (row.item !== null) return row.item + 1;
    if (row.status === RecipientStatus.Submitted || isFinal(row.status)) return null;
    // An attempt of unknown outcome has been counted; any other is counted when its answer is written.
    return Math.max(1, row.status === RecipientStatus.Unknown ? row.attempts : row.attempts + 1);
  }
}
