import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { digitsOf } from '../../../kernel/phone-number.js';
import { likePrefix, spellings } from '../../../kernel/search-text.js';
import type { Account } from '../domain/account.js';
import type { IdentityKind } from '../domain/identity.js';
import { AccountEntity } from './account.entity.js';
import { AccountStore } from './account-store.js';

/** An account that a search found. */
export interface FoundAccount {
  account: Account;
  createdAt: Date;
}

/** Names that one look goes through for a reseller's own clients among them. */
const MOST_LOOKED_AT = 1_000;
const FEWEST_DIGITS = 6;

/** Accounts by the beginning of a name: of the login (people under an account lead to it), and of first and last name. */
@Injectable()
export class AccountSearch {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: AccountStore,
  ) {}

  /** @param parentId only the clients of this reseller; null = all accounts */
  async find(text: string, parentId: number | null, limit: number): Promise<FoundAccount[]> {
    const digits = digitsOf(text);
    const lower = text.toLowerCase();
    const ids = await Promise.all([
      this.known('username', lower, parentId, limit),
      this.known('email', lower, parentId, limit),
      digits.length >= FEWEST_DIGITS ? this.known('mobile', digits, parentId, limit) : [],
      this.named(text, parentId, limit),
    ]);
    const wanted = [...new Set(ids.flat())].slice(0, limit);
    const rows = await this.dataSource.getRepository(AccountEntity).findBy({ id: In(wanted) });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return wanted.flatMap((id) => {
      const row = byId.get(id);
      return row ? [{ account: this.store.toAccount(row), createdAt: row.createdAt }] : [];
    });
  }

  private async known(kind: IdentityKind, value: string, parentId: number | null, limit: number): Promise<number[]> {
    const rows: { account_id: number }[] = await this.dataSource.query(
      `SELECT i.account_id FROM (SELECT account_id, value FROM login_identities FORCE INDEX (PRIMARY)
         WHERE kind = ? AND value LIKE ? ORDER BY value LIMIT ?) i
       ${childrenOf('i.account_id', parentId)} ORDER BY i.value LIMIT ?`,
      [kind, likePrefix(value), ...bounds(parentId, limit)],
    );
    return rows.map(({ account_id }) => account_id);
  }

  /** By first and last name: one word is the beginning of either, of two each has its own. */
  private async named(text: string, parentId: number | null, limit: number): Promise<number[]> {
    const [first = '', ...others] = text.split(/\s+/);
    const last = others.join(' ');
    const parts = spellings(first).flatMap((spelling): [string, string, string[]][] =>
      last === ''
        ? ['firstname', 'lastname'].map((column) => [column, `${column} LIKE ?`, [likePrefix(spelling)]])
        : spellings(last).map((also) => [
            'firstname',
            'firstname LIKE ? AND lastname LIKE ?',
            [likePrefix(spelling), likePrefix(also)],
          ]),
    );
    const looks = parts.map(
      ([column, where]) => `(SELECT n.id FROM (SELECT id FROM accounts FORCE INDEX (ix_accounts_${column})
         WHERE ${where} ORDER BY ${column} LIMIT ?) n ${childrenOf('n.id', parentId)} LIMIT ?)`,
    );
    const values = parts.flatMap(([, , prefixes]) => [...prefixes, ...bounds(parentId, limit)]);
    const rows: { id: number }[] = await this.dataSource.query(looks.join(' UNION ALL '), values);
    return rows.map(({ id }) => id);
  }
}

const childrenOf = (id: string, parentId: number | null): string =>
  parentId === null ? '' : `JOIN accounts a ON a.id = ${id} AND a.parent_id = ?`;

const bounds = (parentId: number | null, limit: number): number[] =>
  parentId === null ? [limit, limit] : [MOST_LOOKED_AT, parentId, limit];
