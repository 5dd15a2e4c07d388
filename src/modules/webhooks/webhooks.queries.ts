import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, partOf, shown } from '../../kernel/lists.js';
import { type Account, AccountDirectory, accountErrors } from '../accounts/index.js';
import { EndpointHealths } from './endpoint-health.store.js';
import { EndpointStore } from './endpoints.store.js';
import { EventStore } from './events.store.js';
import type { WebhookStatus } from './webhook.js';
import {
  attemptData,
  type AttemptData,
  staffWebhookData,
  type StaffWebhookData,
  webhookData,
  type WebhookData,
} from './webhooks.dto.js';
import { webhookErrors } from './webhooks.errors.js';

/** One endpoint of the account. Throws AppError not_found. */
export class GetWebhookQuery extends Query<WebhookData> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(GetWebhookQuery)
export class GetWebhookHandler implements IQueryHandler<GetWebhookQuery> {
  constructor(private readonly endpoints: EndpointStore) {}

  async execute({ account, id }: GetWebhookQuery): Promise<WebhookData> {
    const row = await this.endpoints.find(account.id, id);
    if (!row) throw webhookErrors.notFound();
    return webhookData(row, account.timeZone);
  }
}

/** The account's endpoints, oldest first. */
export class ListWebhooksQuery extends Query<Listed<WebhookData>> {
  constructor(
    readonly account: Account,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListWebhooksQuery)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooksQuery> {
  constructor(private readonly endpoints: EndpointStore) {}

  async execute({ account, page }: ListWebhooksQuery): Promise<Listed<WebhookData>> {
    const rows = await this.endpoints.ofAccount(account.id);
    return shown(
      partOf(rows, ({ id }) => id, page),
      (row) => webhookData(row, account.timeZone),
    );
  }
}

/** The log of an endpoint, newest first. Throws AppError not_found. */
export class ListAttemptsQuery extends Query<Listed<AttemptData>> {
  constructor(
    readonly account: Account,
    readonly webhookId: number,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListAttemptsQuery)
export class ListAttemptsHandler implements IQueryHandler<ListAttemptsQuery> {
  constructor(
    private readonly endpoints: EndpointStore,
    private readonly events: EventStore,
  ) {}

  async execute({ account, webhookId, page }: ListAttemptsQuery): Promise<Listed<AttemptData>> {
    if (!(await this.endpoints.find(account.id, webhookId))) throw webhookErrors.notFound();
    return shown(await this.events.attempts(webhookId, page), (row) => attemptData(row, account.timeZone));
  }
}

/** One endpoint of any account with its health, for staff. Throws AppError not_found. */
export class FindAnyWebhookQuery extends Query<StaffWebhookData> {
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

export interface WebhookFilter {
  username: string | null;
  status: WebhookStatus | null;
  isFailing: boolean;
}

/** Endpoints of all accounts with their health, newest first, for staff. Throws AppError not_found for an unknown account. */
export class ListAllWebhooksQuery extends Query<Listed<StaffWebhookData>> {
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
    const views = listed.items.map(async (row, index) => {
      const health = healths[index];
      const account = owner ?? (await this.accounts.byId(row.accountId));
      return health ? [staffWebhookData(row, account?.username ?? '', health, timeZone)] : [];
    });
    return { ...listed, items: (await Promise.all(views)).flat() };
  }
}

/** The log of an endpoint of any account, newest first, for staff. Throws AppError not_found. */
export class ListAnyAttemptsQuery extends Query<Listed<AttemptData>> {
  constructor(
    readonly webhookId: number,
    readonly timeZone: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListAnyAttemptsQuery)
export class ListAnyAttemptsHandler implements IQueryHandler<ListAnyAttemptsQuery> {
  constructor(
    private readonly endpoints: EndpointHealths,
    private readonly events: EventStore,
  ) {}

  async execute({ webhookId, timeZone, page }: ListAnyAttemptsQuery): Promise<Listed<AttemptData>> {
    if (!(await this.endpoints.find(webhookId))) throw webhookErrors.notFound();
    return shown(await this.events.attempts(webhookId, page), (row) => attemptData(row, timeZone));
  }
}
