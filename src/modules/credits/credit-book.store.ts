import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { afterCommit, execute, type Statement } from '../../platform/database/index.js';
import { CustomerEvents } from '../customer-events/index.js';
import { Traffic } from '../traffic/index.js';
import { publishLow } from './balance-alerts.store.js';
import { type BalanceName, BALANCES, type Purse, purseKey } from './balances.js';
import { changesOf, type Movement, statementsOf } from './movements.js';

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
