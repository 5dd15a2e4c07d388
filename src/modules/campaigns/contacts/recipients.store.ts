import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { now } from '../../../kernel/clock.js';
import { offsetOf, type Page } from '../../../kernel/lists.js';
import type { ReadSource } from '../../../platform/database/index.js';
import {
  type CampaignRecord,
  isFinal,
  isPersonalised,
  type RecipientRecord,
  RecipientStatus,
  type RecipientTerms,
  variablesOf,
} from '../../engine/index.js';
import { RECIPIENT_COLUMNS, type RecipientRow, toRecipient } from '../campaign-reader.js';
import { RECIPIENTS_A_READ } from '../campaign-scan.js';

import type { NumberFilter, RefusalData } from './contacts.dto.js';

export interface RecipientFilter {
  /** null = all */
  statuses: readonly RecipientStatus[] | null;
  number: NumberFilter | null;
}

/** Recipients that a search for a number reads at most; the next page goes on behind them. */
const MOST_SEARCHED = 1_000_000;

interface TermsRow {
  credits: number | null;
  sender: string | null;
  route_id: number | null;
}

const TERMS_COLUMNS = 't.credits, t.sender, t.route_id';

/** Returns null for a recipient without own terms; variables are stored elsewhere (`own-variables.ts`). */
function toTerms({ credits, sender, route_id }: Partial<TermsRow>): RecipientTerms | null {
  const terms: RecipientTerms = {
    ...(credits != null && { credits }),
    ...(sender != null && { sender }),
    ...(route_id != null && { routeId: route_id }),
  };
  return Object.keys(terms).length > 0 ? terms : null;
}

export interface SubmittedItem {
  providerMessageId: string;
  item: number;
  items: number;
  /** null for messages sent before this column existed */
  submittedAt: Date | null;
}

export interface RecipientLife {
  recipient: RecipientRecord;
  deliveredAt: Date | null;
  refunded: boolean;
  refusal: RefusalData;
  submitted: SubmittedItem[];
  /** a send may have left without an answer, now or earlier */
  wasUnknown: boolean;
  /** since when a send has an unknown outcome */
  unknownSince: Date | null;
  retry: { dueAt: Date; attempt: number } | null;
  /** null = the campaign's terms apply */
  terms: RecipientTerms | null;
  variables: RecipientTerms['variables'];
}

type SentCampaign = Pick<CampaignRecord, 'id' | 'ownTerms' | 'createdAt' | 'scheduledAt' | 'completedAt'>;

const DAY_MS = 86_400_000;

/**
 * Returns the days on which the campaign can have submitted, one day wider at both ends: carrier ids are partitioned by day,
 * and a query without days reads every partition (docs/decisions/0022).
 */
function daysOf({ createdAt, scheduledAt, completedAt }: SentCampaign): [from: string, to: string] {
  const at = now();
  const from = Math.min((scheduledAt ?? createdAt).getTime(), at.getTime()) - DAY_MS;
  const to = (completedAt ?? at).getTime() + DAY_MS;
  return [utcDay(from), utcDay(to)];
}

const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Selects ascending seqs: a dense page by a key range, a filtered page by its rows. */
function among(seqs: readonly number[]): { where: string; values: unknown[] } {
  const [first = 0, last = 0] = [seqs[0], seqs.at(-1)];
  return last - first < seqs.length * 4
    ? { where: 'seq BETWEEN ? AND ?', values: [first, last] }
    : { where: 'seq IN (?)', values: [seqs] };
}

/** The condition of a filter; the digits of `ending` are digits alone. */
function whereOf({ statuses, number }: RecipientFilter): { where: string; values: unknown[] } {
  const parts: [string, unknown][] = [
    ...(statuses ? [['status IN (?)', statuses] as [string, unknown]] : []),
    ...(number === null
      ? []
      : [
          'ending' in number
            ? (['receiver LIKE ?', `%${number.ending}`] as [string, unknown])
            : (['receiver IN (?)', number.numbers] as [string, unknown]),
        ]),
  ];
  return { where: parts.map(([text]) => text).join(' AND '), values: parts.map(([, value]) => value) };
}

interface RefusalRow {
  carrier_code: string | null;
  refused: number;
}

const refusalOf = ({ carrier_code: code, refused }: RefusalRow): RefusalData => ({
  ...(code !== null && { carrier_code: code }),
  ...(refused === 1 && { refused: true }),
});

interface LifeRow extends RecipientRow, RefusalRow {
  delivered_at: Date | null;
  refunded: number;
  outcome_unknown: number;
  unknown_since: Date | null;
  retry_at: Date | null;
  retry_attempt: number | null;
}

