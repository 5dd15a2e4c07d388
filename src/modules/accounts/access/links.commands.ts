import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { readEmail } from '../account-changes.js';
import { Credentials, type PasswordProof, UNKNOWN_HASH } from '../authentication/credentials.js';
import { assertManager, isStaff } from '../domain/account-policy.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, createdBy, loginOf } from '../domain/account.js';
import { identitiesOf } from '../domain/identity.js';
import { refuseLong } from '../domain/registration.js';
import { assertMayGive, type PersonRole } from '../domain/rights.js';
import { AuditLog } from '../logs/logs.store.js';
import { ManagedAccounts } from '../managed-accounts.store.js';
import { NameCheck, NameClaims } from '../names.store.js';
import { LinkDelivery } from './link-delivery.js';
import type { InvitedUserAnswerData, LinkAnswerData } from './links.dto.js';
import { OneTimeLinks } from './one-time-links.store.js';
import { userData } from './users.dto.js';
import { AssignedUsers } from './users.store.js';

export interface Invitation {
  username: string;
  email: string | null;
  /** '' = the person gives it */
  firstname: string;
  lastname: string;
  /** absent = manager */
  role?: PersonRole;
}

/**
 * The account whose logins are concerned. @param username null = the own account @throws AppError 403 `Permission denied`,
 * `Forbidden`; 404
 */
export async function accountOf(managed: ManagedAccounts, actor: Account, username: string | null): Promise<Account> {
  if (username === null) {
    assertManager(actor);
    return actor;
  }
  return managed.changeable(actor, username);
}

/**
 * Invites a person: the login cannot be used until its link is. @param username of a managed account, null = the own
 * @throws AppError 400, 401, 403, 404, 409, 429 as `CreateAssignedUserCommand`; 403 for a role with more rights than the actor's
 */
export class InvitePersonCommand extends Command<InvitedUserAnswerData> {
  constructor(
    readonly actor: Account,
    readonly username: string | null,
    readonly invitation: Invitation,
    readonly proof: PasswordProof,
  ) {
    super();
  }
}

@CommandHandler(InvitePersonCommand)
export class InvitePersonHandler implements ICommandHandler<InvitePersonCommand> {
  constructor(
    private readonly managed: ManagedAccounts,
    private readonly users: AssignedUsers,
    private readonly names: NameCheck,
    private readonly claims: NameClaims,
    private readonly credentials: Credentials,
    private readonly links: OneTimeLinks,
    private readonly delivery: LinkDelivery,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, username, invitation, proof }: InvitePersonCommand): Promise<InvitedUserAnswerData> {
    const account = await accountOf(this.managed, actor, username);
    const { firstname, lastname, role = 'manager' } = invitation;
    assertMayGive(actor, role);
    refuseLong('firstname', firstname);
    refuseLong('lastname', lastname);
    const given = { username: invitation.username.trim(), email: readEmail(invitation.email), mobileNo: undefined };
    const names = await this.names.check(given);
    await this.users.assertRoom(account.id);
    if (isStaff(account.userType)) await this.credentials.proveActor(actor, proof);
    await this.delivery.count(account.id);
    const made = await this.claims.naming(identitiesOf(names), undefined, async (tx) => {
      const fields = { username: names.username, email: names.email, firstname, lastname, role, isInvited: true };
      const maker = { accountId: account.id, passwordHash: UNKNOWN_HASH, createdBy: createdBy(actor, account.id) };
      const person = await this.users.create(tx, { ...fields, ...maker });
      const link = await this.links.create(tx, actor, { account, person }, 'invitation');
      const details = { account: account.username, username: names.username, email: names.email, role };
      const entry = { actor, action: 'user.invite', subject: names.username, accountId: account.id, details };
      await this.audit.record(tx, entry);
      return { id: person.id, ...link };
    });
    const handed = { ...made, purpose: 'invitation' as const, account, login: names };
    const user = userData(
      await this.users.find(account.id, made.id),
      actor.timeZone,
      new Map([[made.id, made.expiresAt]]),
    );
    const { link, emailed, expires_at } = await this.delivery.handOver(handed, actor.timeZone);
    return { user, link, emailed, expires_at };
  }
}

/** A login of an account: the account's own, or a person's. */
export interface NamedLogin {
  /** of a managed account; null = the own */
  username: string | null;
  /** null = the login of the account itself */
  personId: number | null;
}

/**
 * Makes a link for a login: to join, if it is invited, else to set a new password; ends its former link. @throws AppError 401 and
 * 429 as at login, 403 for the own login, 404
 */
export class MakeLinkCommand extends Command<LinkAnswerData> {
  constructor(
    readonly actor: Account,
    readonly login: NamedLogin,
    readonly proof: PasswordProof,
  ) {
    super();
  }
}

@CommandHandler(MakeLinkCommand)
export class MakeLinkHandler implements ICommandHandler<MakeLinkCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly users: AssignedUsers,
    private readonly credentials: Credentials,
    private readonly links: OneTimeLinks,
    private readonly delivery: LinkDelivery,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, login: { username, personId }, proof }: MakeLinkCommand): Promise<LinkAnswerData> {
    const account = await accountOf(this.managed, actor, username);
    const person = personId === null ? null : await this.users.find(account.id, personId);
    // a stolen token must not set the own password without the old one
    if (loginOf(actor).id === (person ?? account).id) throw accountErrors.notYourself();
    if (isStaff(account.userType)) await this.credentials.proveActor(actor, proof);
    await this.delivery.count(account.id);
    const purpose = person?.isInvited ? 'invitation' : 'password';
    const login = person ?? account;
    const link = await inTransaction(this.dataSource, async (tx) => {
      const details = { account: account.username, purpose };
      const action = person ? 'user.link' : 'account.link';
      await this.audit.record(tx, { actor, action, subject: login.username, accountId: account.id, details });
      return this.links.create(tx, actor, { account, person }, purpose);
    });
    return this.delivery.handOver({ ...link, purpose, account, login }, actor.timeZone);
  }
}

/** Withdraws the links of a person. @throws AppError 403, 404 without a link */
export class WithdrawLinkCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly login: NamedLogin,
  ) {
    super();
  }
}

@CommandHandler(WithdrawLinkCommand)
export class WithdrawLinkHandler implements ICommandHandler<WithdrawLinkCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly users: AssignedUsers,
    private readonly links: OneTimeLinks,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, login: { username, personId } }: WithdrawLinkCommand): Promise<void> {
    const account = await accountOf(this.managed, actor, username);
    const login = personId === null ? account : await this.users.find(account.id, personId);
    await inTransaction(this.dataSource, async (tx) => {
      if (!(await this.links.withdraw(tx, login.id))) throw accountErrors.linkNotFound();
      const entry = { actor, action: 'user.link_withdraw', subject: login.username, accountId: account.id };
      await this.audit.record(tx, { ...entry, details: { account: account.username } });
    });
  }
}
