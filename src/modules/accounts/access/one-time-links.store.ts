import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In, Like, MoreThan } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { makerPrefix, readMaker } from '../../../kernel/maker.js';
import { type WriteResult } from '../../../platform/database/index.js';
import { AccountStore } from '../accounts.store.js';
import { assertMayChange, isStaff } from '../domain/account-policy.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, assignedUserIdOf, createdBy, isUsable } from '../domain/account.js';
import {
  isLinkOutdated,
  isLinkToken,
  LINK_LIFE_MS,
  linkDigest,
  linkMadeAt,
  type LinkPurpose,
  newLinkToken,
} from '../domain/one-time-links.js';
import { hasRight } from '../domain/rights.js';
import { type AccountEntity, AssignedUserEntity, OneTimeLinkEntity } from '../tables.js';
import { toAssignedUser } from './users.store.js';

/** The login that a link is for: a person, or the account itself. */
export interface LinkSubject {
  account: Pick<AccountEntity, 'id' | 'passwordChangedAt'>;
  person: Pick<AssignedUserEntity, 'id' | 'passwordChangedAt'> | null;
}

export interface NewLink {
  token: string;
  expiresAt: Date;
}

/** A link that is good now, with its login. */
export interface OpenLink {
  link: OneTimeLinkEntity;
  row: AccountEntity;
  account: Account;
  person: AssignedUserEntity | null;
}

const PRUNED_AT_ONCE = 1_000;

