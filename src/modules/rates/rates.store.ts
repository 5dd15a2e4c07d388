import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type Listed, MOST_COUNTED, type Page } from '../../kernel/lists.js';
import { changedSince } from '../../kernel/errors.js';
import { inListedOrder, jsonRows, listKeys, type WriteResult } from '../../platform/database/index.js';
import { rateErrors } from './rates.errors.js';
import { MOST_ROWS_A_PLAN, type Rate, Rates } from './rates.js';

export interface RatePlanHead {
  id: number;
  name: string;
  revision: number;
  rates: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface RatePlan extends Omit<RatePlanHead, 'rates'> {
  rates: Rate[];
  /** accounts that have it, at most `MOST_COUNTED` */
  accounts: number;
}

const ROWS_A_STATEMENT = 5_000;
const HEAD = 'p.id, p.name, p.revision, p.created_at AS createdAt, p.updated_at AS updatedAt';

@Injectable()
export class RatePlans {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly rates: Rates,
  ) {}

  async list(page: Page): Promise<Listed<RatePlanHead>> {
    const plans = { table: 'rate_plans', index: 'PRIMARY', key: 'id', order: 'ASC' } as const;
    const ids = await listKeys<number>(this.dataSource, { ...plans, ranges: [{ where: '', values: [] }] }, page);
    if (ids.items.length === 0) return { ...ids, items: [] };
    const rows = await this.dataSource.query<RatePlanHead[]>(
      `SELECT ${HEAD}, CAST((SELECT COUNT(*) FROM rate_plan_rows r WHERE r.plan_id = p.id) AS SIGNED) AS rates
       FROM rate_plans p WHERE p.id IN (?)`,
      [ids.items],
    );
    return inListedOrder(ids, rows, ({ id }) => id);
  }

  async find(name: string): Promise<RatePlan | null> {
    const [head] = await this.dataSource.query<Omit<RatePlan, 'rates'>[]>(
      `SELECT ${HEAD}, CAST((SELECT COUNT(*) FROM (SELECT 1 FROM accounts WHERE rate_plan = ? LIMIT ${MOST_COUNTED}) a)
         AS SIGNED) AS accounts FROM rate_plans p WHERE p.name = ? LIMIT 1`,
      [name, name],
    );
    if (!head) return null;
    const rates = await this.dataSource.query<Rate[]>(
      `SELECT channel, prefix, credits_per_segment AS creditsPerSegment FROM rate_plan_rows
       WHERE plan_id = ? ORDER BY channel, prefix LIMIT ?`,
      [head.id, MOST_ROWS_A_PLAN],
    );
    return { ...head, rates };
  }

  /**
   * Creates a plan or replaces its rows; call `forget` after the commit. @param seen expected revision; null = any
   * @returns the new revision @throws AppError conflict `Changed since you looked`
   */
  async put(tx: EntityManager, name: string, rates: readonly Rate[], seen: number | null): Promise<number> {
    const changed = await tx.query<WriteResult>(
      `UPDATE rate_plans SET revision = LAST_INSERT_ID(revision + 1), updated_at = UTC_TIMESTAMP(3)
       WHERE name = ? AND revision = COALESCE(?, revision)`,
      [name, seen],
    );
    const isNew = changed.affectedRows === 0;
    if (isNew && (seen !== null || (await idOf(tx, name)) !== null)) throw changedSince();
    if (isNew) {
      await tx.query(
        `INSERT INTO rate_plans (name, revision, given, created_at, updated_at)
         VALUES (?, 1, 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
        [name],
      );
    }
    await this.write(tx, (await idOf(tx, name)) as number, rates);
    return isNew ? 1 : changed.insertId;
  }

  /** Removes an unused plan; call `forget` after the commit. @throws AppError not_found; conflict when accounts use it */
  async remove(tx: EntityManager, name: string): Promise<void> {
    // Lock the row first: giving the plan to an account writes it too.
    if (!(await this.give(tx, name))) throw rateErrors.notFound();
    const used: unknown[] = await tx.query('SELECT 1 FROM accounts WHERE rate_plan = ? LIMIT 1', [name]);
    if (used.length > 0) throw rateErrors.inUse();
    await tx.query('DELETE r FROM rate_plan_rows r JOIN rate_plans p ON p.id = r.plan_id WHERE p.name = ?', [name]);
    await tx.query('DELETE FROM rate_plans WHERE name = ?', [name]);
  }

  /** Locks a plan for an account that gets it in this transaction. @returns false when it does not exist */
  async give(tx: EntityManager, name: string): Promise<boolean> {
    const given = await tx.query<WriteResult>('UPDATE rate_plans SET given = given + 1 WHERE name = ?', [name]);
    return given.affectedRows === 1;
  }

  /** Sends use the new prices from now on. Call it after the commit that changed a plan, or gave it to an account. */
  forget(): void {
    this.rates.forget();
  }

  private async write(tx: EntityManager, id: number, rates: readonly Rate[]): Promise<void> {
    await tx.query('DELETE FROM rate_plan_rows WHERE plan_id = ?', [id]);
    for (let from = 0; from < rates.length; from += ROWS_A_STATEMENT) {
      const rows = rates.slice(from, from + ROWS_A_STATEMENT);
      await tx.query(
        `INSERT INTO rate_plan_rows (plan_id, channel, prefix, credits_per_segment)
         SELECT ?, j.channel, j.prefix, j.credits FROM JSON_TABLE(?, '$[*]' COLUMNS (
           channel VARCHAR(16) CHARACTER SET ascii PATH '$[0]', prefix VARCHAR(15) CHARACTER SET ascii PATH '$[1]',
           credits INT PATH '$[2]')) j`,
        [id, jsonRows(rows.map(({ channel, prefix, creditsPerSegment }) => [channel, prefix, creditsPerSegment]))],
      );
    }
  }
}

async function idOf(tx: EntityManager, name: string): Promise<number | null> {
  const rows = await tx.query<{ id: number }[]>('SELECT id FROM rate_plans WHERE name = ? LIMIT 1', [name]);
  return rows[0]?.id ?? null;
}
