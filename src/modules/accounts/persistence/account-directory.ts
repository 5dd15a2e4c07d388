import { Injectable } from '@nestjs/common';
import { boundedCache, TtlCache } from '../../../platform/caches/index.js';
import { GroupCommit, ONE_TURN } from '../../../platform/concurrency/index.js';
import { now } from '../../../kernel/clock.js';
import { type Account, isUsable } from '../domain/account.js';
import type { AccountEntity } from './account.entity.js';
import { AccountStore } from './account-store.js';

const KEPT_MS = 3_000;
const MOST_ENTRIES = 20_000;
/** of `accounts.username` */
const LONGEST_NAME = 64;

/**
 * Accounts as the hot paths need them: cached for 3 s (reference/authentication#tokens), so a change on another
 * instance acts within 3 s and one on this instance at once (`forget`). Accounts that do not exist are not
 * remembered. Requests that ask for the same one share its read, and those that ask in one turn of the event loop share a
 * statement.
 */
@Injectable()
export class AccountDirectory {
  private readonly cache = new TtlCache<string, Account | null>(KEPT_MS, MOST_ENTRIES);
  /** usernames by id, of the accounts in the cache */
  private readonly names = boundedCache<number, string>(MOST_ENTRIES);
  /** counts changes: what was being read during one is handed out but not kept */
  private generation = 0;
  private readonly idReads = new GroupCommit<number, AccountEntity | null>((ids) => this.store.rowsById(ids), ONE_TURN);
  private readonly nameReads = new GroupCommit<string, AccountEntity | null>(
    (names) => this.store.rowsByUsername(names),
    ONE_TURN,
  );

  constructor(private readonly store: AccountStore) {}

  /** @returns null when there is no such account */
  byId(id: number): Promise<Account | null> {
    return this.cached(`id:${id}`, () => this.idReads.add(id));
  }

  /** Compares byte for byte: `BOB` is not `bob`. Who asks for its id next, as a send does, gets the same reading. */
  byUsername(name: string): Promise<Account | null> {
    // Requests share the statement: a body full of name must not make it too long for all of them.
    if (name.length > LONGEST_NAME) return Promise.resolve(null);
    return this.cached(`name:${name}`, () => this.nameReads.add(name));
  }

  /** Active and unexpired at this moment. */
  usable(account: Account): boolean {
    return isUsable(account, now());
  }

  /** To be called after the commit of a change to the account. */
  forget(id: number): void {
    this.generation += 1;
    this.cache.delete(`id:${id}`);
    const name = this.names.get(id);
    if (name !== undefined) this.cache.delete(`name:${name}`);
  }

  private cached(key: string, read: () => Promise<AccountEntity | null>): Promise<Account | null> {
    return this.cache.get(key, () => this.load(key, read));
  }

  private async load(key: string, read: () => Promise<AccountEntity | null>): Promise<Account | null> {
    const generation = this.generation;
    let account: Account | null = null;
    try {
      const row = await read();
      account = row && this.store.toAccount(row);
      if (account) this.keepId(account, generation);
      return account;
    } finally {
      if (account === null || generation !== this.generation) this.cache.delete(key);
    }
  }

  private keepId(account: Account, generation: number): void {
    this.names.set(account.id, account.username);
    if (generation === this.generation) void this.cache.get(`id:${account.id}`, () => Promise.resolve(account));
  }
}
