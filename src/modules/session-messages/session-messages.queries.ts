import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { type Account, AccountDirectory, type Actor, isTesting } from '../accounts/index.js';
import { actsAsStaff } from '../campaigns/index.js';
import { chatAccountErrors, ChatAccounts } from '../providers/index.js';
import { type FoundSessionMessageData, sessionMessageData, type SessionMessageData } from './session-messages.dto.js';
import { sessionErrors } from './session-messages.errors.js';
import { SessionMessageReader } from './session-reads.store.js';
import { SESSION_LABELS } from './session-messages.store.js';

/** One session message of the account, for staff of any account; times in the zone of its account. */
export class FindSessionMessageQuery extends Query<FoundSessionMessageData> {
  /** @throws AppError not_found `Message not found`, also for another account's message */
  constructor(
    readonly actor: Actor,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(FindSessionMessageQuery)
export class FindSessionMessageHandler implements IQueryHandler<FindSessionMessageQuery> {
  constructor(
    private readonly reader: SessionMessageReader,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ actor, id }: FindSessionMessageQuery): Promise<FoundSessionMessageData> {
    const row = await this.reader.byId(id);
    const isHidden = isTesting(actor.account) && row?.is_test === 0;
    if (!row || isHidden || (row.account_id !== actor.account.id && !actsAsStaff(actor)))
      throw sessionErrors.notFound();
    const owner = await this.accounts.byId(row.account_id);
    const { username, timeZone } = owner ?? { username: '', timeZone: 'UTC' };
    return Object.assign(sessionMessageData(row, timeZone), { username });
  }
}

export interface SessionMessageFilter {
  /** a status label of the chat channels, case-insensitive; an unknown one matches nothing */
  status: string | null;
  scheduled: boolean | null;
  isTest: boolean;
}

/** A page of an account's session messages, newest first; times in the account's zone. */
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
    const statuses = filter.status === null ? null : SESSION_LABELS.statusesOf(filter.status);
    const of = { accountId: account.id, isTest: filter.isTest };
    const listed = await this.reader.part(of, statuses, filter.scheduled, page);
    return shown(listed, (row) => sessionMessageData(row, account.timeZone));
  }
}

/** Requires a chat connection. @throws AppError not_found `No chat account found for this username` */
export class RequireChatAccountQuery extends Query<void> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(RequireChatAccountQuery)
export class RequireChatAccountHandler implements IQueryHandler<RequireChatAccountQuery> {
  constructor(private readonly accounts: ChatAccounts) {}

  async execute({ accountId }: RequireChatAccountQuery): Promise<void> {
    if (!(await this.accounts.find(accountId, 'official'))) throw chatAccountErrors.notFound();
  }
}