/** Reads recipients: the provider from the writer; pages and exports from a reader of their own on `ReadDatabase`. */
@Injectable()
export class RecipientReader {
  private readonly source: ReadSource;

  constructor(@InjectDataSource() source: ReadSource) {
    this.source = source;
  }

  /**
   * Returns a page. Without a filter, seq runs 1, 2, 3 … and the page is a key range; with a filter it skips the earlier
   * matches. `total` (recipients with these statuses) avoids reading pages behind the last one. A search for a number that
   * reached its bound returns where it goes on, maybe without an item.
   */
  async part(
    { id, totalRows }: Pick<CampaignRecord, 'id' | 'totalRows'>,
    filter: RecipientFilter,
    page: Page,
    total: number,
  ): Promise<{ items: RecipientRecord[]; next: number | null }> {
    const after = page.after === null ? null : Number(page.after);
    const offset = offsetOf(page);
    // statuses that the channel has not match nothing
    if (offset >= total || filter.statuses?.length === 0) return { items: [], next: null };
    if (!filter.statuses && !filter.number) {
      const items = await this.between(id, after ?? offset, (after ?? offset) + page.limit);
      const last = items.at(-1)?.seq ?? totalRows;
      return { items, next: last < totalRows ? last : null };
    }
    const start = after ?? 0;
    const upTo = filter.number === null ? totalRows : Math.min(totalRows, start + MOST_SEARCHED);
    const seqs = await this.matching(id, filter, { after: start, upTo, offset, limit: page.limit + 1 });
    const shownSeqs = seqs.slice(0, page.limit);
    const items = await this.named(id, shownSeqs);
    if (seqs.length > page.limit) return { items, next: shownSeqs.at(-1) ?? null };
    return { items, next: upTo < totalRows ? upTo : null };
  }

  /** Finds seqs by status or number in limited key ranges; an index would cost a third of the acceptance speed. */
  private async matching(
    campaignId: number,
    filter: RecipientFilter,
    { after, upTo, offset, limit }: { after: number; upTo: number; offset: number; limit: number },
  ): Promise<number[]> {
    const found: number[] = [];
    let toSkip = offset;
    const { where, values: wanted } = whereOf(filter);
    for (let from = after; from < upTo && found.length < limit; from += RECIPIENTS_A_READ) {
      const values = [campaignId, from, from + RECIPIENTS_A_READ, ...wanted];
      const rows: { seq: number }[] = await this.source.query(
        `SELECT seq FROM campaign_recipients WHERE campaign_id = ? AND seq > ? AND seq <= ? AND ${where}
         ORDER BY seq LIMIT ? OFFSET ?`,
        [...values, limit - found.length, toSkip],
      );
      if (rows.length > 0) toSkip = 0;
      else if (toSkip > 0) {
        const [count] = await this.source.query<{ total: string }[]>(
          `SELECT COUNT(*) AS total FROM campaign_recipients
           WHERE campaign_id = ? AND seq > ? AND seq <= ? AND ${where}`,
          values,
        );
        toSkip -= Number(count?.total ?? 0);
      }
      found.push(...rows.map(({ seq }) => seq));
    }
    return found;
  }

  private async between(campaignId: number, after: number, upTo: number): Promise<RecipientRecord[]> {
    const rows: RecipientRow[] = await this.source.query(
      `SELECT ${RECIPIENT_COLUMNS} FROM campaign_recipients WHERE campaign_id = ? AND seq > ? AND seq <= ? ORDER BY seq`,
      [campaignId, after, upTo],
    );
    return this.withTries(campaignId, rows.map(toRecipient));
  }

  private async named(campaignId: number, seqs: readonly number[]): Promise<RecipientRecord[]> {
    if (seqs.length === 0) return [];
    const rows: RecipientRow[] = await this.source.query(
      `SELECT ${RECIPIENT_COLUMNS} FROM campaign_recipients WHERE campaign_id = ? AND seq IN (?) ORDER BY seq`,
      [campaignId, seqs],
    );
    return this.withTries(campaignId, rows.map(toRecipient));
  }

  /** Adds the tries of waiting recipients; the stored `attempts` counts finished ones only. */
  private async withTries(campaignId: number, recipients: RecipientRecord[]): Promise<RecipientRecord[]> {
    const waiting = recipients.filter(({ status }) => !isFinal(status)).map(({ seq }) => seq);
    if (waiting.length === 0) return recipients;
    const rows: { seq: number; made: number }[] = await this.source.query(
      'SELECT seq, attempt - 1 AS made FROM recipient_retries WHERE campaign_id = ? AND seq IN (?) AND attempt > 1',
      [campaignId, waiting],
    );
    const made = new Map(rows.map((row) => [row.seq, Number(row.made)]));
    return recipients.map((recipient) => ({
      ...recipient,
      attempts: Math.max(recipient.attempts, made.get(recipient.seq) ?? 0),
    }));
  }

