import { Injectable } from '@nestjs/common';
import { type Account, AccountDirectory, AccountSearch } from '../accounts/index.js';
import { CampaignSearch, CampaignViews, RecipientSearch } from '../campaigns/index.js';
import { Channels, RouteSenders } from '../engine/index.js';
import { SessionMessageSearch } from '../session-messages/index.js';
import { STATUS_LABELS, TemplateSearch } from '../templates/index.js';
import type { SearchHit } from './http/search.dto.js';

/** Of each kind: a list has the others. */
const EACH = 5;
/** What is asked once for all kinds. */
export interface Wanted {
  searcher: Account;
  text: string;
  /** digits; null = the text is no number */
  number: string | null;
  /** whose things; null = everybody's */
  ownerId: number | null;
  shown: (at: Date) => string;
}

/** The search of each kind of things: each is a range of an index, or bounded (docs/decisions/0027). */
@Injectable()
export class SearchLooks {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly accounts: AccountSearch,
    private readonly campaigns: CampaignSearch,
    private readonly campaignViews: CampaignViews,
    private readonly recipients: RecipientSearch,
    private readonly senders: RouteSenders,
    private readonly templates: TemplateSearch,
    private readonly sessionMessages: SessionMessageSearch,
    private readonly channels: Channels,
  ) {}

  async recipientsOf(wanted: Wanted): Promise<{ hits: SearchHit[]; since: string | null }> {
    const { searcher, number, ownerId, shown } = wanted;
    if (number === null) return { hits: [], since: null };
    const { found, next } = await this.recipients.newest(
      number,
      {
        searcherId: searcher.id,
        accountId: ownerId,
        sendersTo: (to, limit) => this.senders.sendersTo(to, limit),
      },
      EACH,
    );
    const hits = found.map(async ({ accountId, requestId, channel, broadcastName, createdAt, recipient }) => ({
      kind: 'recipient' as const,
      id: requestId,
      title: recipient.number,
      detail: `${channel} · ${broadcastName}`,
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
          detail: `${channel} · ${request_id}`,
          username: await this.usernameOf(counted.campaign.accountId),
          status: phase,
          created_at: shown(counted.campaign.createdAt),
          request_id,
          seq: null,
        };
      }),
    );
  }

  /** Clients of a reseller, for staff all; an account finds none but itself, which it knows. */
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

  async sessionMessagesOf({ number, ownerId, shown }: Wanted): Promise<SearchHit[]> {
    if (number === null) return [];
    const found = await this.sessionMessages.find(number, ownerId, EACH);
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
