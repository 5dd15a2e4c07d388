import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { again, inTransaction, type ReadSource, type WriteResult } from '../../platform/database/index.js';
import { LeaderGate, SharedTask } from '../../platform/periodic/index.js';
import { safeError } from '../../platform/observability/index.js';

async function entryFrom(source: ReadSource, id: number): Promise<{ id: number; createdAt: Date } | undefined> {
  const [entry] = await source.query<{ id: number; createdAt: Date }[]>(
    'SELECT id, created_at AS createdAt FROM credit_ledger WHERE id >= ? ORDER BY id LIMIT 1',
    [id],
  );
  return entry;
}

/**
 * Bisects for the last entry before a moment, because the time has no index: ids ascend with time, except for clock skew
 * between processes. Returns `from` (lower bound) if no later entry is older.
 */
export async function lastEntryBefore(source: ReadSource, moment: Date, from = 0): Promise<number> {
  const [newest] = await source.query<{ id: number | null }[]>('SELECT MAX(id) AS id FROM credit_ledger');
  let [low, high] = [from, (newest?.id ?? from) + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const entry = await entryFrom(source, middle);
    if (entry && entry.createdAt < moment) low = entry.id;
    else high = middle;
  }
  return low;
}

const ENTRIES_A_STEP = 20_000;
const REMOVED_A_STEP = 5_000;
const DAY_MS = 86_400_000;

interface OpenMonth {
  month: string;
  last_id: number;
  closed_id: number;
}

const textOf = (month: Date): string => month.toISOString().slice(0, 10);
const after = (month: Date, months = 1): Date =>
  new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + months, 1));

/**
 * Monthly closing balances, so that a proof reads only the entries since the last closing and old entries can be removed
 * (docs/decisions/0022). A month is an id range, fixed a day after its end, when none of its transactions can be open.
 * Processes may run this concurrently.
 */
@Injectable()
export class LedgerClosings {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'RETENTION_DAYS'>,
  ) {}

  /** Closes all finished months in bounded transactions; `isStopped` is called between them. */
  async close(isStopped: () => boolean = () => false): Promise<void> {
    while (!isStopped()) {
      if (await this.step()) continue;
      if (!(await this.cutMonth())) return;
    }
  }

  async removeOld(isStopped: () => boolean = () => false): Promise<void> {
    const { RETENTION_DAYS: days } = this.environment;
    if (days === 0) return;
    await this.dataSource.query(
      again(
        `UPDATE credit_months SET removed = 1 WHERE removed = 0 AND closed_id = last_id AND month + INTERVAL 1 MONTH <= ?`,
      ),
      [textOf(new Date(now().getTime() - days * DAY_MS))],
    );
    const [removed] = await this.dataSource.query<{ last: number | null }[]>(
      'SELECT MAX(last_id) AS last FROM credit_months WHERE removed = 1',
    );
    while (removed?.last && !isStopped()) {
      const { affectedRows }: WriteResult = await this.dataSource.query(
        again(`DELETE FROM credit_ledger WHERE id <= ? ORDER BY id LIMIT ${REMOVED_A_STEP}`),
        [removed.last],
      );
      if (affectedRows < REMOVED_A_STEP) return;
    }
  }

  private step(): Promise<boolean> {
    return inTransaction(this.dataSource, async (tx) => {
      const [open] = await tx.query<OpenMonth[]>(
        `SELECT DATE_FORMAT(month, '%Y-%m-%d') AS month, last_id, closed_id FROM credit_months
         WHERE closed_id < last_id ORDER BY month LIMIT 1 FOR UPDATE`,
      );
      if (!open) return false;
      const range = [open.closed_id, open.last_id];
      const [step] = await tx.query<{ last: number | null }[]>(
        `SELECT MAX(id) AS last FROM (SELECT id FROM credit_ledger WHERE id > ? AND id <= ? ORDER BY id LIMIT ${ENTRIES_A_STEP}) s`,
        range,
      );
      const upTo = step?.last ?? open.last_id;
      await tx.query(
        `INSERT INTO credit_closings (account_id, balance, month, entries, moved, charged, refunded, closing)
         SELECT l.account_id, l.balance, ?, l.entries, l.moved, l.charged, l.refunded, l.moved + COALESCE((SELECT c.closing FROM credit_closings c
           WHERE c.account_id = l.account_id AND c.balance = l.balance AND c.month < ? ORDER BY c.account_id DESC, c.balance DESC, c.month DESC LIMIT 1), 0)
         FROM (SELECT account_id, balance, COUNT(*) AS entries, SUM(amount) AS moved,
             SUM(IF(kind = 'debit', -amount, 0)) AS charged, SUM(IF(kind = 'refund', amount, 0)) AS refunded FROM credit_ledger
           WHERE id > ? AND id <= ? GROUP BY account_id, balance) l
         ON DUPLICATE KEY UPDATE entries = credit_closings.entries + VALUES(entries),
           charged = credit_closings.charged + VALUES(charged), refunded = credit_closings.refunded + VALUES(refunded),
           closing = credit_closings.closing + VALUES(moved), moved = credit_closings.moved + VALUES(moved)`,
        [open.month, open.month, open.closed_id, upTo],
      );
      await tx.query('UPDATE credit_months SET closed_id = ? WHERE month = ?', [upTo, open.month]);
      return true;
    });
  }

  private async cutMonth(): Promise<boolean> {
    const [latest] = await this.dataSource.query<{ month: string; last_id: number }[]>(
      "SELECT DATE_FORMAT(month, '%Y-%m-%d') AS month, last_id FROM credit_months ORDER BY month DESC LIMIT 1",
    );
    const afterId = latest?.last_id ?? 0;
    const first = await entryFrom(this.dataSource, afterId + 1);
    if (!first) return false;
    // A process with a slow clock may write into a month that is already cut; the entry counts for the next month.
    const earliest = latest ? after(new Date(latest.month)) : first.createdAt;
    const month = after(first.createdAt > earliest ? first.createdAt : earliest, 0);
    const end = after(month);
    if (end.getTime() + DAY_MS > now().getTime()) return false;
    const lastId = await lastEntryBefore(this.dataSource, end, first.id);
    await this.dataSource.query(
      again('INSERT IGNORE INTO credit_months (month, after_id, last_id, closed_id) VALUES (?, ?, ?, ?)'),
      [textOf(month), afterId, lastId, afterId],
    );
    return true;
  }
}

const POLL_EVERY_MS = 10 * 60_000;

/** Leader task: closes finished months and removes expired entries every ten minutes. */
@Injectable()
export class LedgerKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(LedgerKeeper.name);
  private readonly task: SharedTask;

  constructor(
    gate: LeaderGate,
    private readonly closings: LedgerClosings,
  ) {
    this.task = new SharedTask(gate, {
      name: 'ledger',
      everyMs: POLL_EVERY_MS,
      work: () => this.poll(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'the ledger could not be closed, trying again'),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async poll(): Promise<void> {
    await this.closings.close(() => this.task.isStopped);
    await this.closings.removeOld(() => this.task.isStopped);
  }
}
