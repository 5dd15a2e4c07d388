import { Injectable } from '@nestjs/common';
import { now } from '../../../kernel/clock.js';
import { type Account, isUsable } from '../domain/account.js';
import type { AccountEntity } from './account.entity.js';
import { AccountStore } from './account-store.js';

const KEPT_MS = 3_000;
const MOST_ENTRIES = 20_000;

interface Entry {
  account: Promise<Account | null>;
  until: number;
}

/**
 * Accounts as the hot paths need them: cached for 3 s (reference/authentication#tokens), so a change on another
 * instance acts within 3 s and one on this instance at once (`forget`). Accounts that do not exist are not
 * remembered. Requests that ask at the same moment share one read.
 */
@Injectable()
export class AccountDirectory {
  private readonly entries = new Map<string, Entry>();
  private readonly names = new Map<number, string>();
  /** counts changes: what was being read during one is handed out but not kept */
  private generation = 0;

  constructor(private readonly store: AccountStore) {}

  /** @returns null when there is no such account */
  byId(id: number): Promise<Account | null> {
    return this.cached(`id:${id}`, () => this.store.rowById(id));
  }

  /** Compares byte for byte: `BOB` is not `bob`. */
  byUsername(name: string): Promise<Account | null> {
    return this.cached(`name:${name}`, () => this.store.rowByUsername(name));
  }

  /** Active and unexpired at this moment. */
  usable(account: Account): boolean {
    return isUsable(account, now());
  }

  /** To be called after the commit of a change to the account. */
  forget(id: number): void {
    this.generation += 1;
    this.entries.delete(`id:${id}`);
    const name = this.names.get(id);
    if (name !== undefined) this.entries.delete(`name:${name}`);
  }

  private cached(key: string, read: () => Promise<AccountEntity | null>): Promise<Account | null> {
    const found = this.entries.get(key);
    if (found && found.until > performance.now()) return found.account;
    if (this.entries.size >= MOST_ENTRIES) this.clear();
    const entry: Entry = { account: this.load(key, read), until: performance.now() + KEPT_MS };
    this.entries.set(key, entry);
    return entry.account;
  }

  private async load(key: string, read: () => Promise<AccountEntity | null>): Promise<Account | null> {
    const generation = this.generation;
    let account: Account | null = null;
    try {
      const row = await read();
      account = row && this.store.toAccount(row);
      if (account) this.names.set(account.id, account.username);
      return account;
    } finally {
      if (account === null || generation !== this.generation) this.entries.delete(key);
    }
  }

  private clear(): void {
    this.entries.clear();
    this.names.clear();
  }
}
