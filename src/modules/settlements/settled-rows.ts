import { Injectable } from '@nestjs/common';
import { type ReadSource, rowArrays } from '../../platform/database/index.js';
import { Channels, type Content, isPersonalised, type RecipientStatus, variablesOf } from '../engine/index.js';
import { type SettledEntry, type SettledRecipient, statusName } from './encoding.js';

/** What a settlement needs of its campaign. */
export interface SettledCampaign {
  id: number;
  accountId: number;
  requestId: string;
  channel: string;
  category: string | null;
  balance: string;
  unitCredits: number;
  ownTerms: boolean;
  content: Content;
  state: string;
  isTest: boolean;
  totalRows: number;
  chargedCredits: number;
  refundedCredits: number;
  retryOf: string | null;
  createdAt: number;
  completedAt: number;
}

interface CampaignRow extends Omit<SettledCampaign, 'content' | 'ownTerms' | 'isTest'> {
  content: string;
  ownTerms: number;
  isTest: number;
}

/** SQL: milliseconds since 1970. */
export const sqlMs = (column: string): string => `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', ${column}) DIV 1000`;

const COLUMNS = `id, account_id AS accountId, request_id AS requestId, channel, category, balance, unit_credits AS unitCredits,
  own_terms AS ownTerms, content, state, is_test AS isTest, total_rows AS totalRows, charged_credits AS chargedCredits,
  refunded_credits AS refundedCredits, retry_of AS retryOf, ${sqlMs('created_at')} AS createdAt,
  ${sqlMs('completed_at')} AS completedAt`;

export const toSettled = (row: CampaignRow): SettledCampaign => ({
  ...row,
  content: JSON.parse(row.content) as Content,
  ownTerms: row.ownTerms === 1,
  isTest: row.isTest === 1,
});

/** A campaign that is to be settled, by its end. */
export interface DueCampaign {
  id: number;
  accountId: number;
  totalRows: number;
  isTest: number;
  /** as text, so that no digit is lost */
  completedAt: string;
}

/** Complete campaigns without a settlement, the oldest end first. @param after where the last page ended */
export function dueCampaigns(source: ReadSource, after: DueCampaign | null, limit: number): Promise<DueCampaign[]> {
  const behind = after ? 'AND (completed_at > ? OR (completed_at = ? AND id > ?)) AND completed_at >= ?' : '';
  return source.query(
    `SELECT id, account_id AS accountId, total_rows AS totalRows, is_test AS isTest,
       CAST(completed_at AS CHAR) AS completedAt
     FROM campaigns FORCE INDEX (ix_campaigns_settlement)
     WHERE settlement_due = 1 AND completed_at IS NOT NULL ${behind} ORDER BY completed_at, id LIMIT ?`,
    [...(after ? [after.completedAt, after.completedAt, after.id, after.completedAt] : []), limit],
  );
}

type RecipientColumns = readonly [
  campaignId: number,
  seq: number,
  number: string,
  status: RecipientStatus,
  errorCode: number | null,
  carrierCode: string | null,
  refunded: number,
  finalAt: number,
  credits: number | null,
];

/** After the end only reading is written, which keeps the time of delivery: this time never changes. */
const FINAL_AT = sqlMs('COALESCE(r.delivered_at, r.updated_at)');
const MOST_RECIPIENTS = 20_000;
const MOST_ENTRIES = 20_000;
const ENTRIES_A_READ = 5_000;
/** The debit is written with the campaign; clocks of a cluster differ by less. */
const BEFORE_ACCEPTANCE = 'INTERVAL 10 MINUTE';

/** `last` = where the next page begins; null = there is none */
interface EntryPage {
  byCampaign: Map<number, SettledEntry[]>;
  last: number | null;
}

export interface SeqRange {
  from: number;
  to: number;
}

/** Reads the rows that a settlement is made of: its pages when it is issued, a single page for a proof. */
@Injectable()
export class SettledRows {
  constructor(private readonly channels: Channels) {}

  async campaigns(source: ReadSource, ids: readonly number[]): Promise<SettledCampaign[]> {
    if (ids.length === 0) return [];
    const rows: CampaignRow[] = await source.query(`SELECT ${COLUMNS} FROM campaigns WHERE id IN (?)`, [ids]);
    return rows.map(toSettled);
  }