/** Stores one-time links as digests, one for each login and purpose: a new one replaces the former. */
@Injectable()
export class OneTimeLinks {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly accounts: AccountStore,
  ) {}

  /** Makes a link. @param actor its maker; null = the login asked for it itself */
  async create(tx: EntityManager, actor: Account | null, subject: LinkSubject, purpose: LinkPurpose): Promise<NewLink> {
    const link = this.draft(actor, subject, purpose);
    await this.replace(tx, link);
    return link;
  }

  /** The same statements with and without a login, so that asking for a link costs the same. */
  async createIf(tx: EntityManager, subject: LinkSubject | null): Promise<NewLink | null> {
    const link = this.draft(null, subject ?? NO_SUBJECT, 'password');
    return (await this.replace(tx, link)) ? link : null;
  }

  /** Finds a good link by one indexed look-up, then what it is for. @throws AppError not_found */
  async open(source: EntityManager, token: unknown): Promise<OpenLink> {
    if (!isLinkToken(token)) throw accountErrors.linkInvalid();
    const link = await source.findOneBy(OneTimeLinkEntity, { digest: linkDigest(token), expiresAt: MoreThan(now()) });
    const row = link && (await this.accounts.rowById(link.accountId, source));
    if (!link || !row) throw accountErrors.linkInvalid();
    const account = this.accounts.toAccount(row);
    const isPersons = link.subjectId !== row.id;
    const person = isPersons
      ? await source.findOneBy(AssignedUserEntity, { id: link.subjectId, accountId: row.id })
      : null;
    const bearer = isPersons ? person : row;
    if (!bearer || !isUsable(account, now()) || isLinkOutdated(link.createdAt, bearer))
      throw accountErrors.linkInvalid();
    if (person && person.isInvited !== (link.purpose === 'invitation')) throw accountErrors.linkInvalid();
    if (person && !person.isInvited && !person.isActive) throw accountErrors.linkInvalid();
    if (!(await this.isMakerGood(source, link, row))) throw accountErrors.linkInvalid();
    return { link, row, account, person };
  }

  /** Takes the link: of parallel uses one gets true. */
  async take(tx: EntityManager, { subjectId, purpose, digest }: OneTimeLinkEntity): Promise<boolean> {
    const { affected } = await tx.delete(OneTimeLinkEntity, { subjectId, purpose, digest });
    return affected === 1;
  }

  /** Returns whether there was one. */
  async withdraw(tx: EntityManager, subjectId: number): Promise<boolean> {
    const { affected } = await tx.delete(OneTimeLinkEntity, { subjectId });
    return (affected ?? 0) > 0;
  }

  /** Ends the links that a person made, for whomever. */
  async withdrawMadeBy(tx: EntityManager, personId: number): Promise<void> {
    for (const kind of ['person', 'staff'] as const) {
      await tx.delete(OneTimeLinkEntity, { createdBy: Like(`${makerPrefix(kind, personId)}%`) });
    }
  }

  /** When the links of these logins end, by login; without those that ended. */
  async ends(subjectIds: readonly number[]): Promise<ReadonlyMap<number, Date>> {
    if (subjectIds.length === 0) return new Map();
    const rows = await this.dataSource.manager.find(OneTimeLinkEntity, {
      where: { subjectId: In(subjectIds), expiresAt: MoreThan(now()) },
      take: subjectIds.length,
    });
    return new Map(rows.map(({ subjectId, expiresAt }) => [subjectId, expiresAt]));
  }

  private draft(actor: Account | null, { account, person }: LinkSubject, purpose: LinkPurpose) {
    const token = newLinkToken();
    const maker = actor?.assignedUser ?? actor;
    const createdAt = linkMadeAt(now(), person ?? account, ...(maker ? [maker] : []));
    return {
      token,
      purpose,
      subjectId: person?.id ?? account.id,
      accountId: account.id,
      createdBy: actor && createdBy(actor, account.id),
      createdAt,
      expiresAt: new Date(createdAt.getTime() + LINK_LIFE_MS[purpose]),
    };
  }

  private async replace(tx: EntityManager, link: ReturnType<OneTimeLinks['draft']>): Promise<boolean> {
    const { subjectId, purpose } = link;
    await tx.query('DELETE FROM one_time_links WHERE subject_id = ? AND purpose = ?', [subjectId, purpose]);
    await tx.query(
      `DELETE FROM one_time_links WHERE expires_at < UTC_TIMESTAMP(3) ORDER BY expires_at LIMIT ${PRUNED_AT_ONCE}`,
    );
    const { affectedRows } = await tx.query<WriteResult>(
      `INSERT INTO one_time_links (subject_id, purpose, account_id, digest, created_by, created_at, expires_at)
       SELECT ?, ?, id, ?, ?, ?, ? FROM accounts WHERE id = ?`,
      [subjectId, purpose, linkDigest(link.token), link.createdBy, link.createdAt, link.expiresAt, link.accountId],
    );
    return affectedRows === 1;
  }

  /** A link is no better than its maker is now: same rights, no later password change (docs/reference/accounts.md#links). */
  private async isMakerGood(source: EntityManager, link: OneTimeLinkEntity, row: AccountEntity): Promise<boolean> {
    const maker = readMaker(link.createdBy);
    if (maker === null) return true;
    if (maker.kind === 'account') return !isLinkOutdated(link.createdAt, row);
    const id = maker.id ?? 0;
    const person =
      assignedUserIdOf(String(id)) === null ? null : await source.findOneBy(AssignedUserEntity, { id, isActive: true });
    if (maker.kind === 'person') {
      if (!person || person.accountId !== row.id || isLinkOutdated(link.createdAt, person)) return false;
      return hasRight({ assignedUser: toAssignedUser(person) }, 'account');
    }
    if (maker.kind !== 'staff') return false;
    const staff = await this.accounts.rowById(person?.accountId ?? id, source);
    if (!staff || isLinkOutdated(link.createdAt, person ?? staff)) return false;
    const acting = { ...this.accounts.toAccount(staff), ...(person && { assignedUser: toAssignedUser(person) }) };
    if (!isUsable(acting, now()) || !isStaff(acting.userType) || !hasRight(acting, 'manage')) return false;
    try {
      assertMayChange(acting, row);
      return true;
    } catch {
      return false;
    }
  }
}

const NO_SUBJECT: LinkSubject = { account: { id: 0, passwordChangedAt: new Date(0) }, person: null };
