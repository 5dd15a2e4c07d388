import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { afterCommit, jsonRows, type WriteResult } from '../../platform/database/index.js';
import { CustomerEvents } from '../customer-events/index.js';
import { Traffic } from '../traffic/index.js';
import { NOTE_LOW, tellOfLow } from './balance-alerts.store.js';
import {
  assertShares,
  type BalanceName,
  BALANCES,
  type LedgerKind,
  type Purse,
  purseKey,
  type Usage,
} from './balances.js';
import { countUsage } from './usage.store.js';

interface Moved {
  accountId: number;
  amount: number;
  usage: { channel: string };
}

/** Updates the credit metrics after the transaction commits. */
function countCredits(
  tx: EntityManager,
  traffic: Traffic,
  lines: readonly Moved[],
  figure: 'charged' | 'refunded',
): void {
  if (!traffic.isCounting) return;
  afterCommit(tx, () => {
    for (const { accountId, amount, usage } of lines) {
      traffic.count({ routeId: null, accountId, channel: usage.channel }, figure, amount);
    }
  });
}

interface SingleCharge {
  accountId: number;
  balance: BalanceName;
  requestId: string;
  amount: number;
  createdBy?: string | null;
  usage: Usage;
}

/**
 * Debits one charge, the most frequent case, without the list statements of `debit`. The insertId returns the remaining
 * credits; its last bit says whether they fell below the alert threshold. Returns null if credits are insufficient.
 */
async function debitOne(tx: EntityManager, charge: SingleCharge): Promise<{ isLow: boolean } | null> {
  const { accountId, balance, requestId, amount, usage, createdBy = null } = charge;
  const taken = await tx.query<WriteResult>(
    `UPDATE credit_balances SET available = available - ? + 0 * LAST_INSERT_ID(
       (available - ?) * 2 + IF(available >= alert_below AND available - ? < alert_below, 1, 0))
     WHERE account_id = ? AND balance = ? AND available >= ?`,
    [amount, amount, amount, accountId, balance, amount],
  );
  if (taken.affectedRows !== 1) return null;
  const left = Math.floor(taken.insertId / 2);
  const { insertId } = await tx.query<WriteResult>(
    `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, request_id, note, created_by, created_at)
     VALUES (?, ?, ?, ?, 'debit', ?, NULL, ?, UTC_TIMESTAMP(3))`,
    [accountId, balance, -amount, left, requestId, createdBy],
  );
  const [share, ...others] = usage.shares;
  if (share && others.length === 0) {
    await tx.query(
      `INSERT INTO usage_counters (account_id, day, balance, channel, prefix, sender,
         charged_recipients, charged_credits, refunded_recipients, refunded_credits)
       SELECT account_id, DATE(created_at), balance, ?, ?, ?, ?, ?, 0, 0 FROM credit_ledger WHERE id = ?
       ON DUPLICATE KEY UPDATE charged_recipients = charged_recipients + VALUES(charged_recipients),
         charged_credits = charged_credits + VALUES(charged_credits)`,
      [usage.channel, share.prefix, share.sender, share.recipients, share.credits, insertId],
    );
  } else await countUsage(tx, 'debit', insertId, [charge]);
  return { isLow: taken.insertId % 2 === 1 };
}

interface LedgerLine extends Record<'amount' | 'available', number>, Record<'requestId' | 'note', string | null> {
  kind: LedgerKind;
  /** `kernel/maker.ts`; absent = the service itself */
  createdBy?: string | null;
}

/** A debit of one request. */
export interface Charge extends Purse {
  requestId: string;
  amount: number;
  usage: Usage;
  /** `kernel/maker.ts`; absent = the service itself */
  createdBy?: string | null;
}

export interface Repayment extends Charge {
  note: string | null;
}

