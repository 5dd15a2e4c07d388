import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Listed, Page } from '../../../kernel/lists.js';
import { ReadDatabase } from '../../../platform/database/index.js';
import type { Actor } from '../../accounts/index.js';
import {
  type CampaignReader,
  type CampaignRecord,
  Channels,
  type RecipientStatus,
  statusesOf,
} from '../../engine/index.js';
import { campaignShown } from '../campaign-access.js';
import type { ContactData } from '../http/contact.dto.js';
import { RecipientReader } from '../persistence/recipient-reader.js';
import { RecipientViews } from './recipient-views.js';

/**
 * A part of a campaign's recipients, in the order of the contacts.
 * @throws AppError not_found `Campaign not found`
 */
export class ListRecipientsQuery extends Query<Listed<ContactData>> {
  /** @param status a label of the channel in any case of letters; null = all. An unknown label matches no recipient */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly status: string | null,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListRecipientsQuery)
export class ListRecipientsHandler implements IQueryHandler<ListRecipientsQuery> {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly channels: Channels,
    private readonly views: RecipientViews,
  ) {}

  async execute({ actor, requestId, status, page }: ListRecipientsQuery): Promise<Listed<ContactData>> {
    const session = await this.reads.session();
    const { campaign, reader } = await campaignShown(session, actor, requestId);
    const contacts = new RecipientReader(session);
    const statuses = status === null ? null : statusesOf(this.channels.get(campaign.channel), status);
    const total = await totalOf(reader, campaign, statuses);
    const { items, next } = await contacts.part(campaign, statuses, page, total);
    return { items: await this.views.of(contacts, campaign, items), total, isCapped: false, next };
  }
}

async function totalOf(
  reader: CampaignReader,
  campaign: CampaignRecord,
  statuses: readonly RecipientStatus[] | null,
): Promise<number> {
  if (!statuses) return campaign.totalRows;
  const counts = await reader.counts(campaign.id);
  return statuses.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
}
