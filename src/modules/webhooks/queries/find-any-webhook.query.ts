import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { AccountDirectory } from '../../accounts/index.js';
import { type StaffWebhookData, staffWebhookData } from '../http/staff-webhook.dto.js';
import { EndpointHealths } from '../persistence/endpoint-health.js';
import { webhookErrors } from '../webhooks.errors.js';

/** One webhook of any account with how it does, for staff. @throws AppError not_found */
export class FindAnyWebhookQuery extends Query<StaffWebhookData> {
  /** @param timeZone that of staff */
  constructor(
    readonly id: number,
    readonly timeZone: string,
  ) {
    super();
  }
}

@QueryHandler(FindAnyWebhookQuery)
export class FindAnyWebhookHandler implements IQueryHandler<FindAnyWebhookQuery> {
  constructor(
    private readonly endpoints: EndpointHealths,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ id, timeZone }: FindAnyWebhookQuery): Promise<StaffWebhookData> {
    const row = await this.endpoints.find(id);
    const [health] = await this.endpoints.of([id]);
    if (!row || !health) throw webhookErrors.notFound();
    const account = await this.accounts.byId(row.accountId);
    return staffWebhookData(row, account?.username ?? '', health, timeZone);
  }
}
