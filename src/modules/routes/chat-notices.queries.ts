import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../kernel/clock.js';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { type Account, AccountDirectory } from '../accounts/index.js';
import { ChatNotices } from '../providers/index.js';
import type { ChatNoticeCountData, ChatNoticeData } from './chat-accounts.dto.js';

/** Notices of all chat accounts, newest first. @param kind null = every kind */
export class ListChatNoticesQuery extends Query<Listed<ChatNoticeData>> {
  constructor(
    readonly actor: Account,
    readonly kind: string | null,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListChatNoticesQuery)
export class ListChatNoticesHandler implements IQueryHandler<ListChatNoticesQuery> {
  constructor(
    private readonly notices: ChatNotices,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ actor, kind, page }: ListChatNoticesQuery): Promise<Listed<ChatNoticeData>> {
    const listed = await this.notices.list(kind, page);
    const ids = [...new Set(listed.items.map(({ accountId }) => accountId))];
    const owners = await Promise.all(ids.map((id) => this.accounts.byId(id)));
    const names = new Map(owners.map((owner, index) => [ids[index], owner?.username ?? '']));
    return shown(listed, (row) => ({
      id: Number(row.id),
      username: names.get(row.accountId) ?? '',
      chat_account_id: row.routeId,
      kind: row.kind,
      body: row.body,
      bytes: row.bytes,
      received_at: dateTime(row.receivedAt, actor.timeZone),
    }));
  }
}

/** How many notices of each kind came, the most frequent first. */
export class CountChatNoticesQuery extends Query<ChatNoticeCountData[]> {
  constructor(readonly actor: Account) {
    super();
  }
}

@QueryHandler(CountChatNoticesQuery)
export class CountChatNoticesHandler implements IQueryHandler<CountChatNoticesQuery> {
  constructor(private readonly notices: ChatNotices) {}

  async execute({ actor }: CountChatNoticesQuery): Promise<ChatNoticeCountData[]> {
    const counts = await this.notices.counts();
    return counts.map(({ kind, count, lastAt }) => ({ kind, count, last_at: dateTime(lastAt, actor.timeZone) }));
  }
}
