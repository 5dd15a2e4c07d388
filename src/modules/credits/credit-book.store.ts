import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import {
  afterCommit,
  execute,
  jsonRows,
  nullColumn,
  type Statement,
  violatedCheck,
} from '../../platform/database/index.js';
import { CustomerEvents } from '../customer-events/index.js';
import { Traffic } from '../traffic/index.js';
import { publishLow } from './balance-alerts.store.js';
import {
  assertShares,
  type BalanceName,
  BALANCES,
  type Change,
  type LedgerKind,
  type Purse,
  purseKey,
  type Usage,
} from './balances.js';

/** A change of one balance, with its ledger entry. */
export interface Movement extends Purse {
  kind: LedgerKind;
  /** credits, above 0: the kind says whether they come or go */
  amount: number;
  /** usage of a debit or refund */
  usage?: Usage;
  requestId?: string | null;
  note?: string | null;
  /** `kernel/maker.ts`; absent = the service itself */
  createdBy?: string | null;
}

const SIGN = { grant: 1, refund: 1, debit: -1, take_back: -1 } as const satisfies Record<LedgerKind, 1 | -1>;

/** Up to so many rows, constants cost the server less than a `JSON_TABLE`: half for one row. */
const FEW = 4;

/** Whether a balance became negative, or is missing. The transaction must be rolled back. */
export const isOverdrawn = (error: unknown): boolean =>
  violatedCheck(error) === 'ck_credit_balances_available' || isLow(error);

/** Whether a `guarded` movement found a balance that falls below its alert threshold, or is missing. */
export const isLow = (error: unknown): boolean => nullColumn(error) === 'available';

/**
 * Balances (in lock order), ledger and usage of some movements, all above 0: one statement each. The server refuses what
 * would overdraw (`isOverdrawn`). @param guarded also refuses what an alert has to report (`isLow`)
 */
function statementsOf(movements: readonly Movement[], guarded = false): Statement[] {
  for (const { amount, usage } of movements) {
    if (!Number.isSafeInteger(amount) || amount <= 0) throw new RangeError(`Not an amount of credits: ${amount}`);
    if (usage) assertShares(amount, usage);
  }
  if (movements.length === 0) return [];
  const usage = usageRows(movements);
  return [
    ...balances(changesOf(movements), guarded),
    ledger(ledgerRows(movements)),
    ...(usage.length > 0 ? [counters(usage)] : []),
  ];
}

/** The signed sum of each balance, in lock order. */
function changesOf(movements: readonly Movement[]): Change[] {
  const changes = new Map<string, Change>();
  for (const movement of movements) {
    const { accountId, balance, kind, amount } = movement;
    const known = changes.get(purseKey(movement));
    if (known) known[2] += SIGN[kind] * amount;
    else changes.set(purseKey(movement), [accountId, balance, SIGN[kind] * amount]);
  }
  return [...changes.values()].sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1));
}

/** NULL, which the column refuses, if an alert has to report the change. */
const changed = (by: string, guarded: boolean): string =>
  guarded
    ? `IF(b.available >= b.alert_below AND b.available + ${by} < b.alert_below, NULL, b.available + ${by})`
    : `b.available + ${by}`;

function balances(changes: readonly Change[], guarded: boolean): Statement[] {
  if (changes.length <= FEW) {
    return changes.map(([accountId, balance, by]) => ({
      sql: `UPDATE credit_balances b SET b.available = ${changed('?', guarded)} WHERE b.account_id = ? AND b.balance = ?`,
      values: [...(guarded ? [by, by] : [by]), accountId, balance],
    }));
  }
  const sql = `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (account_id BIGINT PATH '$[0]',
      balance VARCHAR(32) CHARACTER SET ascii PATH '$[1]', by_credits BIGINT PATH '$[2]')) j
    STRAIGHT_JOIN credit_balances b FORCE INDEX (PRIMARY) ON b.account_id = j.account_id AND b.balance = j.balance
    SET b.available = ${changed('j.by_credits', guarded)}`;
  return [{ sql, values: [jsonRows(changes)] }];
}

/** `behind`: the sum of the later movements of its balance, so that each entry has the balance after it. */
type LedgerRow = [...Change, behind: number, kind: LedgerKind, ...texts: (string | null)[]];

function ledgerRows(movements: readonly Movement[]): LedgerRow[] {
  const behind = new Map<string, number>();
  const rows = movements.toReversed().map((movement): LedgerRow => {
    const { accountId, balance, kind, requestId = null, note = null, createdBy = null } = movement;
    const amount = SIGN[kind] * movement.amount;
    const later = behind.get(purseKey(movement)) ?? 0;
    behind.set(purseKey(movement), later + amount);
    return [accountId, balance, amount, later, kind, requestId, note, createdBy];
  });
  return rows.reverse();
}

