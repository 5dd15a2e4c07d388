import { Injectable } from '@nestjs/common';
import { type Listed, MOST_COUNTED, offsetOf, type Page } from '../../kernel/lists.js';
import { uriDecoded } from '../../kernel/urls.js';
import { ReadDatabase } from '../../platform/database/index.js';
import { type BalanceName, BALANCES } from './balances.js';
import { creditErrors } from './credits.errors.js';
import { lastEntryBefore } from './ledger.store.js';
import { shifted, type UsageGroup, type UsageSelection } from './usage-selection.js';
import type { UsageRowAnswer } from './usage.dto.js';

interface UsageRow {
  groupKey: string | number;
  balance: BalanceName;
  recipientsCharged: number;
  recipientsRefunded: number;
  charged: number;
  refunded: number;
}

interface Grouped {
  /** identifies the group in list order */
  key: string;
  from: string;
  values: readonly unknown[];
  sums: string;
}

const COUNTER_COLUMNS = {
  day: "DATE_FORMAT(day, '%Y-%m-%d')",
  channel: 'channel',
  prefix: 'prefix',
  sender: 'sender',
  account: 'account_id',
} as const satisfies Record<Exclude<UsageGroup, 'campaign'>, string>;

const COUNTER_SUMS = `CAST(SUM(charged_recipients) AS SIGNED) AS recipientsCharged,
  CAST(SUM(refunded_recipients) AS SIGNED) AS recipientsRefunded, CAST(SUM(charged_credits) AS SIGNED) AS charged,
  CAST(SUM(refunded_credits) AS SIGNED) AS refunded`;

/** A refund entry stores its recipients; a debit's recipients come from the campaign, if it is kept. */
const LEDGER_SUMS = `0 AS recipientsCharged,
  CAST(SUM(IF(kind = 'refund' AND note REGEXP '^[0-9]+ recipients$', CAST(SUBSTRING_INDEX(note, ' ', 1) AS UNSIGNED), 0))
    AS SIGNED) AS recipientsRefunded,
  CAST(SUM(IF(kind = 'debit', -amount, 0)) AS SIGNED) AS charged,
  CAST(SUM(IF(kind = 'refund', amount, 0)) AS SIGNED) AS refunded`;

/** Maximum of ledger entries summed for usage by campaign. */
const MOST_ENTRIES = 200_000;
/** Tolerance between ids and times of entries: clock skew, and statements that waited for a lock. */
const SLACK_MS = 5 * 60_000;

/** Reads usage from the daily counters; usage by campaign from the ledger, whose day range is found by bisection. */
@Injectable()
export class UsageReader {
  constructor(private readonly reads: ReadDatabase) {}

  /** Sorts by key, then balance. accountId null = all (not by campaign). @throws AppError invalid over the entry limit */
  async list(accountId: number | null, selection: UsageSelection, page: Page): Promise<Listed<UsageRowAnswer>> {
    const grouped =
      selection.group === 'campaign'
        ? await this.ofLedger(accountId as number, selection)
        : ofCounters(accountId, selection, COUNTER_COLUMNS[selection.group]);
    const [total, rows] = await Promise.all([this.count(grouped), this.rows(grouped, page)]);
    const items = rows.slice(0, page.limit);
    const last = items.at(-1);
    return {
      items: await this.shown(selection.group, items),
      total: Math.min(total, MOST_COUNTED),
      isCapped: total > MOST_COUNTED,
      next: last && rows.length > page.limit ? positionOf(last) : null,
    };
  }

  private async count({ key, from, values }: Grouped): Promise<number> {
    const [row] = await this.reads.query<{ total: string }[]>(
      `SELECT COUNT(*) AS total FROM (SELECT 1 ${from} GROUP BY ${key}, balance LIMIT ${MOST_COUNTED + 1}) g`,
      [...values],
    );
    return Number(row?.total);
  }

