import { Command } from '@nestjs/cqrs';
import type { PasswordProof } from '../authentication/credentials.js';
import type { Account } from '../domain/account.js';

/** What a manager gives for a new account (decisions §8), in texts as they came. */
export interface AccountDraft {
  username: string;
  password: string;
  firstname: string;
  lastname: string;
  email: string | null;
  mobileNo: string | null;
  userType: string | null;
  parentUsername: string | null;
  expiresAt: string | null;
  isActive: boolean;
  timeZone: string | null;
}

/**
 * Create an account from the admin API; it gets the same team, permissions and credits as a registered one. A super
 * account also wants the password of the acting account, as a change of one does.
 */
export class CreateAccountCommand extends Command<Account> {
  constructor(
    readonly actor: Account,
    readonly draft: AccountDraft,
    readonly proof: PasswordProof,
  ) {
    super();
  }
}
