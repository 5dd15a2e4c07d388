import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { type Account, isClosedToOthers, needsToken, roleOf } from '../domain/account.js';
import type { SecurityData } from '../http/security.dto.js';
import { AccountStore } from '../persistence/account-store.js';

/** What holds for those who come without the account's token, and what its owner chose; past every cache. */
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
