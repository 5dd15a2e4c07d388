import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { BalanceAlerts, type BalanceThresholds } from '../persistence/balance-alerts.js';

/** Below which balances an account is told. */
export class GetBalanceAlertsQuery extends Query<BalanceThresholds> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(GetBalanceAlertsQuery)
export class GetBalanceAlertsHandler implements IQueryHandler<GetBalanceAlertsQuery> {
  constructor(private readonly alerts: BalanceAlerts) {}

  execute({ accountId }: GetBalanceAlertsQuery): Promise<BalanceThresholds> {
    return this.alerts.of(accountId);
  }
}
