import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { TtlCache } from '../../../platform/caches/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';

/** Accounts in use to which a username alone sends, from any address. */
export interface OpenAccounts {
  accounts: number;
  /** those of them whose owner has not chosen yet */
  undecided: number;
}

/** Counts the accounts whose credits can be spent with their username alone. */
export class CountOpenAccountsQuery extends Query<OpenAccounts> {}

const KEPT_MS = 30_000;
const NONE: OpenAccounts = { accounts: 0, undecided: 0 };

@QueryHandler(CountOpenAccountsQuery)
export class CountOpenAccountsHandler implements IQueryHandler<CountOpenAccountsQuery> {
  private readonly counts = new TtlCache<'all', OpenAccounts>(KEPT_MS, 1);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALLOW_BODY_USERNAME'>,
  ) {}

  execute(): Promise<OpenAccounts> {
    return this.environment.ALLOW_BODY_USERNAME ? this.counts.get('all', () => this.count()) : Promise.resolve(NONE);
  }

  private async count(): Promise<OpenAccounts> {
    const [row] = await this.dataSource.query<{ accounts: number; undecided: number }[]>(
      `SELECT COUNT(*) AS accounts, COUNT(IF(security_chosen_at IS NULL, 1, NULL)) AS undecided FROM accounts
       WHERE is_active = 1 AND (expires_at IS NULL OR expires_at > UTC_TIMESTAMP(3))
         AND (user_type IS NULL OR user_type NOT IN ('super', 'admin', 'reseller'))
         AND require_token = 0 AND own_require_token = 0 AND body_username_ips IS NULL`,
    );
    return { accounts: Number(row?.accounts), undecided: Number(row?.undecided) };
  }
}
