import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { readId } from '../../../kernel/ids.js';
import { AccountDirectory, type Actor } from '../../accounts/index.js';
import {
  type CampaignRecord,
  type Channel,
  Channels,
  isFinal,
  isPersonalised,
  RecipientStatus,
  StatusLabels,
  type TimelineEvent,
  TimelineSources,
} from '../../engine/index.js';
import { campaignOf, CampaignReader } from '../campaign-reader.js';
import { CampaignOutlooks } from '../campaign-outlook.js';
import { campaignErrors } from '../campaigns.errors.js';
import { type RecipientRouteChange, RouteChangeReader } from '../route-changes.store.js';
import type { DecisionsData, TimelineData } from './contacts.dto.js';
import { type RecipientLife, RecipientReader } from './recipients.store.js';

/** Builds events from the engine's tables. No receipt log exists, so sending pays nothing; times are those of the rows. */
function recipientEvents(campaign: CampaignRecord, channel: Channel, life: RecipientLife): TimelineEvent[] {
  const { recipient, submitted, deliveredAt, unknownSince, retry } = life;
  const label = (status: RecipientStatus): string => channel.statusLabels[status];
  const credits = life.terms?.credits ?? campaign.unitCredits;
  const events: TimelineEvent[] = [
    {
      at: campaign.createdAt,
      event: 'queued',
      status: label(RecipientStatus.Pending),
      ...ownDetails(campaign, channel, life),
    },
    ...submitted.flatMap(({ submittedAt, providerMessageId, item, items }): TimelineEvent[] => {
      const details = { provider_message_id: providerMessageId, ...(items > 1 && { item: item + 1, items }) };
      return submittedAt
        ? [{ at: submittedAt, event: 'submitted', status: label(RecipientStatus.Submitted), details }]
        : [];
    }),
  ];
  if (campaign.scheduledAt) {
    const { startedLateSeconds: late } = campaign;
    events.push({
      at: campaign.scheduledAt,
      event: 'scheduled',
      ...(late !== null && { details: { started_late_s: late } }),
    });
  }
  if (unknownSince) events.push({ at: unknownSince, event: 'outcome_unknown' });
  if (deliveredAt) events.push({ at: deliveredAt, event: 'status', status: label(RecipientStatus.Delivered) });
  if (isFinal(recipient.status)) {
    const { status, error_code, errorMessage } = new StatusLabels(channel).outcomeOf(recipient);
    events.push({
      at: recipient.updatedAt,
      event: 'status',
      status,
      details: { error_code, errorMessage, ...life.refusal },
    });
  }
  if (retry) events.push({ at: retry.dueAt, event: 'retry_due', details: { attempt: retry.attempt } });
  if (credits > 0 && isRefunded(campaign, life)) {
    const details = { balance: campaign.balance, credits };
    events.push({ at: recipient.updatedAt, event: 'refund', details });
  }
  return events;
}

function decisionsOf(
  campaign: CampaignRecord,
  life: RecipientLife,
  [route = null, ...fallbacks]: readonly (string | null)[],
): DecisionsData {
  return {
    route,
    fallback_routes: fallbacks.filter((name) => name !== null),
    credits: life.terms?.credits ?? campaign.unitCredits,
    balance: campaign.balance,
    refunded: isRefunded(campaign, life),
    sender: life.terms?.sender ?? campaign.sender,
    stop_list: life.recipient.errorMessage === 'Suppressed',
  };
}

/** Route changes: with the recipient's lane if it was still unsent, or after a carrier's refusal. */
function routeEvents(life: RecipientLife, changes: readonly RecipientRouteChange[]): TimelineEvent[] {
  return changes
    .filter(({ at, isUntried }) => isUntried || waitedAt(life, at))
    .map(({ at, from, to, reason }) => ({ at, event: 'route_changed', details: { from, to, reason } }));
}

/** True if the recipient had been tried before `at` and waited for a retry. */
function waitedAt({ recipient, submitted, wasUnknown }: RecipientLife, at: Date): boolean {
  if (wasUnknown || (isFinal(recipient.status) && recipient.updatedAt < at)) return false;
  return submitted.every(({ submittedAt }) => submittedAt !== null && submittedAt > at);
}

/** Cancelling refunds in the same transaction; failed recipients carry a refund mark. */
const isRefunded = (campaign: CampaignRecord, { recipient, refunded }: RecipientLife): boolean =>
  !campaign.isTest && (refunded || recipient.status === RecipientStatus.Cancelled);

function ownDetails(
  { unitCredits, sender: common, content }: CampaignRecord,
  channel: Channel,
  { recipient: { number }, terms, variables }: RecipientLife,
): Required<Pick<TimelineEvent, 'details'>> {
  const sender = terms?.sender ?? common;
  const addressee = { number, ...(variables && { variables }) };
  const details = {
    ...(isPersonalised(content) && {
      text: channel.compose(content, addressee).text,
      segments: channel.segments?.(content, addressee) ?? 1,
    }),
    credits: terms?.credits ?? unitCredits,
    ...(sender !== null && { sender }),
  };
  return { details };
}

/** Returns a recipient's timeline. @throws AppError not_found `Campaign not found`, `Contact not found` */
export class GetTimelineQuery extends Query<TimelineData> {
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
      ...(campaign.isTest && { test: true }),
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
