import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { isUserId } from '../../../kernel/chat-user-id.js';
import { dateTime } from '../../../kernel/clock.js';
import { CHAT_WORDS, RecipientStatus, statusesOf } from '../../campaigns/index.js';
import { type ListedSessionMessage, SessionMessageReader } from '../persistence/session-message-reader.js';
import { ListSessionMessages, type SessionMessageView } from './list-session-messages.query.js';

@QueryHandler(ListSessionMessages)
export class ListSessionMessagesHandler implements IQueryHandler<ListSessionMessages> {
  constructor(private readonly reader: SessionMessageReader) {}

  async execute(query: ListSessionMessages): Promise<{ messages: SessionMessageView[]; total: number }> {
    const { account, filter, page, limit } = query;
    const statuses = filter.status === null ? null : statusesOf({ words: CHAT_WORDS }, filter.status);
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
    status: CHAT_WORDS[row.status],
    error_code: isFailed ? row.error_code : null,
    errorMessage: isFailed ? row.error_message : null,
    provider_message_id: row.provider_message_id,
    scheduled_at: at(row.scheduled_at),
    sent_at: at(row.sent_at),
    created_at: dateTime(row.created_at, zone),
    updated_at: dateTime(row.updated_at, zone),
  };
}
