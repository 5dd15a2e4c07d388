import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import {
  CampaignReader,
  type CampaignRecord,
  ChannelRegistry,
  recipientBatches,
  RecipientDetails,
  type RecipientRecord,
  statusesOf,
} from '../../engine/index.js';
import { campaignOf } from '../campaign-access.js';
import { ContactViews } from './contact-views.js';
import type { ContactView } from './contact.view.js';

/** A campaign's recipients, read a few thousand at a time when they are asked for. */
export interface ContactExport {
  requestId: string;
  /** whether the recipients have the columns of calls */
  calls: boolean;
  /** in the order of the contacts */
  batches: AsyncIterable<ContactView[]>;
}

/**
 * Opens the export of a campaign's recipients.
 * @throws AppError not_found `Campaign not found`
 */
export class ExportContactsQuery extends Query<ContactExport> {
  /** @param status as in `ListContactsQuery` */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly status: string | null,
  ) {
    super();
  }
}

@QueryHandler(ExportContactsQuery)
export class ExportContactsHandler implements IQueryHandler<ExportContactsQuery> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly channels: ChannelRegistry,
    private readonly details: RecipientDetails,
    private readonly views: ContactViews,
  ) {}

  async execute({ actor, requestId, status }: ExportContactsQuery): Promise<ContactExport> {
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
