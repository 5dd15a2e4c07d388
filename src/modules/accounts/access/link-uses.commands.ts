import { createHash } from 'node:crypto';
import { Inject, Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { fieldErrors } from '../../../kernel/errors.js';
import { readMaker } from '../../../kernel/maker.js';
import { Semaphore } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { AddressLimits, RateCounters, tooMany } from '../../../platform/security/index.js';
import { assertPassword } from '../account-changes.js';
import { AccountDirectory, AccountStore } from '../accounts.store.js';
import { UNKNOWN_HASH } from '../authentication/credentials.js';
import { OpenMisses } from '../authentication/guards.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, isUsable } from '../domain/account.js';
import { refuseLong } from '../domain/registration.js';
import { passwordChange } from '../domain/tokens.js';
import { AuditLog } from '../logs/logs.store.js';
import { type Login, LoginNames } from '../names.store.js';
import { AccountEntity } from '../tables.js';
import { LinkDelivery } from './link-delivery.js';
import { NONE, PasswordChanges } from './made-things.js';
import { OneTimeLinks, type OpenLink } from './one-time-links.store.js';
import { AssignedUsers, toAssignedUser } from './users.store.js';

export interface LinkAnswer {
  password: string;
  /** only read to join; null = as invited */
  firstname: string | null;
  lastname: string | null;
}

/**
 * Sets the password of the link's login, and joins an invited person. Older tokens end within 3 s; keys stay. Of parallel uses
 * one wins. @throws AppError 404 `This link is not valid`, 400 as at registration, 429 for an address with too many unknown links
 */
export class UseLinkCommand extends Command<void> {
  constructor(
    readonly token: string,
    readonly answer: LinkAnswer,
    readonly ip: string,
  ) {
    super();
  }
}

@CommandHandler(UseLinkCommand)
export class UseLinkHandler implements ICommandHandler<UseLinkCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly links: OneTimeLinks,
    private readonly misses: OpenMisses,
    private readonly passwords: PasswordChanges,
    private readonly users: AssignedUsers,
    private readonly directory: AccountDirectory,
    private readonly audit: AuditLog,
  ) {}

  /** Nothing is done for an unknown link beyond its look-up: rules and hash follow. */
  async execute({ token, answer, ip }: UseLinkCommand): Promise<void> {
    const seen = await this.misses.guard(ip, () => this.links.open(this.dataSource.manager, token));
    const names = namesOf(seen, answer);
    assertPassword(answer.password);
    const passwordHash = await this.passwords.hash(answer.password);
    const actor = actorOf(seen);
    const ended = await inTransaction(this.dataSource, async (tx) => {
      const open = await this.links.open(tx, token);
      if (!(await this.links.take(tx, open.link))) throw accountErrors.linkInvalid();
      await this.write(tx, open, passwordHash, names);
      const action = open.person ? (open.person.isInvited ? 'user.join' : 'user.password') : 'account.password';
      const subject = (open.person ?? open.account).username;
      await this.audit.record(tx, { actor, action, subject, details: { link: true } });
      const bearerId = open.link.subjectId;
      return this.passwords.revoke(tx, actor, { account: open.account, bearerId }, NONE);
    });
    if (seen.person) this.users.forget();
    else this.directory.forget(seen.account.id);
    if (seen.person?.isInvited) return;
    await this.passwords.finish(actor, ended, actor, 'link');
  }

  private async write(
    tx: EntityManager,
    { link, account, person, row }: OpenLink,
    passwordHash: string,
    names: { firstname: string; lastname: string } | null,
  ): Promise<void> {
    const at = now();
    // who made the link may have used it
    const set = readMaker(link.createdBy) === null ? {} : { passwordSetAt: at };
    if (person) {
      const locked = await this.users.lock(tx, account.id, person.id);
      const secret = { passwordHash, passwordChangedAt: passwordChange(locked, at), ...set, passwordSetBy: null };
      await this.users.change(tx, locked, { ...secret, ...names, isInvited: false, isActive: true });
      return;
    }
    const by = readMaker(link.createdBy)?.kind === 'staff' ? { passwordSetBy: link.createdBy, ...set } : {};
    const secret = { passwordHash, passwordChangedAt: passwordChange(row, at), ...by };
    await tx.update(AccountEntity, { id: row.id }, { ...secret, updatedAt: at });
  }
}

