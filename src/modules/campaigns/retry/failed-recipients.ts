import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { timeOfId } from '../../../kernel/ids.js';
import {
  type CampaignRecord,
  lowestId,
  RecipientStatus,
  type RecipientTerms,
  TERMS_COLUMNS,
  type TermsRow,
  toTerms,
} from '../../engine/index.js';

/** A recipient to be sent to again, by its place in the campaign that failed. */
export interface FailedRecipient {
  seq: number;
  number: string;
  /** its own, where the campaign has such */
  terms: RecipientTerms | null;
}

/** What the failed recipients of a campaign come to. */
export interface FailedSum {
  recipients: number;
  credits: number;
}

type Source = DataSource | EntityManager;

const BATCH = 25_000;
/** As many as `recipient_terms.lane_group` can count. */
const MOST_ROUTES = 256;
/** What the stop list left out was not a failure of the carrier (reference/campaigns#retry-failed). */
const SUPPRESSED = 'Suppressed';

const FAILED = `WHERE r.campaign_id = ? AND r.seq > ? AND r.status = ${RecipientStatus.Failed} AND r.outcome_unknown = 0
    AND (r.error_message IS NULL OR r.error_message <> ?)`;
const PLAIN = 'FROM campaign_recipients r';
const OWN = `${PLAIN} LEFT JOIN recipient_terms t ON t.campaign_id = r.campaign_id AND t.seq = r.seq`;

/**
 * The recipients that `retry-failed` takes (reference/campaigns#retry-failed): FAILED ones, but neither suppressed ones
 * nor those of which a send was ever of unknown outcome, and none twice: one that an earlier retry of the campaign took is
 * that one's, unless it was cancelled before it was sent.
 */
@Injectable()
export class FailedRecipients {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @param unitCredits of those without a price of their own */
  async sum(campaign: CampaignRecord, unitCredits: number): Promise<FailedSum> {
    if ((await this.retriesOf(this.dataSource, campaign)).length === 0) {
      const credits = campaign.ownTerms ? 'COALESCE(t.credits, ?)' : '?';
      const [row] = await this.dataSource.query<{ total: string; credits: string | null }[]>(
        `SELECT COUNT(*) AS total, SUM(${credits}) AS credits ${campaign.ownTerms ? OWN : PLAIN} ${FAILED}`,
        [unitCredits, campaign.id, 0, SUPPRESSED],
      );
      return { recipients: Number(row?.total ?? 0), credits: Number(row?.credits ?? 0) };
    }
    const sum = { recipients: 0, credits: 0 };
    for await (const batch of this.batches(this.dataSource, campaign)) {
      sum.recipients += batch.length;
      for (const { terms } of batch) sum.credits += terms?.credits ?? unitCredits;
    }
    return sum;
  }

  /** Routes that recipients of a campaign have of their own, some perhaps removed since. */
  async ownRoutes({ id, ownTerms }: CampaignRecord): Promise<number[]> {
    if (!ownTerms) return [];
    const rows: { route_id: number }[] = await this.dataSource.query(
      'SELECT DISTINCT route_id FROM recipient_terms WHERE campaign_id = ? AND route_id IS NOT NULL LIMIT ?',
      [id, MOST_ROUTES],
    );
    return rows.map(({ route_id }) => route_id);
  }

  /** In the order of the contacts, a bounded number at a time. @param source the transaction that holds the retry */
  async *batches(source: Source, campaign: CampaignRecord): AsyncGenerator<FailedRecipient[], void, undefined> {
    const taken = await this.taken(source, campaign);
    const own = campaign.ownTerms ? `, ${TERMS_COLUMNS} ${OWN}` : ` ${PLAIN}`;
    for (let afterSeq = 0; ;) {
      const rows: ({ seq: number; number: string } & Partial<TermsRow>)[] = await source.query(
        `SELECT r.seq, r.receiver AS number${own} ${FAILED} ORDER BY r.seq LIMIT ?`,
        [campaign.id, afterSeq, SUPPRESSED, BATCH],
      );
      const left = rows.filter(({ seq }) => !taken.has(seq));
      if (left.length > 0) yield left.map(({ seq, number, ...terms }) => ({ seq, number, terms: toTerms(terms) }));
      const last = rows.at(-1);
      if (!last || rows.length < BATCH) return;
      afterSeq = last.seq;
    }
  }

  /** Not those of a campaign of before that had the same request id, and is no longer kept. */
  private retriesOf(source: Source, { id, accountId, requestId }: CampaignRecord): Promise<{ id: number }[]> {
    return source.query('SELECT id FROM campaigns WHERE retry_of = ? AND account_id = ? AND id >= ?', [
      requestId,
      accountId,
      lowestId(timeOfId(id)),
    ]);
  }

  /** The recipients that earlier retries took. */
  private async taken(source: Source, campaign: CampaignRecord): Promise<SeqSet> {
    const taken = new SeqSet(campaign.totalRows);
    for (const { id } of await this.retriesOf(source, campaign)) {
      for (let afterSeq = 0; ;) {
        const rows: { seq: number; source: number | null; status: RecipientStatus }[] = await source.query(
          `SELECT seq, source_seq AS source, status FROM campaign_recipients
           WHERE campaign_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
          [id, afterSeq, BATCH],
        );
        for (const row of rows) {
          if (row.source !== null && row.status !== RecipientStatus.Cancelled) taken.add(row.source);
        }
        const last = rows.at(-1);
        if (!last || rows.length < BATCH) break;
        afterSeq = last.seq;
      }
    }
    return taken;
  }
}

/** A set of places in a campaign: one bit each, so that a million of them are 125 KB. */
class SeqSet {
  private readonly bits: Uint8Array;

  constructor(highest: number) {
    this.bits = new Uint8Array((highest >> 3) + 1);
  }

  add(seq: number): void {
    this.bits[seq >> 3] = (this.bits[seq >> 3] ?? 0) | (1 << (seq & 7));
  }

  has(seq: number): boolean {
    return ((this.bits[seq >> 3] ?? 0) & (1 << (seq & 7))) !== 0;
  }
}
