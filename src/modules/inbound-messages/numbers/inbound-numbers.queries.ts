import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { type Account, AccountDirectory } from '../../accounts/index.js';
import { RouteDirectory } from '../../providers/index.js';
import type { InboundNumberData } from '../inbound-messages.dto.js';
import { inboundErrors } from '../inbound-messages.errors.js';
import { type InboundNumber, InboundNumbers } from './inbound-numbers.store.js';

/** Inbound numbers of all accounts, newest first. */
export class ListInboundNumbersQuery extends Query<Listed<InboundNumberData>> {
  constructor(
    readonly viewer: Account,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListInboundNumbersQuery)
export class ListInboundNumbersHandler implements IQueryHandler<ListInboundNumbersQuery> {
  constructor(
    private readonly numbers: InboundNumbers,
    private readonly accounts: AccountDirectory,
    private readonly routes: RouteDirectory,
  ) {}

  async execute({ viewer, page }: ListInboundNumbersQuery): Promise<Listed<InboundNumberData>> {
    const listed = await this.numbers.part(page);
    const routes = new Map((await this.routes.list()).map(({ id, name }) => [id, name]));
    const owners = await Promise.all(listed.items.map(({ accountId }) => this.accounts.byId(accountId)));
    const names = new Map(owners.map((owner) => [owner?.id, owner?.username]));
    return shown(listed, (row) =>
      inboundNumberData(
        row,
        { route: routes.get(row.routeId) ?? null, username: names.get(row.accountId) ?? '' },
        viewer,
      ),
    );
  }
}

/** Username of the account that an inbound number belongs to; null = the account is gone. @throws AppError not_found */
export class FindInboundNumberOwnerQuery extends Query<string | null> {
  constructor(readonly id: number) {
    super();
  }
}

@QueryHandler(FindInboundNumberOwnerQuery)
export class FindInboundNumberOwnerHandler implements IQueryHandler<FindInboundNumberOwnerQuery> {
  constructor(
    private readonly numbers: InboundNumbers,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ id }: FindInboundNumberOwnerQuery): Promise<string | null> {
    const number = await this.numbers.byId(id);
    if (!number) throw inboundErrors.numberNotFound();
    return (await this.accounts.byId(number.accountId))?.username ?? null;
  }
}

export const inboundNumberData = (
  { id, number, keyword, createdAt }: InboundNumber,
  { route, username }: { route: string | null; username: string },
  { timeZone }: Pick<Account, 'timeZone'>,
): InboundNumberData => ({
  ...{ id, number, route, keyword: keyword === '' ? null : keyword, username },
  created_at: dateTime(createdAt, timeZone),
});
