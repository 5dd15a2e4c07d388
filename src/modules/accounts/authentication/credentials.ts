import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppError, type DocumentedError, fieldErrors } from '../../../kernel/errors.js';
import { now } from '../../../kernel/clock.js';
import { textOrNull } from '../../../kernel/text.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
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
import { LoginAddresses } from './authentication.store.js';

const HOUR_SECONDS = 3_600;
const BY_ADDRESS = 'login-failures-ip';

/** The id of no account and no assigned user. */
const UNKNOWN_LOGIN = 0;

/** A hash of the same cost that no password makes known: an unknown name takes as long as a wrong password. */
export const UNKNOWN_HASH = '$2b$10$jZnZ7xJlb670G4RY7w0epuoUyQGPhBGv5eurcpq92.xx7eGCOa3sa';

/**
 * Judges a name and a password, for login, `sms_get.php` and a change of the own password. Failures count per address
 * and account or assigned user, by whichever name (LOGIN_FAILURE_LIMIT a minute), per address over all
 * (IP_FAILURE_LIMIT a minute), and per account or assigned user over all addresses (ACCOUNT_FAILURE_LIMIT an hour). The
 * last leaves out addresses with an earlier login: wrong guesses from elsewhere do not lock an owner out. Beyond a limit
 * everything is refused, a right password too; so of guesses sent at the same moment no more than the limit are judged.
 */
