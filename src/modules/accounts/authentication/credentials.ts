import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppError, type DocumentedError, fieldErrors } from '../../../kernel/errors.js';
import { now } from '../../../kernel/clock.js';
import { textOrNull } from '../../../kernel/text.js';
import { clientIp, PasswordHasher, tooMany } from '../../../platform/security/index.js';
import { AssignedUsers, toAssignedUser } from '../access/users.store.js';
import { AccountDirectory, AccountStore } from '../accounts.store.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, isExpired } from '../domain/account.js';
import { isEmail, isUsername, looksLikeEmail, normalEmail } from '../domain/identity.js';
import { passwordFault } from '../domain/password-rules.js';
import { SecurityLog } from '../logs/logs.store.js';
import { type Login, LoginNames, usernameOf } from '../names.store.js';
import { ApiKeys } from './access-tokens.js';
import { LoginFailures } from './login-failures.js';

/** A hash of equal cost without a known password: an unknown name takes as long as a wrong password. */
export const UNKNOWN_HASH = '$2b$10$jZnZ7xJlb670G4RY7w0epuoUyQGPhBGv5eurcpq92.xx7eGCOa3sa';

/** Checks passwords for login, `sms_get.php` and password changes, within the limits of `LoginFailures`. */
@Injectable()
export class Credentials {
  constructor(
    private readonly names: LoginNames,
    private readonly store: AccountStore,
    private readonly directory: AccountDirectory,
    private readonly assignedUsers: AssignedUsers,
    private readonly apiKeys: ApiKeys,
    private readonly hasher: PasswordHasher,
    private readonly failures: LoginFailures,
    private readonly log: SecurityLog,
  ) {}

  /**
   * `name`: an e-mail (any case) or a username (byte for byte). Returns the account, with its assigned user. @throws AppError
   * 401 in the order of reference/authentication#login; 429 beyond a limit
   */
  async check(name: string, password: string, ip: string): Promise<Account> {
    const login = await this.names.find(name);
    try {
      return await this.verify(login, name, password, ip);
    } catch (error) {
      const refused = error instanceof AppError && error.kind === 'unauthenticated';
      if (refused)
        this.log.record('login_failed', login ? usernameOf(login) : nameOf(name), login?.account.id ?? null, ip);
      throw error;
    }
  }

  private async verify(login: Login | null, name: string, password: string, ip: string): Promise<Account> {
    const bearer = login?.assignedUser ?? login?.account;
    await this.prove(bearer?.id ?? digestOf(name), password, bearer?.passwordHash ?? UNKNOWN_HASH, ip);
    if (!login) throw accountErrors.invalidCredentials(); // no password matches the hash of an unknown name
    const account = this.store.toAccount(login.account);
    if (!login.assignedUser) return refuseClosed(account);
    if (!login.assignedUser.isActive) throw accountErrors.inactive();
    return refuseClosed({ ...account, assignedUser: toAssignedUser(login.assignedUser) });
  }

  /** Returns the account of a key used as password (reference/sms#sms_getphp), or null. @throws AppError 401 if closed */
  async checkApiKey(name: string, key: string, ip: string): Promise<Account | null> {
    const account = await this.apiKeys.find(key, ip);
    if (!account) return null;
    const named = looksLikeEmail(name) ? normalEmail(name) === account.email : name === account.username;
    return named ? refuseClosed(account) : null;
  }

  /** Returns the current account of formerly verified credentials; null after a password change, closing or removal. */
  async recall(verified: Account): Promise<Account | null> {
    const account = await this.directory.byId(verified.id);
    if (!account || !this.directory.usable(account)) return null;
    if (!verified.assignedUser) return isSame(account, verified) ? account : null;
    const assignedUser = await this.assignedUsers.byId(verified.assignedUser.id);
    if (!assignedUser?.isActive || !isSame(assignedUser, verified.assignedUser)) return null;
    return { ...account, assignedUser };
  }

  /** Checks a known holder's password. @throws AppError 401 `Invalid credentials`, 429 beyond a limit */
  async prove(who: number | string, password: string, hash: string, ip: string): Promise<void> {
    const attempt = await this.failures.begin(who, ip);
    if (!(await this.hasher.verify(password, hash))) {
      await this.failures.count(attempt);
      throw accountErrors.invalidCredentials();
    }
    await this.failures.succeed(attempt);
  }

  /**
   * Checks the acting person's own password: the assigned user's, else the account's. A stolen staff token alone cannot create
   * people. @throws AppError 400 `current_password is required`, and as `prove`
   */
  async proveActor(actor: Account, { currentPassword, ip }: PasswordProof): Promise<void> {
    if (currentPassword === null) throw fieldErrors.required('current_password');
    const { assignedUser } = actor;
    const row = assignedUser ? await this.assignedUsers.rowById(assignedUser.id) : await this.store.rowById(actor.id);
    if (!row?.isActive) throw accountErrors.invalidToken(); // removed or closed a moment ago
    await this.prove(row.id, currentPassword, row.passwordHash, ip);
  }
}

/** Proves that the sender knows the password, not only the token. */
export interface PasswordProof {
  /** null = not given */
  currentPassword: string | null;
  ip: string;
}

/** Logs no unknown name that could be a password typed into the wrong field. */
const nameOf = (name: string): string => {
  const email = normalEmail(name);
  if (isEmail(email)) return email;
  return isUsername(name) && passwordFault(name) !== null ? name : '';
};

const digestOf = (name: string): string => createHash('sha256').update(name.toLowerCase()).digest('base64url');

const isSame = (a: Pick<Account, 'passwordChangedAt'>, b: Pick<Account, 'passwordChangedAt'>): boolean =>
  a.passwordChangedAt.getTime() === b.passwordChangedAt.getTime();

function refuseClosed(account: Account): Account {
  if (!account.isActive) throw accountErrors.inactive();
  if (isExpired(account, now())) throw accountErrors.expired();
  return account;
}

export const CURRENT_PASSWORD = {
  example: 'Sunny-Day-7',
  description: 'The own password of the owner; only of an account of staff (super, admin, reseller)',
};

export const proofOf = (body: { current_password?: string | null } | undefined, request: Request): PasswordProof => ({
  currentPassword: textOrNull(body?.current_password),
  ip: clientIp(request),
});

export const proofErrors = (when: string): readonly DocumentedError[] => [
  fieldErrors.required.shown('current_password').because(`missing ${when}`),
  accountErrors.invalidCredentials.because('current_password is another'),
  tooMany.because('too many wrong passwords'),
];
