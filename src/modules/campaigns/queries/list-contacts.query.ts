import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import { CampaignReader, type CampaignRecord, Channels, type RecipientStatus, statusesOf } from '../../engine/index.js';
import { campaignOf } from '../campaign-access.js';
import { ContactReader } from '../persistence/contact-reader.js';
import { ContactViews } from './contact-views.js';
import type { ContactView } from './contact.view.js';

/**
 * A page of a campaign's recipients, in the order of the contacts.
 * @throws AppError not_found `Campaign not found`
 */
export class ListContactsQuery extends Query<{ contacts: ContactView[]; total: number }> {
  /** @param status a word of the channel in any case of letters; null = all. An unknown word matches nobody */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly status: string | null,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListContactsQuery)
export class ListContactsHandler implements IQueryHandler<ListContactsQuery> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly contacts: ContactReader,
    private readonly channels: Channels,
    private readonly views: ContactViews,
  ) {}

  async execute(query: ListContactsQuery): Promise<{ contacts: ContactView[]; total: number }> {
    const campaign = await campaignOf(this.reader, query.actor, query.requestId);
    const statuses = query.status === null ? null : statusesOf(this.channels.get(campaign.channel), query.status);
    const offset = (query.page - 1) * query.limit;
    const total = await this.total(campaign, statuses);
    // A page behind the last one is empty without looking.
    const rows = offset < total ? await this.contacts.page(campaign.id, statuses, offset, query.limit) : [];
    return { contacts: await this.views.of(campaign, rows), total };
  }

  private async total(campaign: CampaignRecord, statuses: readonly RecipientStatus[] | null): Promise<number> {
    if (!statuses) return campaign.totalRows;
    const counts = await this.reader.counts(campaign.id);
    return statuses.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
  }
}
