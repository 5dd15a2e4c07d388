import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { isUserId } from '../../../kernel/chat-user-id.js';
import { dateTime } from '../../../kernel/clock.js';
import type { Account } from '../../accounts/index.js';
import { CHAT_STATUS_LABELS, RecipientStatus, statusesOf } from '../../engine/index.js';
import { type ListedSessionMessage, SessionMessageReader } from '../persistence/session-message-reader.js';

/** A session message as its owner sees it. */
export interface SessionMessageView {
  id: number;
  /** digits with country code; null when it went to a user id */
  to: string | null;
  /** user id; null when it went to a number */
  recipient: string | null;
  type: string;
  broadcast_name: string | null;
  status: string;
  error_code: number | null;
  errorMessage: string | null;
  provider_message_id: string | null;
  /** null = it was to leave at once */
  scheduled_at: string | null;
  /** null = it has not left */
  sent_at: string | null;
  created_at: string;
  updated_at: string;
}

/** What a list of session messages is narrowed to; null = everything. */
export interface SessionMessageFilter {
  /** a chat word in any case of letters; an unknown one matches nothing */
  status: string | null;
  scheduled: boolean | null;
}

/** A page of an account's session messages, the newest first; times in the account's zone. */
export class ListSessionMessagesQuery extends Query<{ messages: SessionMessageView[]; total: number }> {
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

  async execute(query: ListSessionMessagesQuery): Promise<{ messages: SessionMessageView[]; total: number }> {
    const { account, filter, page, limit } = query;
    const statuses = filter.status === null ? null : statusesOf({ statusLabels: CHAT_STATUS_LABELS }, filter.status);
    if (statuses?.length === 0) return { messages: [], total: 0 };
    const { rows, total } = await this.reader.page(account.id, statuses, filter.scheduled, page, limit);
    return { messages: rows.map((row) => viewOf(row, account.timeZone)), total };
  }
}

function viewOf(row: ListedSessionMessage, zone: string): SessionMessageView {
  const at = (moment: Date | null): string | null => moment && dateTime(moment, zone);
  const isFailed = row.status === RecipientStatus.Failed;
  return {
    id: row.id,
    to: isUserId(row.receiver) ? null : row.receiver,
    recipient: isUserId(row.receiver) ? row.receiver : null,
    type: row.type,
    broadcast_name: row.label,
    status: CHAT_STATUS_LABELS[row.status],
    error_code: isFailed ? row.error_code : null,
    errorMessage: isFailed ? row.error_message : null,
    provider_message_id: row.provider_message_id,
    scheduled_at: at(row.scheduled_at),
    sent_at: at(row.sent_at),
    created_at: dateTime(row.created_at, zone),
    updated_at: dateTime(row.updated_at, zone),
  };
}
