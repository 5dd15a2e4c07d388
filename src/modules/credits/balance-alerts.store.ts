import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { jsonRows } from '../../platform/database/index.js';
import type { CustomerEvents } from '../customer-events/index.js';
import { type BalanceName, BALANCES, type Change } from './balances.js';

/** Alert threshold of each balance, in credits; null = no alert. */
export type BalanceThresholds = Record<BalanceName, number | null>;

/** Stores alert thresholds, in credits, beside the balances. */
@Injectable()
export class BalanceAlerts {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async of(accountId: number): Promise<BalanceThresholds> {
    const rows = await this.dataSource.query<{ balance: BalanceName; threshold: number | null }[]>(
      'SELECT balance, alert_below AS threshold FROM credit_balances WHERE account_id = ? AND balance IN (?)',
      [accountId, BALANCES],
    );
    const found = new Map(rows.map(({ balance, threshold }) => [balance, threshold]));
    return Object.fromEntries(BALANCES.map((name) => [name, found.get(name) ?? null])) as BalanceThresholds;
  }

  async set(tx: EntityManager, accountId: number, thresholds: BalanceThresholds): Promise<void> {
    await tx.query(
      `UPDATE credit_balances SET alert_below = CASE balance ${BALANCES.map(() => 'WHEN ? THEN ?').join(' ')} END
       WHERE account_id = ?`,
      [...BALANCES.flatMap((name) => [name, thresholds[name]]), accountId],
    );
  }
}

/** Publishes alerts for balances below their threshold, locked by this transaction's debits (reference/credits#alerts). */
export async function publishLow(tx: EntityManager, events: CustomerEvents, taken: readonly Change[]): Promise<void> {
  const rows = await tx.query<{ accountId: number; balance: BalanceName; available: number; threshold: number }[]>(
    `SELECT STRAIGHT_JOIN b.account_id AS accountId, b.balance, b.available, b.alert_below AS threshold
     FROM JSON_TABLE(?, '$[*]' COLUMNS (account_id BIGINT PATH '$[0]',
         balance VARCHAR(32) CHARACTER SET ascii PATH '$[1]', by_credits BIGINT PATH '$[2]')) j
       JOIN credit_balances b FORCE INDEX (PRIMARY) ON b.account_id = j.account_id AND b.balance = j.balance
     WHERE b.available < b.alert_below AND b.available - j.by_credits >= b.alert_below`,
    [jsonRows(taken)],
  );
  await events.publish(
    tx,
    rows.map(({ accountId, balance, available, threshold }) => {
      const type = 'account.balance.low';
      return { accountId, type, body: { event: type, balance, available, threshold } };
    }),
  );
}
