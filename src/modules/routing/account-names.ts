import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '../accounts/index.js';

const AT_ONCE = 500;

/** Accounts that rules name, by username and by id. */
@Injectable()
export class AccountNames {
  constructor(private readonly directory: AccountDirectory) {}

  /** @returns ids; names that no account has are missing */
  ids(usernames: Iterable<string>): Promise<Map<string, number>> {
    return inParts(usernames, async (name) => (await this.directory.byUsername(name))?.id);
  }

  /** @returns usernames by id */
  usernames(ids: Iterable<number>): Promise<Map<number, string>> {
    return inParts(ids, async (id) => (await this.directory.byId(id))?.username);
  }
}

/** The directory reads what is asked for in one turn with one statement. */
async function inParts<Key, Value>(
  keys: Iterable<Key>,
  find: (key: Key) => Promise<Value | undefined>,
): Promise<Map<Key, Value>> {
  const all = [...new Set(keys)];
  const found = new Map<Key, Value>();
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const part = all.slice(from, from + AT_ONCE);
    const values = await Promise.all(part.map(find));
    values.forEach((value, at) => {
      if (value !== undefined) found.set(part[at] as Key, value);
    });
  }
  return found;
}
