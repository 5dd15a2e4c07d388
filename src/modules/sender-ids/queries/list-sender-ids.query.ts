import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import type { Account } from '../../accounts/index.js';
import { senderIdData, type SenderIdData } from '../http/sender-id.dto.js';
import { SenderIdStore } from '../persistence/sender-id-store.js';

/** An account's sender ids of every status, the newest first; times in its zone. */
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
