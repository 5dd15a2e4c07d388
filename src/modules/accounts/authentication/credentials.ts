import { createHash } from 'node:crypto';
import { Injectable, Inject } from '@nestjs/common';
import type { Request } from 'express';
import { AppError, type DocumentedError, fieldErrors } from '../../../kernel/errors.js';
import { now } from '../../../kernel/clock.js';
import { textOrNull } from '../../../kernel/text.js';
import { AddressLimits, clientIp, PasswordHasher, RateCounters, tooMany } from '../../../platform/security/index.js';
import { AssignedUsers, toAssignedUser } from '../access/users.store.js';
import { AccountDirectory, AccountStore } from '../accounts.store.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, isExpired } from '../domain/account.js';
import { isEmail, isUsername, looksLikeEmail, normalEmail } from '../domain/identity.js';
import { passwordFault } from '../domain/password-rules.js';
import { SecurityLog } from '../logs/logs.store.js';
import { type Login, LoginNames, usernameOf } from '../names.store.js';
import { ApiKeys } from './access-tokens.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { LoginAddresses } from './authentication.store.js';

/** A hash of equal cost without a known password: an unknown name takes as long as a wrong password. */
export const UNKNOWN_HASH = '$2b$10$jZnZ7xJlb670G4RY7w0epuoUyQGPhBGv5eurcpq92.xx7eGCOa3sa';

const HOUR_SECONDS = 3_600;
const BY_ADDRESS = 'login-failures-ip';
const UNKNOWN_LOGIN = 0;

interface Attempt {
  /** id of the account or assigned user; a digest for an unknown name */
  who: number | string;
  ip: string;
  /** the login was used from this address before */
  familiar: boolean;
}

/**
 * Limits failed passwords per address and login (LOGIN_FAILURE_LIMIT a minute), per address (IP_FAILURE_LIMIT a minute) and per
 * login (ACCOUNT_FAILURE_LIMIT an hour, not from known addresses, so that attackers cannot lock owners out). A reached limit
 * also refuses correct passwords; parallel guesses cannot exceed it.
 */
@Injectable()
export class LoginFailures {
  constructor(
    private readonly counters: RateCounters,
    private readonly addresses: AddressLimits,
    private readonly loginAddresses: LoginAddresses,
    @Inject(ENVIRONMENT)
    private readonly environment: Pick<
      Environment,
      'LOGIN_FAILURE_LIMIT' | 'IP_FAILURE_LIMIT' | 'ACCOUNT_FAILURE_LIMIT'
    >,
  ) {}

  /** Call before the password is compared. @throws AppError 429 beyond a limit */
  async begin(who: number | string, ip: string): Promise<Attempt> {
    const attempt: Attempt = { who, ip, familiar: await this.loginAddresses.knows(holderOf(who), ip) };
    await this.addresses.refuseBlocked(BY_ADDRESS, ip, this.environment.IP_FAILURE_LIMIT);
    await this.refuseBlocked(attempt);
    return attempt;
  }

  /** The password was right. @throws AppError 429 if parallel attempts have reached a limit meanwhile */
  async succeed(attempt: Attempt): Promise<void> {
    await this.refuseBlocked(attempt);
    await this.loginAddresses.remember(holderOf(attempt.who), attempt.ip);
  }

  /** The password was wrong. @throws AppError 429 beyond a limit */
  async count({ who, ip, familiar }: Attempt): Promise<void> {
    const { LOGIN_FAILURE_LIMIT, IP_FAILURE_LIMIT, ACCOUNT_FAILURE_LIMIT } = this.environment;
    await Promise.all([
      this.addresses.count(`login-failures:${who}`, ip, LOGIN_FAILURE_LIMIT),
      this.addresses.count(BY_ADDRESS, ip, IP_FAILURE_LIMIT),
    ]);
    if (familiar) return;
    const hour = await this.counters.hit(accountKey(who), ACCOUNT_FAILURE_LIMIT, HOUR_SECONDS);
    if (!hour.allowed) throw tooMany(hour.retryAfterSeconds);
  }

  private async refuseBlocked({ who, ip, familiar }: Attempt): Promise<void> {
    const { LOGIN_FAILURE_LIMIT, ACCOUNT_FAILURE_LIMIT } = this.environment;
    await this.addresses.refuseBlocked(`login-failures:${who}`, ip, LOGIN_FAILURE_LIMIT);
    const wait = familiar ? 0 : await this.counters.blocked(accountKey(who), ACCOUNT_FAILURE_LIMIT);
    if (wait > 0) throw tooMany(wait);
  }
}

const accountKey = (who: number | string): string => `account-failures:${who}`;

const holderOf = (who: number | string): number => (typeof who === 'number' ? who : UNKNOWN_LOGIN);

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
    if (!named) return null;
    await this.apiKeys.countUse(refuseClosed(account));
    return account;
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
    if (isJustVouchedFor(actor)) return;
    if (currentPassword === null) throw fieldErrors.required('current_password');
    const { assignedUser } = actor;
    const row = assignedUser ? await this.assignedUsers.rowById(assignedUser.id) : await this.store.rowById(actor.id);
    if (!row?.isActive) throw accountErrors.invalidToken(); // removed or closed a moment ago
    await this.prove(row.id, currentPassword, row.passwordHash, ip);
  }
}

const VOUCHED_MS = 10 * 60_000;

/** Who comes by the identity provider has no password here: a login of the last 10 minutes stands for it. */
const isJustVouchedFor = ({ session }: Account): boolean =>
  session?.isByProvider === true && session.confirmedAt > now().getTime() - VOUCHED_MS;

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
