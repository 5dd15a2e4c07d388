import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Asked, WriteResult } from '../../../platform/database/index.js';
import { lockQuota } from '../../quotas/index.js';
import type { Keyword, Keywords } from './words.js';

export interface StoredKeyword extends Keyword {
  createdBy: string | null;
  updatedAt: Date;
}

/** The most that one account may have: they are read with each text for it. */
export const MOST_KEYWORDS = 200;

/** Keywords of accounts. */
@Injectable()
export class KeywordStore {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Keywords of these accounts; an account without any has no entry. Call it before a transaction. */
  of(accountIds: readonly number[]): Promise<ReadonlyMap<number, Keywords>> {
    return this.read(this.dataSource, accountIds);
  }

  async ofOne(tx: EntityManager, accountId: number): Promise<Keywords | undefined> {
    return (await this.read(tx, [accountId])).get(accountId);
  }

  private async read(source: Asked, accountIds: readonly number[]): Promise<ReadonlyMap<number, Keywords>> {
    const found = new Map<number, Map<string, Keyword>>();
    if (accountIds.length === 0) return found;
    const rows: (Keyword & { accountId: number })[] = await source.query(
      `SELECT accountId, word, action, reply FROM (
         SELECT account_id AS accountId, word, action, reply,
           ROW_NUMBER() OVER (PARTITION BY account_id ORDER BY word) AS ordinal
         FROM account_keywords WHERE account_id IN (?)) k
       WHERE ordinal <= ${MOST_KEYWORDS}`,
      [accountIds],
    );
    for (const { accountId, ...keyword } of rows) {
      const own = found.get(accountId) ?? new Map<string, Keyword>();
      found.set(accountId, own.set(keyword.word, keyword));
    }
    return found;
  }

  list(accountId: number, source: Asked = this.dataSource): Promise<StoredKeyword[]> {
    return source.query(
      `SELECT word, action, reply, created_by AS createdBy, updated_at AS updatedAt FROM account_keywords WHERE account_id = ?
       ORDER BY word LIMIT ${MOST_KEYWORDS}`,
      [accountId],
    );
  }

  /** Adds or replaces a keyword. @returns how many the account has then */
  async put(
    tx: EntityManager,
    accountId: number,
    { word, action, reply, createdBy }: Omit<StoredKeyword, 'updatedAt'>,
  ): Promise<number> {
    await lockQuota(tx, accountId, 'keywords');
    await tx.query(
      `INSERT INTO account_keywords (account_id, word, action, reply, created_by, updated_at)
       VALUES (?, ?, ?, ?, ?, UTC_TIMESTAMP(3))
       ON DUPLICATE KEY UPDATE action = VALUES(action), reply = VALUES(reply), created_by = VALUES(created_by),
         updated_at = VALUES(updated_at)`,
      [accountId, word, action, reply, createdBy],
    );
    const [row] = await tx.query<{ count: string }[]>(
      'SELECT COUNT(*) AS count FROM account_keywords WHERE account_id = ? LIMIT 1',
      [accountId],
    );
    return Number(row?.count);
  }

  /** Takes the answer of a keyword; what else it does stays. */
  async silence(tx: EntityManager, accountId: number, { word, action }: Keyword): Promise<void> {
    if (action === 'reply') {
      await this.remove(tx, accountId, word);
      return;
    }
    await tx.query(
      'UPDATE account_keywords SET reply = NULL, updated_at = UTC_TIMESTAMP(3) WHERE account_id = ? AND word = ?',
      [accountId, word],
    );
  }

  /** @returns whether there was one */
  async remove(tx: EntityManager, accountId: number, word: string): Promise<boolean> {
    const { affectedRows } = await tx.query<WriteResult>(
      'DELETE FROM account_keywords WHERE account_id = ? AND word = ?',
      [accountId, word],
    );
    return affectedRows > 0;
  }
}
