import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { readId } from '../../../kernel/ids.js';
import { AccountDirectory } from '../../accounts/index.js';
import { campaignOf } from '../campaign-access.js';
import { campaignErrors } from '../campaigns.errors.js';
import { ChannelRegistry } from '../channel-registry.js';
import { CampaignReader } from '../persistence/campaign-reader.js';
import { ContactReader } from '../persistence/contact-reader.js';
import { RecipientDetails } from '../recipient-details.js';
import { GetTimeline, type TimelineView } from './get-timeline.query.js';
import { recipientEvents } from './recipient-events.js';

@QueryHandler(GetTimeline)
export class GetTimelineHandler implements IQueryHandler<GetTimeline> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly contacts: ContactReader,
    private readonly accounts: AccountDirectory,
    private readonly channels: ChannelRegistry,
    private readonly details: RecipientDetails,
  ) {}

  async execute({ actor, requestId, seq: text }: GetTimeline): Promise<TimelineView> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    const seq = readId(text);
    const life = seq === null || seq > campaign.totalRows ? null : await this.contacts.life(campaign.id, seq);
    if (!life) throw campaignErrors.contactNotFound();
    const { recipient } = life;
    const channel = this.channels.get(campaign.channel);
    const zone = (await this.accounts.byId(campaign.accountId))?.timeZone ?? 'UTC';
    const events = [
      ...recipientEvents(campaign, channel, life),
      ...(await this.details.timelineOf({ campaign, seq: recipient.seq, receiver: recipient.receiver })),
    ].sort((a, b) => a.at.getTime() - b.at.getTime());
    return {
      seq: recipient.seq,
      receiver: recipient.receiver,
      status: channel.words[recipient.status],
      events: events.map(({ at, event, status, details }) => ({
        at: dateTime(at, zone),
        event,
        status: status ?? null,
        details: details ?? {},
      })),
    };
  }
}
