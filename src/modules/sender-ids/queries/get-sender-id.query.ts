import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import { senderIdData, type SenderIdData } from '../http/sender-id.dto.js';
import { SenderIdStore } from '../persistence/sender-id-store.js';
import { senderIdErrors } from '../sender-ids.errors.js';

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
