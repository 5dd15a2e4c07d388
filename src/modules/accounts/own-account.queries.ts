import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { dateTime } from '../../kernel/clock.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { storedBytes } from '../quotas/index.js';
import { AccountStore } from './accounts.store.js';
import { type Account, isClosedToOthers, needsToken, roleOf } from './domain/account.js';
import { ownAccountView, type OwnAccountView, type SecurityData } from './own-account.dto.js';

/** Returns the acting account and person. */
export class FindOwnAccountQuery extends Query<OwnAccountView> {
  constructor(readonly account: Account) {
    super();
  }
}

@QueryHandler(FindOwnAccountQuery)
export class FindOwnAccountHandler implements IQueryHandler<FindOwnAccountQuery> {
  constructor(private readonly store: AccountStore) {}

  async execute({ account }: FindOwnAccountQuery): Promise<OwnAccountView> {
    const { parentId } = account;
    const parents = await this.store.usernames(parentId === null ? [] : [parentId]);
    return ownAccountView(account, parentId === null ? null : (parents.get(parentId) ?? null));
  }
}

/** Returns the rules for requests without a token, uncached. */
export class FindOwnSecurityQuery extends Query<SecurityData> {
  constructor(readonly account: Account) {
    super();
  }
}

@QueryHandler(FindOwnSecurityQuery)
export class FindOwnSecurityHandler implements IQueryHandler<FindOwnSecurityQuery> {
  constructor(
    private readonly store: AccountStore,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALLOW_BODY_USERNAME' | 'PROTECT_REPORTS'>,
  ) {}

  async execute({ account: actor }: FindOwnSecurityQuery): Promise<SecurityData> {
    const row = await this.store.rowById(actor.id);
    const account = row ? this.store.toAccount(row) : actor;
    const { security } = account;
    const takesUsername = this.environment.ALLOW_BODY_USERNAME && roleOf(account.userType) === 'user';
    return {
      require_token: security.requireToken,
      protect_reports: security.protectReports,
      body_username_addresses: [...security.bodyUsernameAddresses],
      chosen_at: security.chosenAt && dateTime(security.chosenAt, account.timeZone),
      required_by_staff: account.requireToken,
      sends_without_token: takesUsername && !needsToken(account),
      shows_without_token: !isClosedToOthers(account) && !this.environment.PROTECT_REPORTS,
    };
  }
}

export interface Storage {
  bytes: number;
  limit: number;
}

/** Returns used and allowed storage in bytes (reference/accounts#quotas). */
export class GetStorageQuery extends Query<Storage> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(GetStorageQuery)
export class GetStorageHandler implements IQueryHandler<GetStorageQuery> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'STORAGE_PER_ACCOUNT'>,
  ) {}

  async execute({ accountId }: GetStorageQuery): Promise<Storage> {
    return { bytes: await storedBytes(this.dataSource, accountId), limit: this.environment.STORAGE_PER_ACCOUNT };
  }
}
