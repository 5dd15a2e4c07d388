import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { campaignOf } from '../campaign-access.js';
import { ChannelRegistry } from '../channel-registry.js';
import type { CampaignRecord, RecipientRecord } from '../domain/campaign.js';
import { statusesOf } from '../domain/recipient-outcome.js';
import { CampaignReader } from '../persistence/campaign-reader.js';
import { recipientBatches } from '../persistence/recipient-batches.js';
import { RecipientDetails } from '../recipient-details.js';
import type { ContactView } from './contact.view.js';
import { ContactViews } from './contact-views.js';
import { type ContactExport, ExportContacts } from './export-contacts.query.js';

@QueryHandler(ExportContacts)
export class ExportContactsHandler implements IQueryHandler<ExportContacts> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly channels: ChannelRegistry,
    private readonly details: RecipientDetails,
    private readonly views: ContactViews,
  ) {}

  async execute({ actor, requestId, status }: ExportContacts): Promise<ContactExport> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    const statuses = status === null ? undefined : statusesOf(this.channels.get(campaign.channel), status);
    const batches = recipientBatches(this.reader, campaign.id, statuses, undefined);
    const calls = this.details.hasColumns(campaign.channel);
    return { requestId: campaign.requestId, calls, batches: this.shown(campaign, batches) };
  }

  private async *shown(
    campaign: CampaignRecord,
    batches: AsyncIterable<RecipientRecord[]>,
  ): AsyncGenerator<ContactView[], void, undefined> {
    for await (const batch of batches) yield await this.views.of(campaign, batch);
  }
}
