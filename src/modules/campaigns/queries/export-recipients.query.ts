import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { readAhead } from '../../../platform/concurrency/index.js';
import { ReadDatabase } from '../../../platform/database/index.js';
import type { Actor } from '../../accounts/index.js';
import { type CampaignRecord, Channels, type RecipientRecord, statusesOf } from '../../engine/index.js';
import { campaignShown } from '../campaign-access.js';
import type { DetailedRecipient } from '../http/contact.dto.js';
import { RecipientReader } from '../persistence/recipient-reader.js';
import { RecipientViews } from './recipient-views.js';

/** A campaign's recipients, read a few thousand at a time when they are asked for. */
export interface RecipientExport {
  requestId: string;
  /** the channel's own columns */
  details: readonly string[];
  /** in the order of the contacts */
  batches: AsyncIterable<DetailedRecipient[]>;
}

/**
 * Opens the export of a campaign's recipients.
 * @throws AppError not_found `Campaign not found`
 */
export class ExportRecipientsQuery extends Query<RecipientExport> {
  /** @param status as in `ListRecipientsQuery` */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly status: string | null,
  ) {
    super();
  }
}

@QueryHandler(ExportRecipientsQuery)
export class ExportRecipientsHandler implements IQueryHandler<ExportRecipientsQuery> {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly channels: Channels,
    private readonly views: RecipientViews,
  ) {}

  async execute({ actor, requestId, status }: ExportRecipientsQuery): Promise<RecipientExport> {
    const session = await this.reads.session();
    const { campaign, reader } = await campaignShown(session, actor, requestId);
    const channel = this.channels.get(campaign.channel);
    const statuses = status === null ? undefined : statusesOf(channel, status);
    const batches = readAhead(reader.batches(campaign.id, statuses));
    const details = channel.details?.columns ?? [];
    return {
      requestId: campaign.requestId,
      details,
      batches: this.shown(new RecipientReader(session), campaign, batches),
    };
  }

  private async *shown(
    contacts: RecipientReader,
    campaign: CampaignRecord,
    batches: AsyncIterable<RecipientRecord[]>,
  ): AsyncGenerator<DetailedRecipient[], void, undefined> {
    for await (const batch of batches) yield await this.views.of(contacts, campaign, batch);
  }
}