@Injectable()
export class Credentials {
  constructor(
    private readonly names: LoginNames,
    private readonly store: AccountStore,
    private readonly directory: AccountDirectory,
    private readonly assignedUsers: AssignedUsers,
    private readonly apiKeys: ApiKeys,
    private readonly hasher: PasswordHasher,
    private readonly counters: RateCounters,
    private readonly addresses: AddressLimits,
    private readonly log: SecurityLog,
    private readonly loginAddresses: LoginAddresses,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * @param name an e-mail (any case) when it holds @ and a domain, else a username (byte for byte)
   * @param ip the client's address
   * @returns the account; with the assigned user, where the password was an assigned user's
   * @throws AppError 401 in the order of reference/authentication#login (the password is judged first), 429 beyond a
   * limit
   */
  async check(name: string, password: string, ip: string): Promise<Account> {
    const login = await this.names.find(name);
    try {
      return await this.judge(login, name, password, ip);
    } catch (error) {
      const refused = error instanceof AppError && error.kind === 'unauthenticated';
      if (refused)
        this.log.note('login_failed', login ? usernameOf(login) : nameOf(name), login?.account.id ?? null, ip);
      throw error;
    }
  }

  private async judge(login: Login | null, name: string, password: string, ip: string): Promise<Account> {
    const bearer = login?.assignedUser ?? login?.account;
    await this.prove(bearer?.id ?? digestOf(name), password, bearer?.passwordHash ?? UNKNOWN_HASH, ip);
    if (!login) throw accountErrors.invalidCredentials(); // the hash of an unknown name fits no password
    const account = this.store.toAccount(login.account);
    if (!login.assignedUser) return refuseClosed(account);
    if (!login.assignedUser.isActive) throw accountErrors.inactive();
    return refuseClosed({ ...account, assignedUser: toAssignedUser(login.assignedUser) });
  }

  /**
   * The account of an API key that stands in place of its password (`sms_get.php`, reference/sms#sms_getphp).
   * @returns null when the text is no key of an account with this name: it may be a password then
   * @throws AppError 401 for a closed account
   */
  async checkApiKey(name: string, key: string, ip: string): Promise<Account | null> {
    const account = await this.apiKeys.find(key, ip);
    if (!account) return null;
    const named = looksLikeEmail(name) ? normalEmail(name) === account.email : name === account.username;
    return named ? refuseClosed(account) : null;
  }

  /**
   * The account of credentials that were verified before, as they stand now.
   * @param verified what `check` returned then
   * @returns null when the password has changed since, or its account or person is closed, inactive or gone
   */
  async recall(verified: Account): Promise<Account | null> {
    const account = await this.directory.byId(verified.id);
    if (!account || !this.directory.usable(account)) return null;
    if (!verified.assignedUser) return isSame(account, verified) ? account : null;
    const assignedUser = await this.assignedUsers.byId(verified.assignedUser.id);
    if (!assignedUser?.isActive || !isSame(assignedUser, verified.assignedUser)) return null;
    return { ...account, assignedUser };
  }

  /**
   * Judges the password of a known account or person.
   * @param who the id of the account or assigned user
   * @throws AppError 401 `Invalid credentials`, 429 beyond a limit of failures
   */
  async prove(who: number | string, password: string, hash: string, ip: string): Promise<void> {
    const holder = typeof who === 'number' ? who : UNKNOWN_LOGIN;
    const attempt: Attempt = { who, ip, familiar: await this.loginAddresses.knows(holder, ip) };
    await this.addresses.refuseBlocked(BY_ADDRESS, ip, this.environment.IP_FAILURE_LIMIT);
    await this.refuseBlocked(attempt);
    if (!(await this.hasher.verify(password, hash))) {
      await this.countFailure(attempt);
      throw accountErrors.invalidCredentials();
    }
    await this.refuseBlocked(attempt);
    await this.loginAddresses.remember(holder, ip);
  }

  /**
   * Judges the own password of the acting person: the assigned user's where one acts, else the account's. A thief of the
   * token of a staff account cannot make a person with a password of choice: that wants the account's own password.
   * @throws AppError 400 `current_password is required`, and as `prove`
   */
  async proveActor(actor: Account, { currentPassword, ip }: PasswordProof): Promise<void> {
    if (currentPassword === null) throw fieldErrors.required('current_password');
    const { assignedUser } = actor;
    const row = assignedUser ? await this.assignedUsers.rowById(assignedUser.id) : await this.store.rowById(actor.id);
    if (!row) throw accountErrors.invalidToken(); // removed a moment ago
    await this.prove(row.id, currentPassword, row.passwordHash, ip);
  }

  private async refuseBlocked({ who, ip, familiar }: Attempt): Promise<void> {
    const { LOGIN_FAILURE_LIMIT, ACCOUNT_FAILURE_LIMIT } = this.environment;
    await this.addresses.refuseBlocked(`login-failures:${who}`, ip, LOGIN_FAILURE_LIMIT);
    const wait = familiar ? 0 : await this.counters.blocked(accountKey(who), ACCOUNT_FAILURE_LIMIT);
    if (wait > 0) throw tooMany(wait);
  }

  private async countFailure({ who, ip, familiar }: Attempt): Promise<void> {
    const { LOGIN_FAILURE_LIMIT, IP_FAILURE_LIMIT, ACCOUNT_FAILURE_LIMIT } = this.environment;
    await Promise.all([
      this.addresses.count(`login-failures:${who}`, ip, LOGIN_FAILURE_LIMIT),
      this.addresses.count(BY_ADDRESS, ip, IP_FAILURE_LIMIT),
    ]);
    if (familiar) return;
    const hour = await this.counters.hit(accountKey(who), ACCOUNT_FAILURE_LIMIT, HOUR_SECONDS);
    if (!hour.allowed) throw tooMany(hour.retryAfterSeconds);
  }
}

/** Proof that the sender of a request knows the password, and does not only hold the token. */
export interface PasswordProof {
  /** of the acting person; null = not given */
  currentPassword: string | null;
  /** the client's address: wrong passwords count against it, as at login */
  ip: string;
}

/** One login attempt from one address. */
interface Attempt {
  /** id of the account or assigned user; a digest of an unknown name */
  who: number | string;
  ip: string;
  /** there was an earlier login from this address */
  familiar: boolean;
}

const accountKey = (who: number | string): string => `account-failures:${who}`;

/**
 * What a log may keep of an unknown name: what looks like none, or would do as a password, is perhaps one in the
 * wrong field.
 */
const nameOf = (name: string): string => {
  const email = normalEmail(name);
  if (isEmail(email)) return email;
  return isUsername(name) && passwordFault(name) !== null ? name : '';
};

/** Unknown names are kept short and unreadable. */
const digestOf = (name: string): string => createHash('sha256').update(name.toLowerCase()).digest('base64url');

const isSame = (a: Pick<Account, 'passwordChangedAt'>, b: Pick<Account, 'passwordChangedAt'>): boolean =>
  a.passwordChangedAt.getTime() === b.passwordChangedAt.getTime();

function refuseClosed(account: Account): Account {
  if (!account.isActive) throw accountErrors.inactive();
  if (isExpired(account, now())) throw accountErrors.expired();
  return account;
}

/** The field as Swagger shows it on the routes of the own account. */
export const CURRENT_PASSWORD = {
  example: 'Sunny-Day-7',
  description: 'The own password of the owner; only of an account of staff (super, admin, reseller)',
};

/** The proof that a request carries: `current_password` of its body, and the address it came from. */
export const proofOf = (body: { current_password?: string | null } | undefined, request: Request): PasswordProof => ({
  currentPassword: textOrNull(body?.current_password),
  ip: clientIp(request),
});

/** The errors of a proof. @param when it must be given */
export const proofErrors = (when: string): readonly DocumentedError[] => [
  fieldErrors.required.shown('current_password').because(`missing ${when}`),
  accountErrors.invalidCredentials.because('current_password is another'),
  tooMany.because('too many wrong passwords'),
];
