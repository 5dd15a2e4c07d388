import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Listed, Page } from '../../../kernel/lists.js';
import { lockQuota } from '../../quotas/index.js';
import { inListedOrder, listKeys, type WriteResult } from '../../../platform/database/index.js';

export interface InboundNumber {
  id: number;
  /** digits of a number with country code, or of a short code */
  number: string;
  routeId: number;
  /** '' = every text */
  keyword: string;
  accountId: number;
  createdAt: Date;
}

/** The bounds are of an account and of a number: one lock for both. */
const HOUSE = 0;
export const NUMBERS_PER_ACCOUNT = 1_000;
export const KEYWORDS_PER_NUMBER = 200;

const COLUMNS = 'id, number, route_id AS routeId, keyword, account_id AS accountId, created_at AS createdAt';

/** Numbers and short codes that belong to accounts. */
@Injectable()
export class InboundNumbers {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async part(page: Page): Promise<Listed<InboundNumber>> {
    const ranges = [{ where: 'id > ?', values: [0] }];
    const list = { table: 'inbound_numbers', index: 'PRIMARY', key: 'id', order: 'DESC', ranges } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows: InboundNumber[] =
      ids.items.length === 0
        ? []
        : await this.dataSource.query(`SELECT ${COLUMNS} FROM inbound_numbers WHERE id IN (?)`, [ids.items]);
    return inListedOrder(ids, rows, ({ id }) => id);
  }

  async byId(id: number): Promise<InboundNumber | null> {
    return this.find(this.dataSource, id);
  }

  /** @throws a duplicate key when the route has the number with this keyword */
  async add(
    tx: EntityManager,
    { number, routeId, keyword, accountId }: Omit<InboundNumber, 'id' | 'createdAt'>,
  ): Promise<InboundNumber | null> {
    await lockQuota(tx, HOUSE, 'inbound_numbers');
    const { insertId } = await tx.query<{ insertId: number }>(
      `INSERT INTO inbound_numbers (number, route_id, keyword, account_id, created_at)
       VALUES (?, ?, ?, ?, UTC_TIMESTAMP(3))`,
      [number, routeId, keyword, accountId],
    );
    return this.find(tx, insertId);
  }

  /** Rows of the account, and of the number on all routes; other additions wait for the transaction that added one. */
  async counts(
    tx: EntityManager,
    { accountId, number }: Pick<InboundNumber, 'accountId' | 'number'>,
  ): Promise<{ account: number; number: number }> {
    const [row] = await tx.query<{ account: string; number: string }[]>(
      `SELECT (SELECT COUNT(*) FROM inbound_numbers WHERE account_id = ?) AS account,
         (SELECT COUNT(*) FROM inbound_numbers WHERE number = ?) AS number LIMIT 1`,
      [accountId, number],
    );
    return { account: Number(row?.account), number: Number(row?.number) };
  }

  async find(tx: Pick<EntityManager, 'query'>, id: number): Promise<InboundNumber | null> {
    const [row] = await tx.query<InboundNumber[]>(`SELECT ${COLUMNS} FROM inbound_numbers WHERE id = ?`, [id]);
    return row ?? null;
  }

  async remove(tx: EntityManager, id: number): Promise<boolean> {
    const { affectedRows } = await tx.query<WriteResult>('DELETE FROM inbound_numbers WHERE id = ?', [id]);
    return affectedRows > 0;
  }
}
