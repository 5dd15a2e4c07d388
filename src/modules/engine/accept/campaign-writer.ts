import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows, QuotedText } from '../../../platform/database/index.js';
import { Channels } from '../channels.js';
import { type PlannedLane, planLanes, chainOf, chainText, type RouteChain } from '../lanes.js';
import { RecipientStatus } from '../recipient.js';
import { type DraftSum, termsBatches, variablesBatches, type DraftHead, type RecipientPage } from './draft.js';

export interface NumberedHead {
  id: number;
  requestId: string;
  draft: DraftHead;
  total: number;
  sum: DraftSum;
}

export type WrittenFor = Pick<NumberedHead, 'id' | 'draft' | 'sum'>;

type WrittenEarly = Pick<WrittenFor, 'id'> & Partial<WrittenFor>;

export interface NumberedDraft extends WrittenFor {
  page: RecipientPage;
}

type PlannedHead = NumberedHead & { lanes: readonly PlannedLane[] };

/** Up to this size, the recipients of all drafts of a group share one statement. */
const SMALL = 100;

/** End of the validity. Parameters: schedule, seconds. */
const SETTLE_AT = 'COALESCE(?, UTC_TIMESTAMP(3)) + INTERVAL ? SECOND';

/** Writes accepted campaigns in set-based statements. Reads nothing; all times are the database's. */
@Injectable()
export class CampaignWriter {
  constructor(private readonly channels: Channels) {}

  /** Inserts the recipients and terms of a group of drafts; all small drafts share one statement. */
  async insertRecipients(tx: EntityManager, drafts: readonly NumberedDraft[]): Promise<void> {
    const small = drafts.filter(({ page }) => page.numbers.length <= SMALL && !page.sources);
    if (small.length > 0) await this.insertSmall(tx, small);
    for (const { page, ...entry } of drafts) {
      if (page.numbers.length <= SMALL && !page.sources) await this.insertTerms(tx, entry, page);
      else await this.insertPage(tx, entry, page);
    }
  }

  async insertPage(tx: EntityManager, entry: WrittenEarly, page: RecipientPage): Promise<void> {
    const { from, numbers, sources } = page;
    if (numbers.length === 0) {
      await this.insertTerms(tx, entry, page);
      return;
    }
    if (sources) await this.insertRetried(tx, entry.id, from, numbers, sources);
    else
      await tx.query(
        `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
         SELECT ?, ? + j.ordinal, j.receiver, ${RecipientStatus.Pending}, 0, UTC_TIMESTAMP(3) FROM JSON_TABLE(?, '$[*]' COLUMNS (
           ordinal FOR ORDINALITY, receiver VARCHAR(32) CHARACTER SET ascii PATH '$')) j`,
        [entry.id, from, jsonDigits(numbers)],
      );
    await this.insertTerms(tx, entry, page);
  }

  /** Inserts campaigns with counters, lanes and route chains, without recipients. */
  async insertHeads(tx: EntityManager, heads: readonly NumberedHead[]): Promise<void> {
    const planned = heads.map((head) => ({ ...head, lanes: planLanes(head.total, head.sum.own?.groups) }));
    await this.insertCampaigns(tx, planned);
    const counters = planned.flatMap(({ id, lanes }) =>
      lanes.map(({ lane, recipients }) => [id, lane, RecipientStatus.Pending, recipients, recipients]),
    );
    await tx.query(
      `INSERT INTO campaign_counters (campaign_id, lane, status, recipients, unsettled)
       VALUES ${counters.map(() => '(?,?,?,?,?)').join(',')}`,
      counters.flat(),
    );
    await this.insertLanes(tx, planned);
    await this.insertChains(tx, planned);
  }

  private async insertRetried(
    tx: EntityManager,
    id: number,
    from: number,
    numbers: readonly string[],
    sources: readonly number[],
  ): Promise<void> {
    await tx.query(
      `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at, source_seq)
       SELECT ?, ? + j.ordinal, j.receiver, ${RecipientStatus.Pending}, 0, UTC_TIMESTAMP(3), j.source_seq FROM JSON_TABLE(?, '$[*]' COLUMNS (
         ordinal FOR ORDINALITY, source_seq INT PATH '$[0]', receiver VARCHAR(32) CHARACTER SET ascii PATH '$[1]')) j`,
      [id, from, jsonRows(numbers.map((number, at) => [sources[at], number]))],
    );
  }

