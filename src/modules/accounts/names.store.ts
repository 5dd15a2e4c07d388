import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { fieldErrors } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { isDuplicateKey, type WriteResult } from '../../platform/database/index.js';
import { safeError } from '../../platform/observability/index.js';
import { CellDirectory, EVERY_CELL } from '../cell-directory/index.js';
import { AccountStore } from './accounts.store.js';
import { accountErrors } from './domain/account.errors.js';
import {
  identitiesOf,
  type Identity,
  IDENTITY_KINDS,
  type IdentityKind,
  isUsername,
  looksLikeEmail,
  normalEmail,
  normalMobile,
} from './domain/identity.js';
import { AccountEntity, AssignedUserEntity, LoginIdentityEntity } from './tables.js';

/** Names that were claimed together; ends with the transaction that takes them. */
export interface NameClaim {
  id: number;
  names: number;
}

/** A note of a claim, or of a name that was given up. */
export interface PendingClaim extends Identity {
  claim: number;
}

const STAFF: ReadonlySet<string | null | undefined> = new Set(['super', 'admin']);

/**
 * Keeps names unique over all cells (docs/decisions/0041). Names are claimed in the directory before the transaction that
 * takes them; the claim is noted in this database before that, and the transaction removes the note. What stays of a note
 * the sweeper settles. Without `CELL` all of it is nothing.
 */
@Injectable()
export class NameClaims {
  private readonly cell: string | undefined;
  private readonly logger = new Logger('Directory');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: CellDirectory,
    @Inject(ENVIRONMENT) { CELL }: Environment,
  ) {
    this.cell = CELL;
  }

  /** Which names other cells have. @throws AppError unavailable without the directory */
  async takenElsewhere(identities: readonly Identity[], userType?: string | null): Promise<IdentityKind[]> {
    if (this.cell === undefined) return [];
    return kindsElsewhere(identities, await this.holders(identities), this.scopeOf(this.cell, userType));
  }

  /**
   * To be called before the transaction that takes the names, which calls `end`, and behind whatever else may refuse them: a
   * claim that comes to nothing keeps other cells from the names until the sweeper has seen to it.
   * @param userType of the account: names of staff may stand in every cell
   * @throws AppError conflict with the text of the first name that another cell has; unavailable without the directory
   */
  async claim(identities: readonly Identity[], userType?: string | null): Promise<NameClaim | null> {
    if (this.cell === undefined || identities.length === 0) return null;
    const claim = { id: newId(), names: identities.length };
    await this.note(this.dataSource.manager, identities, claim.id, 0);
    const scope = this.scopeOf(this.cell, userType);
    let holders = await this.claimed(identities, scope, claim);
    // another cell has given the name back between the two statements: a name is taken by a row alone
    if (holders.includes(null)) holders = await this.claimed(identities, scope, claim);
    const [kind] = kindsElsewhere(identities, holders, scope);
    if (kind) throw accountErrors.taken[kind]();
    if (holders.includes(null)) throw accountErrors.directoryAway();
    return claim;
  }

  /**
   * The names are taken with this transaction. @throws AppError unavailable when the claim has been given up meanwhile, as of a process
   * that stood still for a minute
   */
  async end(tx: EntityManager, claim: NameClaim | null): Promise<void> {
    if (claim === null) return;
    const { affectedRows } = await tx.query<WriteResult>('DELETE FROM name_claims WHERE claim = ? AND looks = 0', [
      claim.id,
    ]);
    if (affectedRows !== claim.names) throw accountErrors.directoryAway();
  }

  /** The names are free with this transaction; the sweeper tells the directory. */
  async giveUp(tx: EntityManager, identities: readonly Identity[]): Promise<void> {
    if (this.cell !== undefined) await this.note(tx, identities, newId(), 1);
  }

  /** @returns the cells that have the names then; null = none */
  private async claimed(identities: readonly Identity[], scope: string, { id }: NameClaim): Promise<(string | null)[]> {
    await this.asked(() => this.directory.claim(identities, scope, id));
    return this.holders(identities);
  }

  private holders(identities: readonly Identity[]): Promise<(string | null)[]> {
    return this.asked(() => Promise.all(identities.map((name) => this.directory.cellOf(name))));
  }

  private async note(
    manager: EntityManager,
    identities: readonly Identity[],
    id: number,
    looks: number,
  ): Promise<void> {
    if (identities.length === 0) return;
    await manager.query(
      `INSERT INTO name_claims (claim, kind, value, looks, created_at)
       VALUES ${identities.map(() => '(?, ?, ?, ?, UTC_TIMESTAMP(3))').join(', ')}`,
      identities.flatMap(({ kind, value }) => [id, kind, value, looks]),
    );
  }

  private scopeOf(cell: string, userType: string | null | undefined): string {
    return STAFF.has(userType) ? EVERY_CELL : cell;
  }

  private async asked<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      this.logger.error({ err: safeError(error) }, 'the directory of accounts does not answer');
      throw accountErrors.directoryAway();
    }
  }
}

