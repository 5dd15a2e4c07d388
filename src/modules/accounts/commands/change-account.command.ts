import { Command } from '@nestjs/cqrs';
import type { PasswordProof } from '../authentication/credentials.js';
import type { Account } from '../domain/account.js';

/** What to change (decisions §8); absent = keep. Texts as they came; null clears where a field may be empty. */
export interface AccountChanges {
  isActive?: boolean;
  expiresAt?: string | null;
  parentUsername?: string | null;
  userType?: string;
  requireToken?: boolean;
  refundFailed?: boolean;
  publicLookup?: boolean;
  timeZone?: string | null;
  /** some of the names, each true or false */
  permissions?: Record<string, unknown>;
  password?: string;
  /** with a password: the account's keys are revoked */
  revokeApiKeys?: boolean;
  /** with a password: the people under the account are made inactive */
  revokeUsers?: boolean;
}

/**
 * Change an account from the admin API. A new password ends every token issued before it. A change of a super account,
 * or to one, also wants the password of the acting account: 400 `current_password is required`, 401 `Invalid
 * credentials`, 429 as at login.
 */
export class ChangeAccountCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly changes: AccountChanges,
    readonly proof: PasswordProof,
  ) {
    super();
  }
}
