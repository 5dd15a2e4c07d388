import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { fieldErrors } from '../../kernel/errors.js';
import { readMessageId } from '../../kernel/ids.js';
import { type Listed, offsetOf, type Page, pageTooDeep } from '../../kernel/lists.js';
import { type Account, isTesting } from '../accounts/index.js';
import { sessionErrors } from '../session-messages/index.js';
import { messageData, type MessageData } from './messages.dto.js';
import type { MessageFilter, MessagePosition } from './listed-message.js';
import { MessageReader } from './messages.store.js';

/** A message that the account has sent or received. @throws AppError not_found `Message not found`, also for another account's */
export class FindMessageQuery extends Query<MessageData> {
  constructor(
    readonly account: Account,
    readonly id: string,
  ) {
    super();
  }
}

@QueryHandler(FindMessageQuery)
export class FindMessageHandler implements IQueryHandler<FindMessageQuery> {
  constructor(private readonly reader: MessageReader) {}

  async execute({ account, id }: FindMessageQuery): Promise<MessageData> {
    const key = readMessageId(id);
    const message = key && (await this.reader.byKey(account.id, key));
    if (!message || (isTesting(account) && !message.isTest)) throw sessionErrors.notFound();
    return messageData(message, account.timeZone);
  }
}

/**
 * A page of what the account has sent and received, newest first. @throws AppError too_many while it searches for another
 * number; invalid for a page that is too deep
 */
export class ListMessagesQuery extends Query<Listed<MessageData>> {
  constructor(
    readonly account: Account,
    readonly filter: MessageFilter,
    readonly page: Page,
  ) {
    super();
  }
}

/** Messages before a page that is named by its number; a cursor reaches further. */
const MOST_BEFORE = 1_000;

@QueryHandler(ListMessagesQuery)
export class ListMessagesHandler implements IQueryHandler<ListMessagesQuery> {
  constructor(private readonly reader: MessageReader) {}

  async execute({ account, filter, page }: ListMessagesQuery): Promise<Listed<MessageData>> {
    const offset = offsetOf(page);
    if (offset > MOST_BEFORE) throw pageTooDeep();
    const after = page.after === null ? null : positionIn(String(page.after));
    const { messages, next } = await this.reader.behind(account.id, filter, after, offset + page.limit);
    return {
      items: messages.slice(offset).map((message) => messageData(message, account.timeZone)),
      total: messages.length,
      isCapped: next !== null || after !== null,
      next: next && `${next.id}.${next.seq}.${next.chat}`,
    };
  }
}

const POSITION = /^([0-9]{1,16})\.([0-9]{1,10})\.([0-9]{1,16})$/;

/** @throws AppError invalid `cursor is invalid` */
function positionIn(text: string): MessagePosition {
  const [id, seq, chat] = (POSITION.exec(text) ?? []).slice(1).map(Number);
  if (id === undefined || seq === undefined || chat === undefined) throw fieldErrors.invalid('cursor');
  return { id, seq, chat };
}
