import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import type { Account } from '../accounts/index.js';
import { RouteDirectory } from '../providers/index.js';
import { RequestIds } from './reception/events.js';
import { OPERATOR } from './reception/inbound-message.js';
import { inboundMessageData, type InboundMessageData, type StaffInboundMessageData } from './inbound-messages.dto.js';
import { inboundErrors } from './inbound-messages.errors.js';
import { InboundReader, type ListedText, type TextFilter } from './inbound-reads.store.js';

/** A page of an account's inbound texts, newest first; times in the account's zone. */
export class ListInboundMessagesQuery extends Query<Listed<InboundMessageData>> {
  constructor(
    readonly account: Account,
    readonly filter: TextFilter,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListInboundMessagesQuery)
export class ListInboundMessagesHandler implements IQueryHandler<ListInboundMessagesQuery> {
  constructor(
    private readonly reader: InboundReader,
    private readonly requestIds: RequestIds,
  ) {}

  async execute({ account, filter, page }: ListInboundMessagesQuery): Promise<Listed<InboundMessageData>> {
    const listed = await this.reader.part(account.id, filter, page);
    const requestIds = await this.requestIds.of(listed.items.flatMap(({ campaignId }) => campaignId ?? []));
    return shown(listed, (row) => inboundMessageData(row, account.timeZone, requestIds));
  }
}

/** One inbound text of the account. @throws AppError not_found, also for another account's */
export class FindInboundMessageQuery extends Query<InboundMessageData> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(FindInboundMessageQuery)
export class FindInboundMessageHandler implements IQueryHandler<FindInboundMessageQuery> {
  constructor(
    private readonly reader: InboundReader,
    private readonly requestIds: RequestIds,
  ) {}

  async execute({ account, id }: FindInboundMessageQuery): Promise<InboundMessageData> {
    const row = await this.reader.byId(id);
    if (row?.accountId !== account.id) throw inboundErrors.notFound();
    return inboundMessageData(row, account.timeZone, await this.requestIds.of(row.campaignId ? [row.campaignId] : []));
  }
}

/** Inbound texts for staff, newest first. @param owner null = the inbox of the operator */
export class ReviewInboundMessagesQuery extends Query<Listed<StaffInboundMessageData>> {
  constructor(
    readonly viewer: Account,
    readonly owner: Account | null,
    readonly filter: TextFilter,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ReviewInboundMessagesQuery)
export class ReviewInboundMessagesHandler implements IQueryHandler<ReviewInboundMessagesQuery> {
  constructor(
    private readonly reader: InboundReader,
    private readonly requestIds: RequestIds,
    private readonly routes: RouteDirectory,
  ) {}

  async execute(query: ReviewInboundMessagesQuery): Promise<Listed<StaffInboundMessageData>> {
    const { viewer, owner, filter, page } = query;
    const listed = await this.reader.part(owner?.id ?? OPERATOR, filter, page);
    const requestIds = await this.requestIds.of(listed.items.flatMap(({ campaignId }) => campaignId ?? []));
    const names = new Map((await this.routes.list()).map(({ id, name }) => [id, name]));
    return shown(listed, (row: ListedText) =>
      Object.assign(inboundMessageData(row, viewer.timeZone, requestIds), {
        username: owner?.username ?? null,
        route: names.get(row.routeId) ?? null,
      }),
    );
  }
}

/** The id of an SMS route; null = there is none of this name. */
export class FindRouteByNameQuery extends Query<number | null> {
  constructor(readonly name: string) {
    super();
  }
}

@QueryHandler(FindRouteByNameQuery)
export class FindRouteByNameHandler implements IQueryHandler<FindRouteByNameQuery> {
  constructor(private readonly routes: RouteDirectory) {}

  async execute({ name }: FindRouteByNameQuery): Promise<number | null> {
    const route = await this.routes.byName(name);
    return route?.channel === 'sms' ? route.id : null;
  }
}