const actorOf = ({ account, person }: OpenLink): Account => ({
  ...account,
  ...(person && { assignedUser: toAssignedUser(person) }),
});

/** The names of a person who joins; null otherwise. @throws AppError 400 */
function namesOf({ person }: OpenLink, answer: LinkAnswer): { firstname: string; lastname: string } | null {
  if (!person?.isInvited) return null;
  const names = { firstname: answer.firstname ?? person.firstname, lastname: answer.lastname ?? person.lastname };
  for (const [field, text] of Object.entries(names)) {
    if (text.trim() === '') throw fieldErrors.required(field);
    refuseLong(field, text);
  }
  return names;
}

const PER_LOGIN = 10;
const HOUR_SECONDS = 3_600;
const MOST_WAITING = 1_000;
const PATIENCE_MS = 60_000;

/**
 * Asks for a link by e-mail. The answer comes before anything is read, the same for every name. @throws AppError 429 beyond
 * REGISTER_RATE_LIMIT a minute of an address, or 10 an hour of a name
 */
export class RequestResetCommand extends Command<void> {
  constructor(
    readonly emailOrUsername: string,
    readonly ip: string,
  ) {
    super();
  }
}

@CommandHandler(RequestResetCommand)
export class RequestResetHandler implements ICommandHandler<RequestResetCommand> {
  private readonly logger = new Logger('PasswordResets');
  /** one at a time, so that requests in bulk take no connections from others */
  private readonly turn = new Semaphore(1, {
    patienceMs: PATIENCE_MS,
    mostWaiting: MOST_WAITING,
    refusal: () => new Error('Too many password resets wait'),
  });

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly addresses: AddressLimits,
    private readonly counters: RateCounters,
    private readonly names: LoginNames,
    private readonly accounts: AccountStore,
    private readonly links: OneTimeLinks,
    private readonly delivery: LinkDelivery,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'REGISTER_RATE_LIMIT'>,
  ) {}

  async execute({ emailOrUsername, ip }: RequestResetCommand): Promise<void> {
    await this.addresses.count('password-resets', ip, this.environment.REGISTER_RATE_LIMIT);
    const who = createHash('sha256').update(emailOrUsername.trim().toLowerCase()).digest('base64url');
    const { allowed, retryAfterSeconds } = await this.counters.hit(`password-resets:${who}`, PER_LOGIN, HOUR_SECONDS);
    if (!allowed) throw tooMany(retryAfterSeconds);
    if (!this.delivery.sendsMail) return;
    this.turn
      .run(() => this.offer(emailOrUsername.trim()))
      .catch((error: unknown) => this.logger.warn({ err: safeError(error) }, 'a password reset was dropped'));
  }

  /** The same statements for a login that exists and for one that does not. */
  private async offer(name: string): Promise<void> {
    const login = await this.names.find(name);
    const subject = login && hasReset(login, this.accounts.toAccount(login.account)) ? login : null;
    const link = await inTransaction(this.dataSource, (tx) =>
      this.links.createIf(tx, subject && { account: subject.account, person: subject.assignedUser }),
    );
    if (!subject || !link) return;
    const account = this.accounts.toAccount(subject.account);
    // Awaited here, because the mailer drops what exceeds its shorter queue.
    await this.delivery.send({ ...link, purpose: 'password', account, login: subject.assignedUser ?? account });
  }
}

/** None for a login without a password: of an identity provider, or one that was ended. */
const hasReset = ({ account: row, assignedUser: person }: Login, account: Account): boolean =>
  isUsable(account, now()) &&
  (person ?? row).passwordHash !== UNKNOWN_HASH &&
  (person ? person.isActive && !person.isInvited && person.email !== null : account.email !== null);
