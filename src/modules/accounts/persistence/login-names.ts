import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { looksLikeEmail, normalEmail } from '../domain/identity.js';
import { AccountEntity } from './account.entity.js';
import { AssignedUserEntity } from './assigned-user.entity.js';
import { LoginIdentityEntity } from './login-identity.entity.js';

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
