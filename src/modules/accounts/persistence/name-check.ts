import { Injectable } from '@nestjs/common';
import { accountErrors } from '../domain/account-errors.js';
import { identitiesOf, isUsername, normalMobile } from '../domain/identity.js';
import { AccountStore } from './account-store.js';

/** The names of a new account, normalised. */
export interface Names {
  username: string;
  email: string | null;
  mobileNo: string | null;
}

/** Judges the names of a new account before anything is written (spec 4.10 "uniqueness checks run before"). */
@Injectable()
export class NameCheck {
  constructor(private readonly store: AccountStore) {}

  /**
   * Order: e-mail taken, username invalid, username taken, mobile number invalid, mobile number taken.
   * @param given e-mail: valid and in lower case, or null; mobileNo: null = of a wrong type, undefined = none
   */
  async check(given: { username: string; email: string | null; mobileNo: string | null | undefined }): Promise<Names> {
    const mobileNo = given.mobileNo ? normalMobile(given.mobileNo) : null;
    const names: Names = { username: given.username, email: given.email, mobileNo };
    const taken = await this.store.taken(identitiesOf(names));
    if (taken.includes('email')) throw accountErrors.taken('email');
    if (!isUsername(given.username)) throw accountErrors.invalid('username');
    if (taken.includes('username')) throw accountErrors.taken('username');
    if (mobileNo === null && given.mobileNo !== undefined) throw accountErrors.invalid('mobile_no');
    if (taken.includes('mobile')) throw accountErrors.taken('mobile');
    return names;
  }
}
