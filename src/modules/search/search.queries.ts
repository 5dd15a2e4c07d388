import { Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTimesOf } from '../../kernel/clock.js';
import { type Account, AccountDirectory, AccountSearch } from '../accounts/index.js';
import { CampaignSearch, CampaignViews, RecipientSearch } from '../campaigns/index.js';
import { Channels } from '../engine/index.js';
import { spellingsToFind } from '../numbers/index.js';
import { SessionMessageSearch } from '../session-messages/index.js';
import { STATUS_LABELS, TemplateSearch } from '../templates/index.js';
import type { SearchHit, SearchResponse } from './search.dto.js';

/** Results per kind. */
const EACH = 5;
interface Wanted {
  searcher: Account;
  text: string;
  /** spellings of a number; [] = the text is none */
  numbers: readonly string[];
  ownerId: number | null;
  shown: (at: Date) => string;
}

/** behind the detail of what a test key has sent */
const TEST = ' · test';

@Injectable()
export class SearchQueries {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly accounts: AccountSearch,
    private readonly campaigns: CampaignSearch,
    private readonly campaignViews: CampaignViews,
    private readonly recipients: RecipientSearch,
    private readonly templates: TemplateSearch,
    private readonly sessionMessages: SessionMessageSearch,
    private readonly channels: Channels,
  ) {}

  async recipientsOf(wanted: Wanted): Promise<{ hits: SearchHit[]; since: string | null }> {
    const { searcher, numbers, ownerId, shown } = wanted;
    if (numbers.length === 0) return { hits: [], since: null };
    const { found, next } = await this.recipients.newest(
      numbers,
      { searcherId: searcher.id, accountId: ownerId },
      EACH,
    );
    const hits = found.map(async ({ accountId, requestId, channel, broadcastName, isTest, createdAt, recipient }) => ({
      kind: 'recipient' as const,
      id: requestId,
      title: recipient.number,
      detail: `${channel} · ${broadcastName}${isTest ? TEST : ''}`,
      username: await this.usernameOf(accountId),
      status: this.channels.get(channel).statusLabels[recipient.status],
      created_at: shown(createdAt),
      request_id: requestId,
      seq: recipient.seq,
    }));
    return { hits: await Promise.all(hits), since: next?.toISOString() ?? null };
  }

  async campaignsOf({ text, ownerId, shown }: Wanted): Promise<SearchHit[]> {
    const found = await this.campaigns.find(text, ownerId, EACH);
    return Promise.all(
      found.map(async (counted) => {
        const { request_id, broadcast_name, channel, phase } = await this.campaignViews.ofOwner(counted);
        return {
          kind: 'campaign' as const,
          id: request_id,
          title: broadcast_name,
          detail: `${channel} · ${request_id}${counted.campaign.isTest ? TEST : ''}`,
          username: await this.usernameOf(counted.campaign.accountId),
          status: phase,
          created_at: shown(counted.campaign.createdAt),
          request_id,
          seq: null,
        };
      }),
    );
  }

  /** For resellers their clients, for staff all accounts; others find none. */
  async accountsOf({ searcher, text, ownerId, shown }: Wanted): Promise<SearchHit[]> {
    const isReseller = searcher.userType === 'reseller' && searcher.permissions.client_management;
    if (ownerId !== null && !isReseller) return [];
    const found = await this.accounts.find(text, ownerId, EACH);
    return found.map(({ account, createdAt }) => ({
      kind: 'account' as const,
      id: account.username,
      title: account.username,
      detail: [`${account.firstname} ${account.lastname}`.trim(), account.email].filter(Boolean).join(' · '),
      username: account.username,
      status: !account.isActive ? 'inactive' : this.directory.usable(account) ? 'active' : 'expired',
      created_at: shown(createdAt),
      request_id: null,
      seq: null,
    }));
  }

  async templatesOf({ text, ownerId, shown }: Wanted): Promise<SearchHit[]> {
    const found = await this.templates.find(text, ownerId, EACH);
    const hits = found.map(async ({ id, accountId, name, category, language, status, createdAt }) => ({
      kind: 'template' as const,
      id: String(id),
      title: name,
      detail: `${category} · ${language.code}`,
      username: await this.usernameOf(accountId),
      status: STATUS_LABELS[status],
      created_at: shown(createdAt),
      request_id: null,
      seq: null,
    }));
    return Promise.all(hits);
  }

  async sessionMessagesOf({ numbers, ownerId, shown }: Wanted): Promise<SearchHit[]> {
    if (numbers.length === 0) return [];
    const found = await this.sessionMessages.find(numbers, ownerId, EACH);
    const hits = found.map(async ({ id, accountId, receiver, type, status, createdAt }) => ({
      kind: 'session_message' as const,
      id: String(id),
      title: receiver,
      detail: type,
      username: await this.usernameOf(accountId),
      status,
      created_at: shown(createdAt),
      request_id: null,
      seq: null,
    }));
    return Promise.all(hits);
  }

  private async usernameOf(accountId: number): Promise<string> {
    return (await this.directory.byId(accountId))?.username ?? '';
  }
}

/** Finds an account's things of every kind by bounded queries (docs/decisions/0027). @throws AppError too_many */
export class SearchQuery extends Query<Omit<SearchResponse, 'success'>> {
  /** @param scope `all` for staff; `own` = the account and, for a reseller, its clients */
  constructor(
    readonly searcher: Account,
    readonly scope: 'all' | 'own',
    readonly text: string,
  ) {
    super();
  }
}

@QueryHandler(SearchQuery)
export class SearchHandler implements IQueryHandler<SearchQuery> {
  constructor(private readonly queries: SearchQueries) {}

  async execute({ searcher, scope, text }: SearchQuery): Promise<Omit<SearchResponse, 'success'>> {
    const read = spellingsToFind(text, searcher);
    const wanted: Wanted = {
      searcher,
      text,
      numbers: 'refused' in read ? [] : read.numbers,
      ownerId: scope === 'own' ? searcher.id : null,
      shown: dateTimesOf(searcher.timeZone),
    };
    const [{ hits, since }, ...others] = await Promise.all([
      this.queries.recipientsOf(wanted),
      this.queries.campaignsOf(wanted),
      this.queries.accountsOf(wanted),
      this.queries.templatesOf(wanted),
      this.queries.sessionMessagesOf(wanted),
    ]);
    return { data: [...hits, ...others.flat()], recipients_since: since };
  }
}