const INTO_LEDGER = `INSERT INTO credit_ledger
  (account_id, balance, amount, available, kind, request_id, note, created_by, created_at)`;

/** A missing balance makes `available` NULL, which the column refuses. */
function ledger(rows: readonly LedgerRow[]): Statement {
  if (rows.length <= FEW) {
    const row = `(?,?,?,(SELECT b.available FROM credit_balances b WHERE b.account_id = ? AND b.balance = ?) - ?,
      ?,?,?,?,UTC_TIMESTAMP(3))`;
    return {
      sql: `${INTO_LEDGER} VALUES ${rows.map(() => row).join(',')}`,
      values: rows.flatMap(([accountId, balance, amount, behind, ...others]) => [
        ...[accountId, balance, amount, accountId, balance, behind],
        ...others,
      ]),
    };
  }
  const sql = `${INTO_LEDGER}
    SELECT STRAIGHT_JOIN j.account_id, j.balance, j.amount, b.available - j.behind, j.kind, j.request_id, j.note,
      j.created_by, UTC_TIMESTAMP(3)
    FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal FOR ORDINALITY, account_id BIGINT PATH '$[0]',
        balance VARCHAR(32) CHARACTER SET ascii PATH '$[1]', amount BIGINT PATH '$[2]', behind BIGINT PATH '$[3]',
        kind VARCHAR(16) CHARACTER SET ascii PATH '$[4]', request_id VARCHAR(64) CHARACTER SET ascii PATH '$[5]',
        note VARCHAR(255) CHARACTER SET utf8mb4 PATH '$[6]', created_by VARCHAR(128) CHARACTER SET utf8mb4 PATH '$[7]')) j
      LEFT JOIN credit_balances b FORCE INDEX (PRIMARY) ON b.account_id = j.account_id AND b.balance = j.balance
    ORDER BY j.ordinal`;
  return { sql, values: [jsonRows(rows)] };
}

type UsageKey = [accountId: number, balance: BalanceName, channel: string, prefix: string, sender: string];
/** charged recipients and credits, refunded recipients and credits */
type UsageCounts = [number, number, number, number];

function usageRows(movements: readonly Movement[]): [...UsageKey, ...UsageCounts][] {
  const rows = new Map<string, { key: UsageKey; counts: UsageCounts }>();
  for (const { accountId, balance, kind, usage } of movements) {
    for (const { prefix, sender, recipients, credits } of usage?.shares ?? []) {
      if (credits === 0) continue;
      const key: UsageKey = [accountId, balance, usage?.channel ?? '', prefix, sender];
      const name = key.join(' ');
      const row = rows.get(name) ?? { key, counts: [0, 0, 0, 0] };
      rows.set(name, row);
      const first = kind === 'debit' ? 0 : 2;
      row.counts[first] += recipients;
      row.counts[first + 1] = (row.counts[first + 1] ?? 0) + credits;
    }
  }
  return [...rows.values()].map(({ key, counts }) => [...key, ...counts]);
}

const COUNTS = ['charged_recipients', 'charged_credits', 'refunded_recipients', 'refunded_credits'] as const;
const INTO_USAGE = `INSERT INTO usage_counters (account_id, balance, channel, prefix, sender, ${COUNTS.join(', ')}, day)`;
const ADDED = `ON DUPLICATE KEY UPDATE ${COUNTS.map((count) => `${count} = ${count} + VALUES(${count})`).join(', ')}`;

/** Follows the ledger's statement, whose first entry gives the day. The balances are locked, so counters never wait. */
function counters(rows: readonly [...UsageKey, ...UsageCounts][]): Statement {
  if (rows.length <= FEW) {
    const row = '(?,?,?,?,?,?,?,?,?,(SELECT DATE(l.created_at) FROM credit_ledger l WHERE l.id = LAST_INSERT_ID()))';
    return { sql: `${INTO_USAGE} VALUES ${rows.map(() => row).join(',')} ${ADDED}`, values: rows.flat() };
  }
  const sql = `${INTO_USAGE}
    SELECT STRAIGHT_JOIN j.account_id, j.balance, j.channel, j.prefix, j.sender, ${COUNTS.map((_, place) => `j.count${place}`).join(', ')},
      DATE(l.created_at)
    FROM credit_ledger l JOIN JSON_TABLE(?, '$[*]' COLUMNS (account_id BIGINT PATH '$[0]',
        balance VARCHAR(32) CHARACTER SET ascii PATH '$[1]', channel VARCHAR(16) CHARACTER SET ascii PATH '$[2]',
        prefix VARCHAR(8) CHARACTER SET ascii PATH '$[3]', sender VARCHAR(32) CHARACTER SET utf8mb4 PATH '$[4]',
        ${COUNTS.map((_, place) => `count${place} BIGINT PATH '$[${5 + place}]'`).join(', ')})) j
    WHERE l.id = LAST_INSERT_ID() ${ADDED}`;
  return { sql, values: [jsonRows(rows)] };
}

