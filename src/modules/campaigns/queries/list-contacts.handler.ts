import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { campaignOf } from '../campaign-access.js';
import { ChannelRegistry } from '../channel-registry.js';
import type { CampaignRecord } from '../domain/campaign.js';
import { statusesOf } from '../domain/recipient-outcome.js';
import type { RecipientStatus } from '../domain/recipient-status.js';
import { CampaignReader } from '../persistence/campaign-reader.js';
import { ContactReader } from '../persistence/contact-reader.js';
import type { ContactView } from './contact.view.js';
import { ContactViews } from './contact-views.js';
import { ListContacts } from './list-contacts.query.js';

@QueryHandler(ListContacts)
export class ListContactsHandler implements IQueryHandler<ListContacts> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly contacts: ContactReader,
    private readonly channels: ChannelRegistry,
    private readonly views: ContactViews,
  ) {}

  async execute(query: ListContacts): Promise<{ contacts: ContactView[]; total: number }> {
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
