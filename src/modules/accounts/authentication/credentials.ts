import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { now } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { PasswordHasher, RateCounters, tooMany } from '../../../platform/security/index.js';
import { accountErrors } from '../domain/account-errors.js';
import { type Account, isExpired } from '../domain/account.js';
import { looksLikeEmail, normalEmail } from '../domain/identity.js';
import { AccountDirectory } from '../persistence/account-directory.js';
import { AccountStore } from '../persistence/account-store.js';
import { AssignedUsers, toAssignedUser } from '../persistence/assigned-users.js';
import { LoginNames } from '../persistence/login-names.js';
import { ApiKeys } from './api-keys.js';

const WINDOW_SECONDS = 60;

/** A hash of the same cost that no password makes known: an unknown name takes as long as a wrong password. */
const NOBODYS_HASH = '$2b$10$jZnZ7xJlb670G4RY7w0epuoUyQGPhBGv5eurcpq92.xx7eGCOa3sa';

/**
 * Judges a name and a password, for login, `sms_get.php` and a change of the own password. Failures count per address
 * and account or assigned user, by whichever name (LOGIN_FAILURE_LIMIT), and per address over all (IP_FAILURE_LIMIT).
 * Beyond a limit nothing is told, not even that a password is right; so of guesses sent at the same moment no more than
 * the limit are answered.
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
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * @param name an e-mail (any case) when it holds @ and a domain, else a username (byte for byte)
   * @param ip the client's address
   * @returns the account; with the assigned user, when it was one who showed his password
   * @throws AppError 401 in the order of spec 7 (the password is judged first), 429 beyond a limit
   */
  async check(name: string, password: string, ip: string): Promise<Account> {
    const login = await this.names.find(name);
    const bearer = login?.assignedUser ?? login?.account;
    await this.prove(bearer?.id ?? digestOf(name), password, bearer?.passwordHash ?? NOBODYS_HASH, ip);
    if (!login) throw accountErrors.invalidCredentials(); // nobody's hash fits no password
    const account = this.store.toAccount(login.account);
    if (!login.assignedUser) return refuseClosed(account);
    if (!login.assignedUser.isActive) throw accountErrors.inactive();
    return refuseClosed({ ...account, assignedUser: toAssignedUser(login.assignedUser) });
  }

  /**
   * The account of an API key that stands in place of its password (`sms_get.php`, decisions §4).
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
   * @returns null when the password has changed since, or whom it was is closed, inactive or gone
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
   * Judges the password of somebody known.
   * @param who the id of the account or assigned user
   * @throws AppError 401 `Invalid credentials`, 429 beyond a limit of failures
   */
  async prove(who: number | string, password: string, hash: string, ip: string): Promise<void> {
    const key = `login-failures:${ip}:${who}`;
    await this.refuseBlocked(ipKey(ip), this.environment.IP_FAILURE_LIMIT);
    await this.refuseBlocked(key, this.environment.LOGIN_FAILURE_LIMIT);
    if (await this.hasher.verify(password, hash)) {
      await this.refuseBlocked(key, this.environment.LOGIN_FAILURE_LIMIT);
      return;
    }
    await this.countFailure(key, ip);
    throw accountErrors.invalidCredentials();
  }

  private async refuseBlocked(key: string, limit: number): Promise<void> {
    const wait = await this.counters.blocked(key, limit);
    if (wait > 0) throw tooMany(wait);
  }

  private async countFailure(key: string, ip: string): Promise<void> {
    const [account, address] = await Promise.all([
      this.counters.hit(key, this.environment.LOGIN_FAILURE_LIMIT, WINDOW_SECONDS),
      this.counters.hit(ipKey(ip), this.environment.IP_FAILURE_LIMIT, WINDOW_SECONDS),
    ]);
    if (!account.allowed) throw tooMany(account.retryAfterSeconds);
    if (!address.allowed) throw tooMany(address.retryAfterSeconds);
  }
}

const ipKey = (ip: string): string => `login-failures-ip:${ip}`;

/** Names that nobody has are kept short and unreadable. */
const digestOf = (name: string): string => createHash('sha256').update(name.toLowerCase()).digest('base64url');

const isSame = (a: Pick<Account, 'passwordChangedAt'>, b: Pick<Account, 'passwordChangedAt'>): boolean =>
  a.passwordChangedAt.getTime() === b.passwordChangedAt.getTime();

function refuseClosed(account: Account): Account {
  if (!account.isActive) throw accountErrors.inactive();
  if (isExpired(account, now())) throw accountErrors.expired();
  return account;
}