  async terms(campaignId: number, seqs: readonly number[]): Promise<ReadonlyMap<number, RecipientTerms>> {
    if (seqs.length === 0) return new Map();
    const { where, values } = among(seqs);
    const rows: (TermsRow & { seq: number })[] = await this.source.query(
      `SELECT t.seq, ${TERMS_COLUMNS} FROM recipient_terms t WHERE t.campaign_id = ? AND t.${where} ORDER BY t.seq`,
      [campaignId, ...values],
    );
    return new Map(rows.map(({ seq, ...row }) => [seq, toTerms(row) ?? {}]));
  }

  /** Returns the carrier's id of each recipient's latest message or call; `seqs` must ascend. */
  async providerIds(campaign: SentCampaign, seqs: readonly number[]): Promise<ReadonlyMap<number, string>> {
    if (seqs.length === 0) return new Map();
    const { where, values } = among(seqs);
    const rows: { seq: number; item: number; items: number; id: string }[] = await this.source.query(
      `SELECT seq, item, items, provider_message_id AS id FROM provider_messages
       WHERE campaign_id = ? AND ${where} AND sent_on BETWEEN ? AND ? ORDER BY seq, item`,
      [campaign.id, ...values, ...daysOf(campaign)],
    );
    // Attempts count on across items; the items of one message are adjacent, and the first gives the id.
    return new Map(rows.filter((row) => row.items === 1 || row.item === 0).map((row) => [row.seq, row.id]));
  }

  /** Returns codes that are no numbers, and what carriers refused; `seqs` are those of failed recipients, ascending. */
  async refusals(campaignId: number, seqs: readonly number[]): Promise<ReadonlyMap<number, RefusalData>> {
    if (seqs.length === 0) return new Map();
    const { where, values } = among(seqs);
    const rows: (RefusalRow & { seq: number })[] = await this.source.query(
      `SELECT seq, carrier_code, refused FROM campaign_recipients
       WHERE campaign_id = ? AND ${where} AND status = ${RecipientStatus.Failed} AND (carrier_code IS NOT NULL OR refused = 1)`,
      [campaignId, ...values],
    );
    return new Map(rows.map((row) => [row.seq, refusalOf(row)]));
  }

  async life(campaign: SentCampaign & Pick<CampaignRecord, 'content'>, seq: number): Promise<RecipientLife | null> {
    const { id: campaignId, ownTerms } = campaign;
    const [row]: LifeRow[] = await this.source.query(
      `SELECT r.*, u.created_at AS unknown_since, t.due_at AS retry_at,
         IF(t.last_status IS NULL, t.attempt, r.attempts + 1) AS retry_attempt
       FROM campaign_recipients r
       LEFT JOIN unknown_outcomes u ON u.campaign_id = r.campaign_id AND u.seq = r.seq
       LEFT JOIN recipient_retries t ON t.campaign_id = r.campaign_id AND t.seq = r.seq
       WHERE r.campaign_id = ? AND r.seq = ?`,
      [campaignId, seq],
    );
    if (!row) return null;
    const submitted: SubmittedItem[] = await this.source.query(
      `SELECT provider_message_id AS providerMessageId, item, items, submitted_at AS submittedAt FROM provider_messages
       WHERE campaign_id = ? AND seq = ? AND sent_on BETWEEN ? AND ? ORDER BY submitted_at, item`,
      [campaignId, seq, ...daysOf(campaign)],
    );
    const terms = ownTerms ? await this.terms(campaignId, [seq]) : null;
    const keys = isPersonalised(campaign.content) ? [{ campaignId, seq }] : [];
    const variables = await variablesOf(this.source, keys);
    return {
      recipient: (await this.withTries(campaignId, [toRecipient(row)]))[0] ?? toRecipient(row),
      deliveredAt: row.delivered_at,
      refunded: row.refunded === 1,
      refusal: refusalOf(row),
      submitted,
      wasUnknown: row.outcome_unknown === 1,
      unknownSince: row.unknown_since,
      retry: row.retry_at && { dueAt: row.retry_at, attempt: row.retry_attempt ?? 1 },
      terms: terms?.get(seq) ?? null,
      variables: variables({ campaignId, seq }),
    };
  }
}
