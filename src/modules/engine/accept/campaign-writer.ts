import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import type { BalanceName } from '../../credits/index.js';
import { planLanes } from '../state/lanes.js';
import { RecipientStatus } from '../state/recipient-status.js';
import type { RecipientTerms } from '../state/recipient-terms.js';

/** What a channel asks the engine to accept: validated, priced, routed. */
export interface CampaignDraft {
  accountId: number;
  channel: string;
  /** a caller-supplied id, or a maker of ids (tried again on a collision) */
  requestId: { given: string } | { make: () => string };
  broadcastName: string;
  service: string;
  routeId: number;
  content: Record<string, unknown>;
  /** e.g. gsm_credits */
  balance: BalanceName;
  /** credits per recipient; 0 = free */
  unitCredits: number;
  /** cleaned, in order, duplicates as the channel wants them */
  recipients: string[];
  /** as long as `recipients`; absent = all of them have the campaign's */
  terms?: readonly (RecipientTerms | null)[];
  initialState: 'accepted' | 'pending_approval';
  scheduledAt?: Date;
  retryOf?: string;
  /** SHA-256 over what makes two requests with one caller-supplied id the same */
  fingerprint?: Buffer;
}

/** The engine's answer to a draft. `repeated` = the same caller-supplied id and fingerprint came before; nothing was charged. */
export interface AcceptedCampaign {
  id: number;
  requestId: string;
  totalRows: number;
  unitCredits: number;
  repeated: boolean;
}

/** A draft with its keys: ready to be written. */
export interface NumberedDraft {
  id: number;
  requestId: string;
  draft: CampaignDraft;
}

/** A campaign with its keys whose recipients are written apart. */
export interface NumberedHead {
  id: number;
  requestId: string;
  draft: Omit<CampaignDraft, 'recipients'>;
  /** recipients */
  total: number;
}

const ROWS_A_STATEMENT = 25_000;
/** Below this, the recipients of all drafts of a group travel in one statement. */
const SMALL = 100;

/** Writes accepted campaigns in set-based statements; nothing here reads. Every moment is the database's. */
@Injectable()
export class CampaignWriter {
  /** Inserts campaigns, counters, lanes and recipients of a whole group of drafts. */
  async insert(tx: EntityManager, drafts: readonly NumberedDraft[]): Promise<void> {
    const heads = drafts.map((entry): NumberedHead => ({ ...entry, total: entry.draft.recipients.length }));
    await this.insertHeads(tx, heads);
    const small = drafts.filter(({ draft }) => draft.recipients.length <= SMALL);
    if (small.length > 0) await this.insertSmall(tx, small);
    for (const { id, draft } of drafts) {
      if (draft.recipients.length > SMALL) await this.insertRecipients(tx, id, draft.recipients);
    }
  }

  /** Inserts campaigns with counters and lanes, without recipients. */
  async insertHeads(tx: EntityManager, heads: readonly NumberedHead[]): Promise<void> {
    await this.insertCampaigns(tx, heads);
    const counters = heads.flatMap(({ id, total }) =>
      planLanes(total).map(({ lane, from, end }) => [id, lane, RecipientStatus.Pending, end - from, end - from]),
    );
    await tx.query(
      `INSERT INTO campaign_counters (campaign_id, lane, status, recipients, unsettled)
       VALUES ${counters.map(() => '(?,?,?,?,?)').join(',')}`,
      counters.flat(),
    );
    await this.insertLanes(tx, heads);
  }

  /**
   * Adds recipients of another campaign to the end of this one.
   * @param afterSeq recipients it has already
   * @param sources with their `seq` in the other campaign
   */
  async insertRetried(
    tx: EntityManager,
    id: number,
    afterSeq: number,
    sources: readonly { seq: number; number: string }[],
  ): Promise<void> {
    await tx.query(
      `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at, source_seq)
       SELECT ?, ? + j.ordinal, j.receiver, ${RecipientStatus.Pending}, 0, UTC_TIMESTAMP(3), j.source_seq FROM JSON_TABLE(?, '$[*]' COLUMNS (
         ordinal FOR ORDINALITY, source_seq INT PATH '$[0]', receiver VARCHAR(32) CHARACTER SET ascii PATH '$[1]')) j`,
      [id, afterSeq, jsonRows(sources.map(({ seq, number }) => [seq, number]))],
    );
  }

  private async insertCampaigns(tx: EntityManager, heads: readonly NumberedHead[]): Promise<void> {
    await tx.query(
      `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content,
         fingerprint, balance, unit_credits, charged_credits, total_rows, open_lanes, refunded_credits, retry_of, scheduled_at, created_at)
       VALUES ${heads.map(() => '(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,0,?,?,UTC_TIMESTAMP(3))').join(',')}`,
      heads.flatMap(({ id, requestId, draft, total }) => [
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
        draft.unitCredits * total,
        total,
        planLanes(total).length,
        draft.retryOf ?? null,
        draft.scheduledAt ?? null,
      ]),
    );
  }

  private async insertLanes(tx: EntityManager, heads: readonly NumberedHead[]): Promise<void> {
    const rows = heads.flatMap(({ id, draft, total }) =>
      planLanes(total).map((range) => [
        id,
        range.lane,
        draft.channel,
        draft.routeId,
        draft.accountId,
        total === 1 ? 1 : 0,
        range.from,
        range.from,
        range.end,
        0,
        draft.initialState === 'pending_approval' ? 0 : 1,
        draft.scheduledAt ?? null,
      ]),
    );
    await tx.query(
      `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, single, next_seq, intent_seq, end_seq, fence, wake_at)
       VALUES ${rows.map(() => '(?,?,?,?,?,?,?,?,?,?,IF(?, COALESCE(?, UTC_TIMESTAMP(3)), NULL))').join(',')}`,
      rows.flat(),
    );
  }

  private async insertSmall(tx: EntityManager, drafts: readonly NumberedDraft[]): Promise<void> {
    const rows = drafts.flatMap(({ id, draft }) => draft.recipients.map((number, index) => [id, index + 1, number]));
    await tx.query(
      `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
       SELECT j.campaign_id, j.seq, j.receiver, ${RecipientStatus.Pending}, 0, UTC_TIMESTAMP(3) FROM JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', receiver VARCHAR(32) CHARACTER SET ascii PATH '$[2]')) j`,
      [jsonRows(rows)],
    );
  }

  private async insertRecipients(tx: EntityManager, id: number, numbers: readonly string[]): Promise<void> {
    for (let from = 0; from < numbers.length; from += ROWS_A_STATEMENT) {
      await tx.query(
        `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
         SELECT ?, ? + j.ordinal, j.receiver, ${RecipientStatus.Pending}, 0, UTC_TIMESTAMP(3) FROM JSON_TABLE(?, '$[*]' COLUMNS (
           ordinal FOR ORDINALITY, receiver VARCHAR(32) CHARACTER SET ascii PATH '$')) j`,
        [id, from, jsonDigits(numbers.slice(from, from + ROWS_A_STATEMENT))],
      );
    }
  }
}

/** A JSON array of digit strings; they need no escaping, so joining them is enough. */
const jsonDigits = (digits: readonly string[]): string => (digits.length === 0 ? '[]' : `["${digits.join('","')}"]`);