const moving = (movements: readonly Movement[]): Movement[] => movements.filter(({ amount }) => amount !== 0);

/**
 * The only writer of balances, ledger and usage: a movement changes all three in the caller's transaction, so they agree at
 * every commit. Movements of 0 leave no entry. Balances stay locked until the commit: move them last.
 * @example
 * await inTransaction(dataSource, (tx) => book.move(tx, [{ kind: 'grant', accountId, balance, amount: 100, note }]));
 */
@Injectable()
export class CreditBook {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: CustomerEvents,
    private readonly traffic: Traffic,
  ) {}

  /** Returns whole credits, read without a lock: only for early refusals and display; the debit decides. */
  async available(accountId: number, balance: BalanceName, source: DataSource | EntityManager = this.dataSource) {
    const rows = await source.query<{ available: number }[]>(
      'SELECT available FROM credit_balances WHERE account_id = ? AND balance = ?',
      [accountId, balance],
    );
    return rows[0]?.available ?? 0;
  }

  /** Like `available` for many balances in one statement; 0 for a missing balance. */
  async availableIn(purses: readonly Purse[]): Promise<(purse: Purse) => number> {
    const rows = await this.dataSource.query<(Purse & { available: number })[]>(
      `SELECT account_id AS accountId, balance, available FROM credit_balances
       WHERE account_id IN (?) AND balance IN (?)`,
      [[...new Set(purses.map(({ accountId }) => accountId))], [...new Set(purses.map(({ balance }) => balance))]],
    );
    const byKey = new Map(rows.map((row) => [purseKey(row), row.available]));
    return (purse) => byKey.get(purseKey(purse)) ?? 0;
  }

  /** Creates the six balances of a new account; starting credits become grants in the ledger. */
  async open(
    tx: EntityManager,
    accountId: number,
    starting: Partial<Record<BalanceName, number>>,
    note = 'Starting credits',
  ): Promise<void> {
    await tx.query(
      `INSERT INTO credit_balances (account_id, balance, available) VALUES ${BALANCES.map(() => '(?, ?, 0)').join(', ')}`,
      BALANCES.flatMap((balance) => [accountId, balance]),
    );
    await this.grant(tx, accountId, starting, note);
  }

  /** Adds starting credits to the balances of an account. */
  async grant(
    tx: EntityManager,
    accountId: number,
    starting: Partial<Record<BalanceName, number>>,
    note = 'Starting credits',
  ): Promise<void> {
    const grant = (balance: BalanceName): Movement => ({
      ...{ kind: 'grant', accountId, balance, amount: starting[balance] ?? 0, note },
    });
    await this.move(tx, BALANCES.map(grant));
  }

  /**
   * Moves credits, and publishes an alert for each balance that falls below its threshold. @param alerts false = none
   * @throws an error that `isOverdrawn` if credits are insufficient or a balance is missing: roll back
   */
  async move(tx: EntityManager, movements: readonly Movement[], { alerts = true } = {}): Promise<void> {
    const moved = moving(movements);
    await execute(tx, statementsOf(moved));
    const taken = changesOf(moved).filter(([, , change]) => change < 0);
    if (alerts && taken.length > 0) await publishLow(tx, this.events, taken);
    if (this.traffic.isCounting && moved.some(({ usage }) => usage)) afterCommit(tx, () => this.count(moved));
  }

  /**
   * The movements as statements of a packet; call `count` after its commit. Their error `isOverdrawn` as that of `move`, or
   * `isLow` if an alert has to be published: then `move` them in a transaction.
   */
  packet(movements: readonly Movement[]): Statement[] {
    return statementsOf(moving(movements), true);
  }

  /** Counts committed debits and refunds for the metrics. */
  count(movements: readonly Movement[]): void {
    if (!this.traffic.isCounting) return;
    for (const { accountId, kind, amount, usage } of movements) {
      if (!usage) continue;
      const figure = kind === 'debit' ? 'charged' : 'refunded';
      this.traffic.count({ routeId: null, accountId, channel: usage.channel }, figure, amount);
    }
  }
}
