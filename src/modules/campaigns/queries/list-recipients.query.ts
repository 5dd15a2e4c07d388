import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import { CampaignReader, type CampaignRecord, Channels, type RecipientStatus, statusesOf } from '../../engine/index.js';
import { campaignOf } from '../campaign-access.js';
import type { ContactData } from '../http/contact.dto.js';
import { RecipientReader } from '../persistence/recipient-reader.js';
import { RecipientViews } from './recipient-views.js';

/**
 * A page of a campaign's recipients, in the order of the contacts.
 * @throws AppError not_found `Campaign not found`
 */
export class ListRecipientsQuery extends Query<{ contacts: ContactData[]; total: number }> {
  /** @param status a label of the channel in any case of letters; null = all. An unknown label matches no recipient */
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

@QueryHandler(ListRecipientsQuery)
export class ListRecipientsHandler implements IQueryHandler<ListRecipientsQuery> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly contacts: RecipientReader,
    private readonly channels: Channels,
    private readonly views: RecipientViews,
  ) {}

  async execute(query: ListRecipientsQuery): Promise<{ contacts: ContactData[]; total: number }> {
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
