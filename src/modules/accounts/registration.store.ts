import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { now } from '../../kernel/clock.js';
import type { WriteResult } from '../../platform/database/index.js';
import { CreditBook } from '../credits/index.js';
import { AccountStore } from './accounts.store.js';
import { type Account, defaultPermissions } from './domain/account.js';
import { identitiesOf, type Identity } from './domain/identity.js';
import { DEFAULT_TEAM, type NewAccount, STARTING_CREDITS } from './domain/registration.js';
import { NameCheck } from './names.store.js';
import { AccountEntity, LoginIdentityEntity, TeamEntity } from './tables.js';

/** Creates an account with names, team, permissions and starting credits in the caller's transaction. */
@Injectable()
export class AccountRegistrar {
  constructor(
    private readonly store: AccountStore,
    private readonly names: NameCheck,
    private readonly credits: CreditBook,
  ) {}

  /** @throws AppError conflict for the first taken name, in the order e-mail, username, mobile number */
  async create(tx: EntityManager, input: NewAccount): Promise<Account> {
    const { username, email = null, mobileNo = null } = input;
    const identities = identitiesOf({ username, email, mobileNo });
    return this.names.claim(tx, identities, () => this.insert(tx, input, identities));
  }

  /** The account has proved what it registered with: all rights and its starting credits, once. Forget it after the commit. */
  async prove(tx: EntityManager, accountId: number): Promise<void> {
    const { affectedRows } = await tx.query<WriteResult>(
      'UPDATE accounts SET proof_due = 0, updated_at = UTC_TIMESTAMP(3) WHERE id = ? AND proof_due = 1',
      [accountId],
    );
    if (affectedRows === 1) await this.credits.grant(tx, accountId, STARTING_CREDITS);
  }

  private async insert(tx: EntityManager, input: NewAccount, identities: Identity[]): Promise<Account> {
    const at = now();
    const row = tx.create(AccountEntity, {
      username: input.username,
      passwordHash: input.passwordHash,
      passwordChangedAt: new Date(Math.floor(at.getTime() / 1000) * 1000),
      passwordSetBy: input.createdBy ?? null,
      passwordSetAt: input.createdBy ? at : null,
      email: input.email ?? null,
      mobileNo: input.mobileNo ?? null,
      firstname: input.firstname,
      lastname: input.lastname,
      country: input.country ?? null,
      userType: input.userType === undefined ? 'client' : input.userType,
      parentId: input.parentId ?? null,
      isActive: input.isActive ?? true,
      expiresAt: input.expiresAt ?? null,
      apiBaseUrl: null,
      timeZone: input.timeZone ?? null,
      requireToken: false,
      ownRequireToken: false,
      protectReports: false,
      bodyUsernameIps: null,
      securityChosenAt: null,
      requireSender: input.requireSender ?? false,
      refundFailed: false,
      refundRefused: true,
      publicLookup: true,
      allowedRoutes: null,
      numberCheck: 'warn',
      countryCode: input.countryCode ?? null,
      countryChosen: false,
      strictNumbers: false,
      createdBy: input.createdBy ?? null,
      setByStaff: input.setByStaff ?? [],
      staffExpiresAt: input.staffExpiresAt ?? null,
      permissions: JSON.stringify(input.permissions ?? defaultPermissions()),
      guard: input.guard ? JSON.stringify(input.guard) : null,
      proofDue: input.proofDue ?? false,
      createdAt: at,
      updatedAt: at,
    });
    await tx.insert(AccountEntity, row);
    await tx.insert(
      LoginIdentityEntity,
      identities.map((identity) => ({ ...identity, accountId: row.id })),
    );
    await tx.insert(TeamEntity, { accountId: row.id, name: DEFAULT_TEAM, isDefault: true, createdAt: at });
    const starting = input.startingCredits ?? (input.proofDue ? {} : STARTING_CREDITS);
    await this.credits.open(tx, row.id, starting);
    return this.store.toAccount(row);
  }
}

let domains: Promise<ReadonlySet<string>> | null = null;

/** Whether a mailbox at this address lasts minutes only, by the list of a package, which is read with the first question. */
export async function isDisposable(email: string): Promise<boolean> {
  domains ??= import('mailchecker').then(({ default: list }) => list.blacklist());
  const known = await domains;
  const labels = email.slice(email.lastIndexOf('@') + 1).split('.');
  return labels.some((_, from) => known.has(labels.slice(from).join('.')));
}
