import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import type { Channel } from '../../engine/index.js';

type PricedMessage = Parameters<NonNullable<Channel['priced']>>[1][number];

/** The provider's categories, by the balance that pays for them; others, such as `service`, are compared with none. */
const PAID_BY: Readonly<Record<string, string>> = {
  marketing: 'chat_marketing_credits',
  marketing_lite: 'chat_marketing_credits',
  utility: 'chat_utility_credits',
  authentication: 'chat_auth_credits',
  authentication_international: 'chat_auth_credits',
};

const isOtherPrice = ({ balance, pricing: { category } }: PricedMessage): boolean => {
  const paidBy = Object.hasOwn(PAID_BY, category) ? PAID_BY[category] : undefined;
  return paidBy !== undefined && paidBy !== balance;
};

/** Keeps what statuses say of prices; a later status replaces an earlier one. */
export async function keepPrices(tx: EntityManager, messages: readonly PricedMessage[]): Promise<void> {
  const latest = new Map(messages.map((message) => [`${message.campaignId}-${message.seq}`, message]));
  // Sorted by key, so that concurrent receipts cannot deadlock.
  const rows = [...latest.values()]
    .sort((a, b) => a.campaignId - b.campaignId || a.seq - b.seq)
    .map((message) => {
      const { campaignId, seq, accountId, pricing } = message;
      const billable = pricing.billable === null ? null : Number(pricing.billable);
      const words = [pricing.category, billable, pricing.model, pricing.type];
      return [campaignId, seq, accountId, ...words, Number(isOtherPrice(message))];
    });
  await tx.query(
    `INSERT INTO chat_prices (campaign_id, seq, account_id, category, billable, model, type, differs_at, priced_at)
     SELECT j.campaign_id, j.seq, j.account_id, j.category, j.billable, j.model, j.type,
       IF(j.differs = 1, UTC_TIMESTAMP(3), NULL), UTC_TIMESTAMP(3)
     FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', account_id INT PATH '$[2]',
       category VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin PATH '$[3]', billable INT PATH '$[4]',
       model VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin PATH '$[5]',
       type VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin PATH '$[6]', differs INT PATH '$[7]')) j
     ON DUPLICATE KEY UPDATE category = VALUES(category), billable = VALUES(billable), model = VALUES(model),
       type = VALUES(type), priced_at = VALUES(priced_at),
       differs_at = IF(VALUES(differs_at) IS NULL, NULL, COALESCE(chat_prices.differs_at, VALUES(differs_at)))`,
    [jsonRows(rows)],
  );
}

interface PriceRow {
  seq: number;
  category: string;
  billable: number | null;
  model: string | null;
  type: string | null;
  pricedAt: Date;
}

export interface PriceDifference {
  accountId: number;
  messages: number;
  /** one of them, in the provider's word */
  category: string;
}

const MOST_COUNTED = 100_000;
const MOST_ACCOUNTS = 1_000;

/** Reads what the provider bills for template messages. */
@Injectable()
export class ChatPrices {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  of(campaignId: number, seqs: readonly number[]): Promise<PriceRow[]> {
    if (seqs.length === 0) return Promise.resolve([]);
    return this.dataSource.query(
      `SELECT seq, category, billable, model, type, priced_at AS pricedAt FROM chat_prices
       WHERE campaign_id = ? AND seq IN (?)`,
      [campaignId, seqs],
    );
  }

  /** Accounts with messages that the provider has billed in another category than they paid for, of the last `sinceMs`. */
  async differences(sinceMs: number): Promise<PriceDifference[]> {
    const rows: { accountId: number; messages: string; category: string }[] = await this.dataSource.query(
      `SELECT account_id AS accountId, COUNT(*) AS messages, MIN(category) AS category
       FROM (SELECT account_id, category FROM chat_prices FORCE INDEX (ix_chat_prices_differs)
             WHERE differs_at >= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND LIMIT ?) d
       GROUP BY account_id ORDER BY account_id LIMIT ?`,
      [sinceMs * 1000, MOST_COUNTED, MOST_ACCOUNTS],
    );
    return rows.map((row) => ({ ...row, messages: Number(row.messages) }));
  }
}

const shown = ({ category, billable, model, type }: PriceRow) => ({
  provider_category: category,
  provider_billable: billable === null ? null : billable === 1 ? 'yes' : 'no',
  provider_pricing: [model, type].filter((word) => word !== null).join(' ') || null,
});

const NOT_PRICED = { provider_category: null, provider_billable: null, provider_pricing: null };

/** The provider's price beside our own, in lists, exports and timelines of recipients. */
export const priceDetails: NonNullable<Channel['details']> = {
  columns: Object.keys(NOT_PRICED),

  async of(services, { id }, recipients) {
    const seqs = recipients.map(({ seq }) => seq);
    const prices = new Map((await services(ChatPrices).of(id, seqs)).map((row) => [row.seq, shown(row)]));
    return new Map(seqs.map((seq) => [seq, prices.get(seq) ?? NOT_PRICED]));
  },

  async timeline(services, { id, balance }, seq) {
    const prices = await services(ChatPrices).of(id, [seq]);
    return prices.map((row) => ({ at: row.pricedAt, event: 'priced' as const, details: { ...shown(row), balance } }));
  },
};
