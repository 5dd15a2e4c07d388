import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
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
export class ListSessionMessagesQuery extends Query<{ messages: SessionMessageData[]; total: number }> {
  constructor(
    readonly account: Account,
    readonly filter: SessionMessageFilter,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListSessionMessagesQuery)
export class ListSessionMessagesHandler implements IQueryHandler<ListSessionMessagesQuery> {
  constructor(private readonly reader: SessionMessageReader) {}

  async execute(query: ListSessionMessagesQuery): Promise<{ messages: SessionMessageData[]; total: number }> {
    const { account, filter, page, limit } = query;
    const statuses = filter.status === null ? null : statusesOf({ statusLabels: CHAT_STATUS_LABELS }, filter.status);
    if (statuses?.length === 0) return { messages: [], total: 0 };
    const { rows, total } = await this.reader.page(account.id, statuses, filter.scheduled, page, limit);
    return { messages: rows.map((row) => sessionMessageData(row, account.timeZone)), total };
  }
}
