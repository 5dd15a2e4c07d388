import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import type { Account } from '../../accounts/index.js';
import { CHAT_STATUS_LABELS } from '../../channels/chat/index.js';
import { statusesOf } from '../../engine/index.js';
import { sessionMessageData, type SessionMessageData } from '../http/own-session-message.dto.js';
import { SessionMessageReader } from '../persistence/session-message-reader.js';

/** What a list of session messages is narrowed to; null = everything. */
export interface SessionMessageFilter {
  /** a status label of the chat channels in any case of letters; an unknown one matches nothing */
  status: string | null;
  scheduled: boolean | null;
}

/** A page of an account's session messages, the newest first; times in the account's zone. */
export class ListSessionMessagesQuery extends Query<Listed<SessionMessageData>> {
  constructor(
    readonly account: Account,
    readonly filter: SessionMessageFilter,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListSessionMessagesQuery)
export class ListSessionMessagesHandler implements IQueryHandler<ListSessionMessagesQuery> {
  constructor(private readonly reader: SessionMessageReader) {}

  async execute({ account, filter, page }: ListSessionMessagesQuery): Promise<Listed<SessionMessageData>> {
    const statuses = filter.status === null ? null : statusesOf({ statusLabels: CHAT_STATUS_LABELS }, filter.status);
    const listed = await this.reader.part(account.id, statuses, filter.scheduled, page);
    return shown(listed, (row) => sessionMessageData(row, account.timeZone));
  }
}
