import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { readId } from '../../../kernel/ids.js';
import { AccountDirectory, type Actor } from '../../accounts/index.js';
import { CampaignReader, Channels, RouteChangeReader, TimelineSources } from '../../engine/index.js';
import { campaignOf } from '../campaign-access.js';
import { campaignErrors } from '../campaigns.errors.js';
import type { TimelineData } from '../http/contact.dto.js';
import { RecipientReader } from '../persistence/recipient-reader.js';
import { CampaignOutlooks } from '../persistence/campaign-outlook.js';
import { decisionsOf, recipientEvents, routeEvents } from './recipient-events.js';

/** @throws AppError not_found `Campaign not found`, `Contact not found` */
export class GetTimelineQuery extends Query<TimelineData> {
  /** @param seq as it stands in the path */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly seq: string,
  ) {
    super();
  }
}

@QueryHandler(GetTimelineQuery)
export class GetTimelineHandler implements IQueryHandler<GetTimelineQuery> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly contacts: RecipientReader,
    private readonly accounts: AccountDirectory,
    private readonly channels: Channels,
    private readonly sources: TimelineSources,
    private readonly changes: RouteChangeReader,
    private readonly outlooks: CampaignOutlooks,
  ) {}

  async execute({ actor, requestId, seq: text }: GetTimelineQuery): Promise<TimelineData> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    const seq = readId(text);
    const life = seq === null || seq > campaign.totalRows ? null : await this.contacts.life(campaign, seq);
    if (seq === null || !life) throw campaignErrors.contactNotFound();
    const { recipient } = life;
    const channel = this.channels.get(campaign.channel);
    const zone = (await this.accounts.byId(campaign.accountId))?.timeZone ?? 'UTC';
    const events = [
      ...recipientEvents(campaign, channel, life),
      ...routeEvents(life, await this.changes.ofRecipient(campaign, recipient.seq)),
      ...((await channel.details?.timeline(this.channels.services, campaign, recipient.seq)) ?? []),
      ...(await this.sources.timelineOf(campaign, recipient.seq)),
    ].sort((a, b) => a.at.getTime() - b.at.getTime());
    return {
      seq: recipient.seq,
      receiver: recipient.number,
      status: channel.statusLabels[recipient.status],
      decisions: decisionsOf(campaign, life, await this.outlooks.routesOf(campaign, seq, life.terms?.routeId)),
      events: events.map(({ at, event, status, details }) => ({
        at: dateTime(at, zone),
        event,
        status: status ?? null,
        details: details ?? {},
      })),
    };
  }
}
