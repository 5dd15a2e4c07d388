import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { type Account, AccountDirectory } from '../accounts/index.js';
import type { SenderStatus } from './sender-id.js';
import { reviewedSenderIdData, type ReviewedSenderIdData, senderIdData, type SenderIdData } from './sender-ids.dto.js';
import { senderIdErrors } from './sender-ids.errors.js';
import { SenderIdStore } from './sender-ids.store.js';

/** One of an account's sender ids. @throws AppError not_found */
export class GetSenderIdQuery extends Query<SenderIdData> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(GetSenderIdQuery)
export class GetSenderIdHandler implements IQueryHandler<GetSenderIdQuery> {
  constructor(private readonly store: SenderIdStore) {}

  async execute({ account, id }: GetSenderIdQuery): Promise<SenderIdData> {
    const sender = await this.store.ofAccount({ id, accountId: account.id });
    if (!sender) throw senderIdErrors.notFound();
    return senderIdData(sender, account.timeZone);
  }
}

/** An account's sender ids, newest first; times in its zone. */
export class ListSenderIdsQuery extends Query<Listed<SenderIdData>> {
  constructor(
    readonly account: Account,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListSenderIdsQuery)
export class ListSenderIdsHandler implements IQueryHandler<ListSenderIdsQuery> {
  constructor(private readonly store: SenderIdStore) {}

  async execute({ account, page }: ListSenderIdsQuery): Promise<Listed<SenderIdData>> {
    const listed = await this.store.part({ accountId: account.id }, page);
    return shown(listed, (sender) => senderIdData(sender, account.timeZone));
  }
}

/** Sender ids of all accounts, newest first, or one of them; times in `timeZone`. */
export class ReviewSenderIdsQuery extends Query<Listed<ReviewedSenderIdData>> {
  constructor(
    readonly wanted: { status: SenderStatus } | { id: number } | null,
    readonly timeZone: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ReviewSenderIdsQuery)
export class ReviewSenderIdsHandler implements IQueryHandler<ReviewSenderIdsQuery> {
  constructor(
    private readonly store: SenderIdStore,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ wanted, timeZone, page }: ReviewSenderIdsQuery): Promise<Listed<ReviewedSenderIdData>> {
    const listed = await this.store.part(wanted, page);
    const views = listed.items.map(async (sender) => {
      const account = await this.accounts.byId(sender.accountId);
      return reviewedSenderIdData(sender, account?.username ?? '', timeZone);
    });
    return { ...listed, items: await Promise.all(views) };
  }
}