  /** Recipients by campaign, in order. @param range absent = all @returns null for a campaign with a recipient that is not final */
  async recipients(
    source: ReadSource,
    campaigns: readonly SettledCampaign[],
    range?: SeqRange,
  ): Promise<Map<number, SettledRecipient[] | null>> {
    const found = new Map<number, SettledRecipient[] | null>(campaigns.map(({ id }) => [id, []]));
    const byId = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
    const own = campaigns.some(({ ownTerms }) => ownTerms);
    const rows = await rowArrays<RecipientColumns>(
      source,
      `SELECT r.campaign_id, r.seq, r.receiver, r.status, r.error_code, r.carrier_code, r.refunded, ${FINAL_AT},
         ${own ? 't.credits' : 'NULL'}
       FROM campaign_recipients r
       ${own ? 'LEFT JOIN recipient_terms t ON t.campaign_id = r.campaign_id AND t.seq = r.seq' : ''}
       WHERE r.campaign_id IN (?) ${range ? 'AND r.seq BETWEEN ? AND ?' : ''} ORDER BY r.campaign_id, r.seq
       LIMIT ${MOST_RECIPIENTS}`,
      [campaigns.map(({ id }) => id), ...(range ? [range.from, range.to] : [])],
    );
    const partsOf = await this.parts(source, campaigns, rows);
    for (const row of rows) {
      const [id, seq, number, status, errorCode, carrierCode, refunded, finalAt, credits] = row;
      const campaign = byId.get(id) as SettledCampaign;
      const name = statusName(status);
      const list = found.get(id);
      if (!list || name === null) {
        found.set(id, null);
        continue;
      }
      const price = credits ?? campaign.unitCredits;
      list.push({
        seq,
        number,
        status: name,
        code: name === 'delivered' ? null : (carrierCode ?? (errorCode === null ? null : String(errorCode))),
        parts: partsOf(campaign, seq, number),
        price,
        // a cancelled recipient is always refunded, a failed one carries a mark
        refund: refunded === 1 || name === 'cancelled' ? price : 0,
        routeClass: campaign.category === null ? campaign.channel : `${campaign.channel}/${campaign.category}`,
        acceptedAt: campaign.createdAt,
        finalAt,
      });
    }
    return found;
  }

  /** Ledger entries by campaign, by id. @param after the last id of the page before */
  async entries(
    source: ReadSource,
    campaigns: readonly SettledCampaign[],
    after = 0,
    limit = MOST_ENTRIES,
  ): Promise<EntryPage> {
    const byCampaign = new Map<number, SettledEntry[]>(campaigns.map(({ id }) => [id, []]));
    const rows = await source.query<(SettledEntry & { campaignId: number })[]>(
      `SELECT STRAIGHT_JOIN c.id AS campaignId, l.id, l.kind, l.balance, l.amount, l.available,
         ${sqlMs('l.created_at')} AS createdAt
       FROM campaigns c JOIN credit_ledger l FORCE INDEX (ix_credit_ledger_request) ON l.request_id = c.request_id
       WHERE c.id IN (?) AND l.id > ? AND l.account_id = c.account_id AND l.kind IN ('debit', 'refund')
         AND l.created_at >= c.created_at - ${BEFORE_ACCEPTANCE} ORDER BY l.id LIMIT ?`,
      [campaigns.map(({ id }) => id), after, limit],
    );
    for (const { campaignId, ...entry } of rows) byCampaign.get(campaignId)?.push(entry);
    return { byCampaign, last: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
  }

  /** Ledger entries of one campaign, by id, in pages. */
  async *entryPages(
    source: ReadSource,
    campaign: SettledCampaign,
  ): AsyncGenerator<readonly SettledEntry[], void, undefined> {
    for (let after: number | null = 0; after !== null;) {
      const read: EntryPage = await this.entries(source, [campaign], after, ENTRIES_A_READ);
      yield read.byCampaign.get(campaign.id) ?? [];
      after = read.last;
    }
  }

  /** Parts of each message: one figure of a campaign, except where each text is its recipient's own. */
  private async parts(
    source: ReadSource,
    campaigns: readonly SettledCampaign[],
    rows: readonly RecipientColumns[],
  ): Promise<(campaign: SettledCampaign, seq: number, number: string) => number> {
    const own = new Set(campaigns.filter(({ content }) => isPersonalised(content)).map(({ id }) => id));
    const common = new Map(
      campaigns.map(({ id, channel, content }) => [
        id,
        own.has(id) ? 1 : (this.channels.find(channel)?.segments?.(content) ?? 1),
      ]),
    );
    if (own.size === 0) return ({ id }) => common.get(id) ?? 1;
    const keys = rows.filter(([id]) => own.has(id)).map(([campaignId, seq]) => ({ campaignId, seq }));
    const variables = await variablesOf(source, keys);
    return ({ id, channel, content }, seq, number) => {
      if (!own.has(id)) return common.get(id) ?? 1;
      const values = variables({ campaignId: id, seq });
      const addressee = { number, ...(values && { variables: values }) };
      return this.channels.find(channel)?.segments?.(content, addressee) ?? 1;
    };
  }
}
