import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PasswordHasher } from '../../../platform/security/index.js';
import { LoginAddresses } from '../authentication/authentication.store.js';
import type { Account } from '../domain/account.js';
import type { Revocations } from './granted-access.js';
import { type Ended, type Gone, MadeThings } from './made-things.js';

/** The account whose password changes, and the row that bears it: its own, or that of an assigned user. */
interface Changed {
  account: Gone['account'];
  bearerId: number;
}

/** A new password, and the access that ends with the old one. */
@Injectable()
export class PasswordChanges {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly loginAddresses: LoginAddresses,
    private readonly made: MadeThings,
  ) {}

  /** Slow on purpose: call it after all cheaper checks, and before the transaction. */
  hash(password: string): Promise<string> {
    return this.hasher.hash(password);
  }

  /** In the transaction that writes the hash: forgets known addresses and revokes what was chosen. */
  async revoke(
    tx: EntityManager,
    actor: Account,
    { account, bearerId }: Changed,
    chosen: Revocations & { created: boolean },
  ): Promise<Ended> {
    await this.loginAddresses.forget(tx, bearerId);
    return this.made.revoke(tx, actor, account, chosen);
  }

  /** After the commit, with the result of `revoke`. */
  finish(actor: Account, ended: Ended): Promise<void> {
    return this.made.finish(actor, ended);
  }
}
