import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Listed, Page } from '../../../kernel/lists.js';
import { AccountDirectory } from '../../accounts/index.js';
import type { SenderStatus } from '../domain/sender-id.js';
import { type ReviewedSenderIdData, reviewedSenderIdData } from '../http/sender-id.dto.js';
import { SenderIdStore } from '../persistence/sender-id-store.js';

/** Sender ids of all accounts, the newest first, or one of them. */
export class ReviewSenderIdsQuery extends Query<Listed<ReviewedSenderIdData>> {
  /** @param wanted null = of every status; times in `timeZone`, that of staff */
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