/** Of which of the names a row says that others have it. */
function kindsElsewhere(
  identities: readonly Identity[],
  holders: readonly (string | null)[],
  scope: string,
): IdentityKind[] {
  const taken = identities.filter((_, index) => (holders[index] ?? scope) !== scope);
  return IDENTITY_KINDS.filter((kind) => taken.some((name) => name.kind === kind));
}

/** The names of a new account, normalised. */
export interface Names {
  username: string;
  email: string | null;
  mobileNo: string | null;
}

/** Judges the names of a new account or assigned user, and takes them. */
@Injectable()
export class NameCheck {
  constructor(
    private readonly store: AccountStore,
    private readonly claims: NameClaims,
  ) {}

  /**
   * Before anything is written (reference/authentication#registration). Order: e-mail taken, username invalid, username
   * taken, mobile number invalid, mobile number taken.
   * @param given e-mail: valid and in lower case, or null; mobileNo: null = of a wrong type, undefined = none
   * @param userType of a new account; absent: of a person
   */
  async check(
    given: { username: string; email: string | null; mobileNo: string | null | undefined },
    userType?: string | null,
  ): Promise<Names> {
    const mobileNo = given.mobileNo ? normalMobile(given.mobileNo) : null;
    const names: Names = { username: given.username, email: given.email, mobileNo };
    const identities = identitiesOf(names);
    const taken = await this.takenAnywhere(identities, userType);
    if (taken.includes('email')) throw accountErrors.taken.email();
    if (!isUsername(given.username)) throw fieldErrors.invalid('username');
    if (taken.includes('username')) throw accountErrors.taken.username();
    if (mobileNo === null && given.mobileNo !== undefined) throw fieldErrors.invalid('mobile_no');
    if (taken.includes('mobile')) throw accountErrors.taken.mobile();
    return names;
  }

  /** As `check`, of the new e-mail of a person. @throws AppError conflict */
  async checkEmail(email: string): Promise<void> {
    const taken = await this.takenAnywhere([{ kind: 'email', value: email }]);
    if (taken.length > 0) throw accountErrors.taken.email();
  }

  /**
   * Runs the inserts that take names. The unique keys decide a race: the request that loses it looks again and
   * reports what the winner took.
   * @throws AppError conflict with the text of the first taken name in the order e-mail, username, mobile number
   */
  async claim<T>(tx: EntityManager, identities: Identity[], insert: () => Promise<T>): Promise<T> {
    await this.refuseTaken(tx, identities);
    try {
      return await insert();
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await this.refuseTaken(tx, identities);
      throw accountErrors.taken[identities[0]?.kind ?? 'username']();
    }
  }

  private async takenAnywhere(identities: Identity[], userType?: string | null): Promise<IdentityKind[]> {
    const [here, elsewhere] = await Promise.all([
      this.store.taken(identities),
      this.claims.takenElsewhere(identities, userType),
    ]);
    return [...here, ...elsewhere];
  }

  private async refuseTaken(tx: EntityManager, identities: Identity[]): Promise<void> {
    const [kind] = await this.store.taken(identities, tx);
    if (kind) throw accountErrors.taken[kind]();
  }
}

/** The holder of a name to log in with: an account, or a person who acts for it. */
export interface Login {
  account: AccountEntity;
  assignedUser: AssignedUserEntity | null;
}

interface MappedIdentity extends LoginIdentityEntity {
  account: AccountEntity;
  assignedUser: AssignedUserEntity | null;
}

/** The username of the person, else of the account. */
export const usernameOf = ({ account, assignedUser }: Login): string => (assignedUser ?? account).username;

/** Finds the holder of a login name. One statement for every name, so that its time gives nothing away. */
@Injectable()
export class LoginNames {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * @param name an e-mail (any case) when it holds @ and a domain, else a username (byte for byte)
   * @returns null when it is free
   */
  async find(name: string): Promise<Login | null> {
    const isEmail = looksLikeEmail(name);
    if (isEmail) return this.holder('email', normalEmail(name));
    const login = await this.holder('username', name.toLowerCase());
    return login && usernameOf(login) === name ? login : null;
  }

  /**
   * The holder of a name, usernames in any case of letters.
   * @param value in lower case
   */
  async holder(kind: 'email' | 'username', value: string): Promise<Login | null> {
    const identity = (await this.dataSource.manager
      .createQueryBuilder(LoginIdentityEntity, 'identity')
      .innerJoinAndMapOne('identity.account', AccountEntity, 'account', 'account.id = identity.accountId')
      .leftJoinAndMapOne('identity.assignedUser', AssignedUserEntity, 'user', 'user.id = identity.assignedUserId')
      .where({ kind, value })
      .getOne()) as MappedIdentity | null;
    // the collation ignores trailing spaces, hence the second look
    return identity?.value === value ? { account: identity.account, assignedUser: identity.assignedUser } : null;
  }
}
