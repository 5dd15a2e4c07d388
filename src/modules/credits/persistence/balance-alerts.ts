import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { BALANCES, type BalanceName } from '../domain/balances.js';

/** By balance, below which the account wants to be told; null = never. */
export type BalanceThresholds = Record<BalanceName, number | null>;

/** The thresholds of accounts, which stand beside their balances. */
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

  /** Replaces all six. */
  async set(tx: EntityManager, accountId: number, thresholds: BalanceThresholds): Promise<void> {
    await tx.query(
      `UPDATE credit_balances SET alert_below = CASE balance ${BALANCES.map(() => 'WHEN ? THEN ?').join(' ')} END
       WHERE account_id = ?`,
      [...BALANCES.flatMap((name) => [name, thresholds[name]]), accountId],
    );
  }
}
