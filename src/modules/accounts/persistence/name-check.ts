import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { isDuplicateKey } from '../../../platform/database/index.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Identity, type IdentityKind, identitiesOf, isUsername, normalMobile } from '../domain/identity.js';
import { AccountStore } from './account-store.js';
import { NameClaims } from './name-claims.js';

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
