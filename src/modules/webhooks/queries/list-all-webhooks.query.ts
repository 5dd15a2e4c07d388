import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Listed, Page } from '../../../kernel/lists.js';
import { AccountDirectory, accountErrors } from '../../accounts/index.js';
import type { WebhookStatus } from '../domain/webhook.js';
import { type StaffWebhookData, staffWebhookData } from '../http/staff-webhook.dto.js';
import { EndpointHealths } from '../persistence/endpoint-health.js';

/** What staff narrow the webhooks of all accounts to; null = all. */
export interface WebhookFilter {
  username: string | null;
  status: WebhookStatus | null;
  isFailing: boolean;
}

/** Webhooks of all accounts with how they do, the newest first, for staff. Throws 404 for an unknown account. */
export class ListAllWebhooksQuery extends Query<Listed<StaffWebhookData>> {
  /** @param timeZone that of staff */
  constructor(
    readonly filter: WebhookFilter,
    readonly timeZone: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListAllWebhooksQuery)
export class ListAllWebhooksHandler implements IQueryHandler<ListAllWebhooksQuery> {
  constructor(
    private readonly endpoints: EndpointHealths,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ filter, timeZone, page }: ListAllWebhooksQuery): Promise<Listed<StaffWebhookData>> {
    const { username, status, isFailing } = filter;
    const owner = username === null ? null : await this.accounts.byUsername(username);
    if (username !== null && !owner) throw accountErrors.notFound();
    const listed = await this.endpoints.part({ accountId: owner?.id ?? null, status, isFailing }, page);
    const healths = await this.endpoints.of(listed.items.map(({ id }) => id));
    const views = listed.items.map(async (row, place) => {
      const health = healths[place];
      const account = owner ?? (await this.accounts.byId(row.accountId));
      return health ? [staffWebhookData(row, account?.username ?? '', health, timeZone)] : [];
    });
    return { ...listed, items: (await Promise.all(views)).flat() };
  }
}
