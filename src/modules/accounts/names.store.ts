import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { fieldErrors } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { inTransaction, isDuplicateKey, type WriteResult } from '../../platform/database/index.js';
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

export interface NameClaim {
  id: number;
  names: number;
}

export interface PendingClaim extends Identity {
  claim: number;
}

const STAFF: ReadonlySet<string | null | undefined> = new Set(['super', 'admin']);

/**
 * Keeps names unique over all cells (docs/decisions/0041): stores a pending row, claims in the directory, then the naming
 * transaction deletes the row. The sweeper settles leftover rows. Inactive without `CELL`.
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

  /** Returns names held by other cells. @throws AppError unavailable without the directory */
  async takenElsewhere(identities: readonly Identity[], userType?: string | null): Promise<IdentityKind[]> {
    if (this.cell === undefined) return [];
    return kindsElsewhere(identities, await this.holders(identities), this.scopeOf(this.cell, userType));
  }

  /**
   * Call after all other checks and before the transaction that calls `end`: a failed claim blocks other cells until the
   * sweeper runs. Staff names may exist in every cell. @throws AppError conflict for the first taken name; unavailable
   */
  async claim(identities: readonly Identity[], userType?: string | null): Promise<NameClaim | null> {
    if (this.cell === undefined || identities.length === 0) return null;
    const claim = { id: newId(), names: identities.length };
    await this.insertClaims(this.dataSource.manager, identities, claim.id, 0);
    const scope = this.scopeOf(this.cell, userType);
    let holders = await this.claimed(identities, scope, claim);
    // Another cell released the name between the two statements: only a row makes a name taken.
    if (holders.includes(null)) holders = await this.claimed(identities, scope, claim);
    const [kind] = kindsElsewhere(identities, holders, scope);
    if (kind) throw accountErrors.taken[kind]();
    if (holders.includes(null)) throw accountErrors.directoryAway();
    return claim;
  }

  /** Runs the transaction that writes the names: `claim` before, `end` in it. @throws AppError as these */
  async naming<T>(
    identities: readonly Identity[],
    userType: string | null | undefined,
    work: (tx: EntityManager) => Promise<T>,
  ): Promise<T> {
    const claim = await this.claim(identities, userType);
    return inTransaction(this.dataSource, async (tx) => {
      await this.end(tx, claim);
      return work(tx);
    });
  }

  /** Joins the naming transaction. @throws AppError unavailable if the sweeper released the claim meanwhile */
  async end(tx: EntityManager, claim: NameClaim | null): Promise<void> {
    if (claim === null) return;
    const { affectedRows } = await tx.query<WriteResult>('DELETE FROM name_claims WHERE claim = ? AND looks = 0', [
      claim.id,
    ]);
    if (affectedRows !== claim.names) throw accountErrors.directoryAway();
  }

  /** Releases names in this transaction; the sweeper updates the directory. */
  async giveUp(tx: EntityManager, identities: readonly Identity[]): Promise<void> {
    if (this.cell !== undefined) await this.insertClaims(tx, identities, newId(), 1);
  }

  /** Returns the cell of each name; null = none. */
  private async claimed(identities: readonly Identity[], scope: string, { id }: NameClaim): Promise<(string | null)[]> {
    await this.asked(() => this.directory.claim(identities, scope, id));
    return this.holders(identities);
  }

  private holders(identities: readonly Identity[]): Promise<(string | null)[]> {
    return this.asked(() => Promise.all(identities.map((name) => this.directory.cellOf(name))));
  }

  private async insertClaims(
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

function kindsElsewhere(
  identities: readonly Identity[],
  holders: readonly (string | null)[],
  scope: string,
): IdentityKind[] {
  const taken = identities.filter((_, index) => (holders[index] ?? scope) !== scope);
  return IDENTITY_KINDS.filter((kind) => taken.some((name) => name.kind === kind));
}

export interface Names {
  username: string;
  email: string | null;
  mobileNo: string | null;
}

/** Validates and claims the names of new accounts and assigned users. */
@Injectable()
export class NameCheck {
  constructor(
    private readonly store: AccountStore,
    private readonly claims: NameClaims,
  ) {}

  /**
   * Checks before writes, in order: e-mail taken; username invalid, taken; mobile invalid, taken
   * (reference/authentication#registration). `email`: valid, lower case; `mobileNo` null = wrong type; no `userType` = a
   * person.
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

  /** Like `check`, for a person's new e-mail. @throws AppError conflict */
  async checkEmail(email: string): Promise<void> {
    const taken = await this.takenAnywhere([{ kind: 'email', value: email }]);
    if (taken.length > 0) throw accountErrors.taken.email();
  }

  /** Runs inserts under unique keys; the loser of a race reports the first taken name. @throws AppError conflict */
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

export interface Login {
  account: AccountEntity;
  assignedUser: AssignedUserEntity | null;
}

interface MappedIdentity extends LoginIdentityEntity {
  account: AccountEntity;
  assignedUser: AssignedUserEntity | null;
}

export const usernameOf = ({ account, assignedUser }: Login): string => (assignedUser ?? account).username;

/** Finds login holders with one statement for every name, so that timing reveals nothing. */
@Injectable()
export class LoginNames {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** `name`: an e-mail (any case) or a username (byte for byte). Returns null if unused. */
  async find(name: string): Promise<Login | null> {
    const isEmail = looksLikeEmail(name);
    if (isEmail) return this.holder('email', normalEmail(name));
    const login = await this.holder('username', name.toLowerCase());
    return login && usernameOf(login) === name ? login : null;
  }

  /** Finds a holder, case-insensitively; `value` must be lower case. */
  async holder(kind: 'email' | 'username', value: string): Promise<Login | null> {
    const identity = (await this.dataSource.manager
      .createQueryBuilder(LoginIdentityEntity, 'identity')
      .innerJoinAndMapOne('identity.account', AccountEntity, 'account', 'account.id = identity.accountId')
      .leftJoinAndMapOne('identity.assignedUser', AssignedUserEntity, 'user', 'user.id = identity.assignedUserId')
      .where({ kind, value })
      .getOne()) as MappedIdentity | null;
    // the collation ignores trailing spaces
    return identity?.value === value ? { account: identity.account, assignedUser: identity.assignedUser } : null;
  }
}