  private async insertCampaigns(tx: EntityManager, heads: readonly PlannedHead[]): Promise<void> {
    await tx.query(
      `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, sender, category, content,
         fingerprint, balance, unit_credits, own_terms, own_kinds, charged_credits,
         total_rows, open_lanes, refunded_credits, retry_of, scheduled_at, created_by, created_at)
       VALUES ${heads.map(() => '(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,0,?,?,?,UTC_TIMESTAMP(3))').join(',')}`,
      heads.flatMap(({ id, requestId, draft, total, sum, lanes }) => [
        id,
        draft.accountId,
        requestId,
        draft.channel,
        draft.initialState,
        draft.broadcastName,
        draft.service,
        draft.routeId,
        draft.sender ?? null,
        draft.category ?? null,
        JSON.stringify(draft.content),
        draft.fingerprint ?? null,
        draft.balance,
        draft.unitCredits,
        sum.own?.hasTerms ? 1 : 0,
        sum.own?.kinds ?? 0,
        sum.charged,
        total,
        lanes.length,
        draft.retryOf ?? null,
        draft.scheduledAt ?? null,
        draft.createdBy ?? null,
      ]),
    );
  }

  private async insertLanes(tx: EntityManager, heads: readonly PlannedHead[]): Promise<void> {
    const rows = heads.flatMap(({ id, draft, total, sum, lanes }) =>
      lanes.map((range) => [
        id,
        range.lane,
        draft.channel,
        sum.own?.chains[range.group]?.[0] ?? draft.routeId,
        draft.accountId,
        total === 1 ? 1 : 0,
        range.from,
        range.from,
        range.end,
        0,
        draft.initialState === 'pending_approval' ? 0 : 1,
        draft.scheduledAt ?? null,
        draft.scheduledAt ?? null,
        this.channels.find(draft.channel)?.validitySeconds?.(draft.content) ?? null,
      ]),
    );
    await tx.query(
      `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, single, next_seq, intent_seq, end_seq, fence, wake_at,
         settle_at)
       VALUES ${rows.map(() => `(?,?,?,?,?,?,?,?,?,?,IF(?, COALESCE(?, UTC_TIMESTAMP(3)), NULL),${SETTLE_AT})`).join(',')}`,
      rows.flat(),
    );
  }

  /** Only chains with fallback routes are stored. */
  private async insertChains(tx: EntityManager, heads: readonly PlannedHead[]): Promise<void> {
    const rows = heads.flatMap(({ id, draft, sum }) => {
      const chains: readonly RouteChain[] = sum.own?.chains ?? [chainOf(draft.routeId, draft.fallbacks)];
      return chains.flatMap((chain, group) => (chain.length > 1 ? [[id, group, chainText(chain)]] : []));
    });
    if (rows.length === 0) return;
    await tx.query(
      `INSERT INTO campaign_routes (campaign_id, lane_group, route_ids) VALUES ${rows.map(() => '(?,?,?)').join(',')}`,
      rows.flat(),
    );
  }

  private async insertSmall(tx: EntityManager, drafts: readonly NumberedDraft[]): Promise<void> {
    const rows = drafts.flatMap(({ id, page }) => page.numbers.map((number, index) => [id, index + 1, number]));
    await tx.query(
      `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
       SELECT j.campaign_id, j.seq, j.receiver, ${RecipientStatus.Pending}, 0, UTC_TIMESTAMP(3) FROM JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', receiver VARCHAR(32) CHARACTER SET ascii PATH '$[2]')) j`,
      [jsonRows(rows)],
    );
  }

  private async insertTerms(tx: EntityManager, { id, draft, sum }: WrittenEarly, page: RecipientPage): Promise<void> {
    if (page.terms && !(draft && sum)) throw new Error('terms follow from all recipients');
    for (const rows of draft && sum ? termsBatches(id, page, draft, sum) : []) {
      await tx.query(
        `INSERT INTO recipient_terms (campaign_id, seq, lane_group, credits, sender, route_id)
         SELECT j.campaign_id, j.seq, j.lane_group, j.credits, j.sender, j.route_id FROM JSON_TABLE(?, '$[*]' COLUMNS (
           campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', lane_group INT PATH '$[2]', credits BIGINT PATH '$[3]',
           sender VARCHAR(32) CHARACTER SET utf8mb4 PATH '$[4]', route_id BIGINT PATH '$[5]')) j`,
        [rows],
      );
    }
    for (const rows of variablesBatches(id, page)) {
      await tx.query(
        `INSERT INTO recipient_variables (campaign_id, block, variables) VALUES ${rows.map(() => '(?,?,?)').join(',')}`,
        rows.flat(),
      );
    }
  }
}

const jsonDigits = (digits: readonly string[]): QuotedText =>
  new QuotedText(digits.length === 0 ? '[]' : `["${digits.join('","')}"]`);