/**
 * The only writer of balances, ledger and usage. A movement is one conditional UPDATE plus its ledger and usage rows in the
 * caller's transaction, so all three agree at every commit. The UPDATE locks the balance: call it last.
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

  /** Creates the six balances of a new account; starting credits become grants in the ledger. */
  async open(
    tx: EntityManager,
    accountId: number,
    starting: Partial<Record<BalanceName, number>>,
    note = 'Starting credits',
  ): Promise<void> {
    await tx.query(
      `INSERT INTO credit_balances (account_id, balance, available) VALUES ${BALANCES.map(() => '(?, ?, ?)').join(', ')}`,
      BALANCES.flatMap((balance) => [accountId, balance, starting[balance] ?? 0]),
    );
    for (const balance of BALANCES) {
      const amount = starting[balance] ?? 0;
      if (amount === 0) continue;
      await this.append(tx, accountId, balance, [{ amount, available: amount, kind: 'grant', requestId: null, note }]);
    }
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

  /**
   * Takes all charges or none with three statements, locking balances in a fixed order. Charges of 0 leave no ledger entry.
   * Returns false if credits are insufficient: the caller must then roll back.
   */
  async debit(tx: EntityManager, charges: readonly Charge[]): Promise<boolean> {
    const charged = charges.filter(({ amount }) => amount !== 0);
    for (const charge of charged) assertCharge(charge);
    const [first, ...others] = charged;
    if (!first) return true;
    const rows = totals(charged);
    countCredits(tx, this.traffic, charged, 'charged');
    if (others.length === 0) {
      const one = await debitOne(tx, first);
      if (one?.isLow) await tellOfLow(tx, this.events, rows);
      return one !== null;
    }
    const taken = await tx.query<WriteResult>(
      `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (account_id BIGINT PATH '$[0]',
           balance VARCHAR(32) CHARACTER SET ascii PATH '$[1]', amount BIGINT PATH '$[2]')) j
         STRAIGHT_JOIN credit_balances b FORCE INDEX (PRIMARY) ON b.account_id = j.account_id AND b.balance = j.balance
       SET b.available = b.available - j.amount + ${NOTE_LOW} WHERE b.available >= j.amount`,
      [jsonRows(rows)],
    );
    if (taken.affectedRows !== rows.length) return false;
    await this.appendAll(tx, 'debit', charged);
    if (taken.insertId > 0) await tellOfLow(tx, this.events, rows);
    return true;
  }

  /** Refunds in three statements (reference/credits#refunds); the caller must ensure that it happens once. Skips 0. */
  async refund(tx: EntityManager, repayments: readonly Repayment[]): Promise<void> {
    const repaid = repayments.filter(({ amount }) => amount !== 0);
    for (const repayment of repaid) assertCharge(repayment);
    if (repaid.length === 0) return;
    const rows = totals(repaid);
    const given = await tx.query<WriteResult>(
      `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (account_id BIGINT PATH '$[0]',
           balance VARCHAR(32) CHARACTER SET ascii PATH '$[1]', amount BIGINT PATH '$[2]')) j
         STRAIGHT_JOIN credit_balances b FORCE INDEX (PRIMARY) ON b.account_id = j.account_id AND b.balance = j.balance
       SET b.available = b.available + j.amount`,
      [jsonRows(rows)],
    );
    if (given.affectedRows !== rows.length) throw new Error('An account has no such balance');
    countCredits(tx, this.traffic, repaid, 'refunded');
    await this.appendAll(tx, 'refund', repaid);
  }

  /** Adds credits; `createdBy` as in `kernel/maker.ts`. */
  async grant(
    tx: EntityManager,
    accountId: number,
    balance: BalanceName,
    amount: number,
    note: string | null,
    createdBy: string | null = null,
  ): Promise<void> {
    if (amount === 0) return;
    assertAmount(amount);
    const available = await this.move(tx, accountId, balance, amount);
    if (available === null) throw new Error(`Account ${accountId} has no balance ${balance}`);
    const line = { amount, available, kind: 'grant' as const, requestId: null, note, createdBy };
    await this.append(tx, accountId, balance, [line]);
  }

  /** Removes granted credits. Returns false without a change if fewer are available. */
  async takeBack(
    tx: EntityManager,
    accountId: number,
    balance: BalanceName,
    amount: number,
    note: string | null,
    createdBy: string | null = null,
  ): Promise<boolean> {
    assertAmount(amount);
    const available = await this.move(tx, accountId, balance, -amount);
    if (available === null) return false;
    await this.append(tx, accountId, balance, [
      { amount: -amount, available, kind: 'take_back', requestId: null, note, createdBy },
    ]);
    return true;
  }

  /**
   * Moves credits between a reseller and a client. Locks both rows in account id order, so that opposite transfers cannot
   * deadlock. Returns false without a change if the giver has fewer.
   */
  async transfer(
    tx: EntityManager,
    fromAccountId: number,
    toAccountId: number,
    balance: BalanceName,
    amount: number,
    note: string | null,
    makers: { from: string | null; to: string | null } = { from: null, to: null },
  ): Promise<boolean> {
    const both =
      'SELECT available FROM credit_balances WHERE account_id IN (?, ?) AND balance = ? ORDER BY account_id FOR UPDATE';
    await tx.query(both, [fromAccountId, toAccountId, balance]);
    if (!(await this.takeBack(tx, fromAccountId, balance, amount, note, makers.from))) return false;
    await this.grant(tx, toAccountId, balance, amount, note, makers.to);
    await tellOfLow(tx, this.events, [[fromAccountId, balance, amount]]);
    return true;
  }

  /** Returns the new balance, or null if below zero. LAST_INSERT_ID saves a read; RETURNING is not portable. */
  private async move(
    tx: EntityManager,
    accountId: number,
    balance: BalanceName,
    delta: number,
  ): Promise<number | null> {
    const [sign, condition] = delta < 0 ? ['-', 'AND available >= ?'] : ['+', ''];
    const amount = Math.abs(delta);
    const result = await tx.query<WriteResult>(
      `UPDATE credit_balances SET available = LAST_INSERT_ID(available ${sign} ?)
       WHERE account_id = ? AND balance = ? ${condition}`,
      delta < 0 ? [amount, accountId, balance, amount] : [amount, accountId, balance],
    );
    return result.affectedRows === 0 ? null : result.insertId;
  }

  /** The caller holds the locks, so each entry's balance is the final balance minus the later movements. */
  private async appendAll(
    tx: EntityManager,
    kind: 'debit' | 'refund',
    lines: readonly (Charge & { note?: string | null })[],
  ): Promise<void> {
    const sign = kind === 'debit' ? -1 : 1;
    const behind = new Map<string, number>();
    const rows = lines.toReversed().map((line) => {
      const key = purseKey(line);
      const moved = behind.get(key) ?? 0;
      const amount = sign * line.amount;
      behind.set(key, moved + amount);
      return [line.accountId, line.balance, amount, moved, line.requestId, line.note ?? null, line.createdBy ?? null];
    });
    const { insertId } = await tx.query<WriteResult>(
      `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, request_id, note, created_by, created_at)
       SELECT STRAIGHT_JOIN b.account_id, b.balance, j.amount, b.available - j.behind, ?, j.request_id, j.note,
         j.created_by, UTC_TIMESTAMP(3)
       FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal FOR ORDINALITY, account_id BIGINT PATH '$[0]',
           balance VARCHAR(32) CHARACTER SET ascii PATH '$[1]', amount BIGINT PATH '$[2]', behind BIGINT PATH '$[3]',
           request_id VARCHAR(64) CHARACTER SET ascii PATH '$[4]', note VARCHAR(255) CHARACTER SET utf8mb4 PATH '$[5]',
           created_by VARCHAR(128) CHARACTER SET utf8mb4 PATH '$[6]')) j
         JOIN credit_balances b FORCE INDEX (PRIMARY) ON b.account_id = j.account_id AND b.balance = j.balance
       ORDER BY j.ordinal`,
      [kind, jsonRows(rows.reverse())],
    );
    await countUsage(tx, kind, insertId, lines);
  }

  private async append(tx: EntityManager, accountId: number, balance: BalanceName, lines: LedgerLine[]): Promise<void> {
    const at = now();
    await tx.query(
      `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, request_id, note, created_by, created_at)
       VALUES ${lines.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
      lines.flatMap(({ amount, available, kind, requestId, note, createdBy = null }) => [
        ...[accountId, balance, amount, available],
        ...[kind, requestId, note, createdBy, at],
      ]),
    );
  }
}

/** Sums charges by balance, in lock order. */
function totals(charges: readonly Charge[]): [accountId: number, balance: BalanceName, amount: number][] {
  const byPurse = new Map<string, Charge>();
  for (const charge of charges) {
    const known = byPurse.get(purseKey(charge));
    if (known) known.amount += charge.amount;
    else byPurse.set(purseKey(charge), { ...charge });
  }
  return [...byPurse.values()].sort(inLockOrder).map(({ accountId, balance, amount }) => [accountId, balance, amount]);
}

const inLockOrder = (a: Purse, b: Purse): number => a.accountId - b.accountId || (a.balance < b.balance ? -1 : 1);

function assertCharge({ amount, usage }: Charge): void {
  assertAmount(amount);
  assertShares(amount, usage);
}

function assertAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount <= 0) throw new RangeError(`Not an amount of credits: ${amount}`);
}