  private rows({ key, from, values, sums }: Grouped, page: Page): Promise<UsageRow[]> {
    const after = page.after === null ? null : readPosition(String(page.after));
    const behind = after === null ? '' : `AND (${key} > ? OR (${key} = ? AND balance > ?))`;
    return this.reads.query<UsageRow[]>(
      `SELECT ${key} AS groupKey, balance, ${sums} ${from} ${behind} GROUP BY ${key}, balance
       ORDER BY groupKey, balance LIMIT ? OFFSET ?`,
      [...values, ...(after === null ? [] : [after.key, after.key, after.balance]), page.limit + 1, offsetOf(page)],
    );
  }

  private async ofLedger(accountId: number, { from, to }: UsageSelection): Promise<Grouped> {
    const [start, end] = [from, shifted(to, 1)].map((day) => new Date(`${day}T00:00:00Z`)) as [Date, Date];
    const [first, last] = await Promise.all([
      lastEntryBefore(this.reads, new Date(start.getTime() - SLACK_MS)),
      lastEntryBefore(this.reads, new Date(end.getTime() + SLACK_MS)),
    ]);
    const entries = `FROM credit_ledger FORCE INDEX (ix_credit_ledger_account)
      WHERE account_id = ? AND balance IN (?) AND id > ? AND id <= ?`;
    const values = [accountId, BALANCES, first, last];
    const [row] = await this.reads.query<{ total: string }[]>(
      `SELECT COUNT(*) AS total FROM (SELECT 1 ${entries} LIMIT ${MOST_ENTRIES + 1}) e`,
      values,
    );
    if (Number(row?.total) > MOST_ENTRIES) throw creditErrors.usageEntries();
    return {
      key: 'request_id',
      from: `${entries} AND kind IN ('debit', 'refund') AND created_at >= ? AND created_at < ?`,
      values: [...values, start, end],
      sums: LEDGER_SUMS,
    };
  }

  private async shown(group: UsageGroup, rows: readonly UsageRow[]): Promise<UsageRowAnswer[]> {
    const names = group === 'account' ? await this.usernames(rows) : null;
    const totals = group === 'campaign' ? await this.recipients(rows) : null;
    return rows.map(({ groupKey, balance, recipientsCharged, recipientsRefunded, charged, refunded }) => ({
      key: names ? (names.get(Number(groupKey)) ?? '') : String(groupKey),
      balance,
      recipients_charged: totals ? (charged > 0 ? (totals.get(String(groupKey)) ?? 0) : 0) : recipientsCharged,
      recipients_refunded: recipientsRefunded,
      credits_charged: charged,
      credits_refunded: refunded,
      credits_net: charged - refunded,
    }));
  }

  private async usernames(rows: readonly UsageRow[]): Promise<Map<number, string>> {
    if (rows.length === 0) return new Map();
    const found = await this.reads.query<{ id: number; username: string }[]>(
      'SELECT id, username FROM accounts WHERE id IN (?)',
      [[...new Set(rows.map(({ groupKey }) => groupKey))]],
    );
    return new Map(found.map(({ id, username }) => [id, username]));
  }

  private async recipients(rows: readonly UsageRow[]): Promise<Map<string, number>> {
    if (rows.length === 0) return new Map();
    const found = await this.reads.query<{ requestId: string; total: number }[]>(
      'SELECT request_id AS requestId, total_rows AS total FROM campaigns WHERE request_id IN (?)',
      [[...new Set(rows.map(({ groupKey }) => groupKey))]],
    );
    return new Map(found.map(({ requestId, total }) => [requestId, total]));
  }
}

const ofCounters = (accountId: number | null, { from, to }: UsageSelection, key: string): Grouped => ({
  key,
  from: `FROM usage_counters WHERE ${accountId === null ? '' : 'account_id = ? AND '}day BETWEEN ? AND ?`,
  values: [...(accountId === null ? [] : [accountId]), from, to],
  sums: COUNTER_SUMS,
});

/** Encodes a cursor as printable ASCII. */
const positionOf = ({ groupKey, balance }: UsageRow): string => `${encodeURIComponent(groupKey)} ${balance}`;

function readPosition(position: string): { key: string; balance: string } {
  const [key = '', balance = ''] = position.split(' ');
  return { key: uriDecoded(key), balance };
}
