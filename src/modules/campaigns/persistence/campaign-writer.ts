import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { CampaignDraft } from '../domain/campaign.js';
import { planLanes } from '../domain/lanes.js';
import { RecipientStatus } from '../domain/recipient-status.js';
import { jsonDigits, jsonRows } from './json-rows.js';

/** A draft with its keys: ready to be written. */
export interface NumberedDraft {
  id: number;
  requestId: string;
  draft: CampaignDraft;
}

const ROWS_A_STATEMENT = 25_000;
/** Below this, the recipients of all drafts of a group travel in one statement. */
const SMALL = 100;

/** Writes accepted campaigns in set-based statements; nothing here reads. */
@Injectable()
export class CampaignWriter {
  /** Inserts campaigns, counters, lanes and recipients of a whole group of drafts. */
  async insert(tx: EntityManager, drafts: readonly NumberedDraft[], at: Date): Promise<void> {
    await this.insertCampaigns(tx, drafts, at);
    await tx.query(
      `INSERT INTO campaign_counters (campaign_id, status, recipients) VALUES ${drafts.map(() => '(?,?,?)').join(',')}`,
      drafts.flatMap(({ id, draft }) => [id, RecipientStatus.Pending, draft.receivers.length]),
    );
    await this.insertLanes(tx, drafts, at);
    const small = drafts.filter(({ draft }) => draft.receivers.length <= SMALL);
    if (small.length > 0) await this.insertSmall(tx, small, at);
    for (const { id, draft } of drafts) {
      if (draft.receivers.length > SMALL) await this.insertRecipients(tx, id, draft.receivers, at);
    }
  }

  private async insertCampaigns(tx: EntityManager, drafts: readonly NumberedDraft[], at: Date): Promise<void> {
    await tx.query(
      `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content,
         fingerprint, balance, unit_credits, total_rows, unsettled, refunded_credits, retry_of, scheduled_at, created_at)
       VALUES ${drafts.map(() => '(?,?,?,?,?,?,?,?,?,?,?,?,?,?,0,?,?,?)').join(',')}`,
      drafts.flatMap(({ id, requestId, draft }) => [
        id,
        draft.accountId,
        requestId,
        draft.channel,
        draft.initialState,
        draft.broadcastName,
        draft.service,
        draft.routeId,
        JSON.stringify(draft.content),
        draft.fingerprint ?? null,
        draft.balance,
        draft.unitCredits,
        draft.receivers.length,
        draft.receivers.length,
        draft.retryOf ?? null,
        draft.scheduledAt ?? null,
        at,
      ]),
    );
  }

  private async insertLanes(tx: EntityManager, drafts: readonly NumberedDraft[], at: Date): Promise<void> {
    const rows = drafts.flatMap(({ id, draft }) => {
      const wakeAt = draft.initialState === 'pending_approval' ? null : (draft.scheduledAt ?? at);
      return planLanes(draft.receivers.length).map((range) => [
        id,
        range.lane,
        draft.channel,
        range.from,
        range.from,
        range.end,
        0,
        wakeAt,
      ]);
    });
    await tx.query(
      `INSERT INTO campaign_lanes (campaign_id, lane, channel, next_seq, intent_seq, end_seq, fence, wake_at)
       VALUES ${rows.map(() => '(?,?,?,?,?,?,?,?)').join(',')}`,
      rows.flat(),
    );
  }

  private async insertSmall(tx: EntityManager, drafts: readonly NumberedDraft[], at: Date): Promise<void> {
    const rows = drafts.flatMap(({ id, draft }) => draft.receivers.map((receiver, index) => [id, index + 1, receiver]));
    await tx.query(
      `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
       SELECT j.campaign_id, j.seq, j.receiver, 0, 0, ? FROM JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', receiver VARCHAR(32) CHARACTER SET ascii PATH '$[2]')) j`,
      [at, jsonRows(rows)],
    );
  }

  private async insertRecipients(tx: EntityManager, id: number, receivers: readonly string[], at: Date): Promise<void> {
    for (let from = 0; from < receivers.length; from += ROWS_A_STATEMENT) {
      await tx.query(
        `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
         SELECT ?, ? + j.ordinal, j.receiver, 0, 0, ? FROM JSON_TABLE(?, '$[*]' COLUMNS (
           ordinal FOR ORDINALITY, receiver VARCHAR(32) CHARACTER SET ascii PATH '$')) j`,
        [id, from, at, jsonDigits(receivers.slice(from, from + ROWS_A_STATEMENT))],
      );
    }
  }
}
