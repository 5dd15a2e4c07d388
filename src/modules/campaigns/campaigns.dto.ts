import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { dateTime, isoTime, now } from '../../kernel/clock.js';
import { makerForOwner } from '../../kernel/maker.js';
import { AnswerOf, LATE, LocalTime, MadeBy, type MakerData, PageOf, ZonedTime } from '../../platform/http/index.js';
import { CHANNEL_EXAMPLE, CHANNEL_NAMES, CHANNELS } from '../channels/index.js';
import { CAMPAIGN_STATES, type CampaignState, type Channel, RecipientStatus, StatusLabels } from '../engine/index.js';
import { FAILURE_KINDS, type FailureKind, LASTING_KINDS } from '../providers/index.js';
import { campaignErrors } from './campaigns.errors.js';
import type { CountedCampaign } from './campaigns.store.js';
import type { LeftOutKind } from './retry/failed-recipients.store.js';
import type { CampaignRouteChange } from './route-changes.store.js';

export const REQUEST_ID = 'GSMCAMP_20261121_A1B2C3';
export const CAMPAIGNS = { name: 'campaigns', positions: 'ids' } as const;
export const SCHEDULED = 'scheduled';
const LATER = { nullable: true, example: '2026-11-21 10:30:05' } as const;

const ENDED: Partial<Record<CampaignState, string>> = {
  completed: 'Completed',
  cancelled: 'Cancelled',
  rejected: 'Rejected',
  failed: 'Failed',
};

const STATUS_TEXTS = [
  ...new Set([
    ...CHANNELS.flatMap(({ campaignStatus }) => [campaignStatus.accepted, campaignStatus.sending]),
    ...Object.values(ENDED),
  ]),
];

/** A campaign for its owner and staff; times are in the account's zone (reference/requests#dates). */
export class CampaignData {
  @ApiProperty({ example: REQUEST_ID }) request_id!: string;
  @ApiProperty({ example: CHANNEL_EXAMPLE, enum: [...CHANNEL_NAMES] }) channel!: string;
  @ApiProperty({ example: 'Diwali offer' }) broadcast_name!: string;
  @ApiProperty({
    example: 'PP1',
    enum: STATUS_TEXTS,
    description: "the channel's own text; at the end Completed, Cancelled, Rejected or Failed",
  })
  status!: string;
  @ApiProperty({ example: 'running', enum: [...CAMPAIGN_STATES] }) state!: string;
  @ApiProperty({
    example: 'running',
    enum: [...CAMPAIGN_STATES, SCHEDULED],
    description: 'the state; scheduled where it is accepted for a later moment',
  })
  phase!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'airtel',
    description: 'name of the route that it was accepted for; null for a chat connection, and for one that was removed',
  })
  route!: string | null;
  @ApiProperty({
    type: [String],
    example: ['airtel'],
    description: 'names of the routes over which what is left leaves at this moment; without chat connections',
  })
  carried_by!: string[];
  @ApiProperty({
    example: 0,
    description: 'recipients that may have left: settled by a receipt, or by the deadline as failed',
  })
  in_doubt!: number;
  @ApiProperty({ example: 2 }) total_rows!: number;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' }, example: { DELIVERED: 2 } })
  status_counts!: Record<string, number>;
  @ApiProperty({ example: false, description: 'sent with a test key: nothing leaves, nothing is charged' })
  test!: boolean;
  @ApiProperty({ example: 2, description: 'credits charged at acceptance; of a test, what it would have cost' })
  credits!: number;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'the campaign whose failures it sends again',
  })
  retry_of!: string | null;
  @ZonedTime({ nullable: true, description: 'when it begins; null = at once' }) scheduled_at!: string | null;
  @MadeBy()
  created_by!: MakerData | null;

  @LocalTime({ example: '2026-11-21 10:30:00' }) created_at!: string;
  @LocalTime({ ...LATER, description: 'the last recipient left' }) sent_at!: string | null;
  @LocalTime({ ...LATER, description: 'every recipient is final' }) completed_at!: string | null;
}

const statusText = (state: CampaignState, channel: Channel): string =>
  ENDED[state] ?? (state === 'pending_approval' ? channel.campaignStatus.accepted : channel.campaignStatus.sending);

export interface CampaignSurroundings {
  zone: string;
  route: string | null;
  /** names of the routes that carry the remaining recipients */
  carriedBy: string[];
}

const isAhead = ({ state, scheduledAt }: CountedCampaign['campaign']): boolean =>
  state === 'accepted' && scheduledAt !== null && scheduledAt > now();

export function campaignData(
  { campaign, counts }: CountedCampaign,
  channel: Channel,
  { zone, route, carriedBy }: CampaignSurroundings,
) {
  const shown = (at: Date | null): string | null => at && dateTime(at, zone);
  return {
    request_id: campaign.requestId,
    channel: campaign.channel,
    broadcast_name: campaign.broadcastName,
    status: statusText(campaign.state, channel),
    test: campaign.isTest,
    state: campaign.state,
    phase: isAhead(campaign) ? SCHEDULED : campaign.state,
    route,
    carried_by: carriedBy,
    in_doubt: counts.get(RecipientStatus.Unknown) ?? 0,
    total_rows: campaign.totalRows,
    status_counts: new StatusLabels(channel).countsOf(counts),
    credits: campaign.chargedCredits,
    retry_of: campaign.retryOf,
    scheduled_at: campaign.scheduledAt && isoTime(campaign.scheduledAt, zone),
    created_by: makerForOwner(campaign.createdBy),
    created_at: dateTime(campaign.createdAt, zone),
    sent_at: shown(campaign.sentAt),
    completed_at: shown(campaign.completedAt),
  } satisfies CampaignData;
}

export class CampaignPageResponse extends PageOf(CampaignData) {}

class CampaignChanged {
  @ApiProperty({ example: REQUEST_ID }) request_id!: string;
  @ApiProperty({ example: 'paused', enum: [...CAMPAIGN_STATES] }) state!: string;
}

export class CampaignChangedResponse extends AnswerOf(CampaignChanged) {}

export class RetryReasonData {
  @ApiProperty({
    enum: [...FAILURE_KINDS],
    description:
      '`permanent`: no message reaches this number; `opt_out`: the person has left; `not_today`: the provider carries no more to it for now',
  })
  reason!: FailureKind;
  @ApiProperty({ example: 3 }) count!: number;
  @ApiProperty({ example: true, description: 'false: left out' }) retried!: boolean;
}

const REASONS: { type: [typeof RetryReasonData]; description: string } = {
  type: [RetryReasonData],
  description: 'of all that failed and were in no earlier retry; never of unknown outcome',
};

export class RetryBody {
  @ApiPropertyOptional({
    enum: [...LASTING_KINDS],
    isArray: true,
    example: ['permanent'],
    description: 'reasons that are left out otherwise',
  })
  include?: LeftOutKind[];
}

export class RetryQuoteData {
  @ApiProperty({ example: 3, description: 'recipients of the retry' }) total_rows!: number;
  @ApiProperty({ example: 3 }) credits!: number;
  @ApiProperty(REASONS) reasons!: readonly RetryReasonData[];
}

export class RetryQuoteResponse extends AnswerOf(RetryQuoteData) {}

/** @param value a list, or words with commas. @throws AppError invalid `include must be a list of: permanent, opt_out` */
export function readInclude(value: unknown): LeftOutKind[] {
  if (value === undefined || value === null || value === '') return [];
  const words: unknown[] = typeof value === 'string' ? value.split(',').map((word) => word.trim()) : [value].flat();
  return words.map((word) => {
    const kind = LASTING_KINDS.find((known) => known === word);
    if (!kind) throw campaignErrors.include(LASTING_KINDS);
    return kind;
  });
}

export class CampaignRetried {
  @ApiProperty({ example: 'GSMCAMP_20261122_D4E5F6', description: 'the new campaign' }) request_id!: string;
  @ApiProperty({ example: REQUEST_ID }) retry_of!: string;
  @ApiProperty({ example: 3 }) total_rows!: number;
  @ApiProperty({ example: 3 }) credits!: number;
  @ApiProperty(REASONS) reasons!: readonly RetryReasonData[];
}

export class CampaignRetriedResponse extends AnswerOf(CampaignRetried) {}

const nullableText = { type: String, nullable: true } as const;

class RouteChangeData {
  @LocalTime({ example: '2026-11-21 10:31:00', description: 'of the first, where several went over for one reason' })
  at!: string;
  @ApiProperty({ example: 'airtel', description: 'name of the route' }) from!: string;
  @ApiProperty({ example: 'backup' }) to!: string;
  @ApiProperty({ example: 'Carrier is not reachable: connection closed' }) reason!: string;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: null,
    description: 'whom the carrier refused, counted up to 10,000; null = all that had not left',
  })
  recipients!: number | null;
}

class CampaignTemplateData {
  @ApiProperty({ example: 'order_ready' }) name!: string;
  @ApiProperty({ example: 'en_US' }) language!: string;
  @ApiProperty({ type: 'array', items: { type: 'object' }, description: 'what fills its placeholders' })
  components!: readonly unknown[];
}

class FailureReasonData {
  @ApiProperty({ type: Number, nullable: true, example: 8, description: "the carrier's number" })
  error_code!: number | null;
  @ApiProperty({ ...nullableText, example: 'Absent subscriber' }) message!: string | null;
  @ApiProperty({ example: 12 }) count!: number;
  @ApiPropertyOptional({ example: 'EC001', description: "the carrier's code, where it is no number" })
  carrier_code?: string;
  @ApiPropertyOptional({ example: true, description: 'refused in the answer to the submit; absent where it was not' })
  refused?: true;
  @ApiProperty({ enum: [...FAILURE_KINDS], description: 'what retry-failed makes of it' }) reason!: FailureKind;
  @ApiProperty({ example: 'The phone is switched off or out of reach', description: 'the cause, for people' })
  reason_text!: string;
  @ApiProperty({ example: 'Retry later.', description: 'what to do about it' }) remedy!: string;
}

@ApiExtraModels(CampaignTemplateData)
export class CampaignDetailData extends CampaignData {
  @ApiProperty({ example: 'demo' }) username!: string;
  @LocalTime({
    nullable: true,
    description: 'when the last of those in doubt is failed for want of a receipt; null = none is in doubt',
  })
  in_doubt_until!: string | null;
  @LocalTime({
    nullable: true,
    description:
      'all are sent, and some wait for a receipt: when the last of these fails without one; null = not all are sent, or none waits',
  })
  receipts_until!: string | null;
  @ApiProperty({ example: 'gsm_credits', description: 'the balance that pays' }) balance!: string;
  @ApiProperty({
    ...nullableText,
    example: null,
    description: 'why a send made now would pay otherwise; null = it would not',
  })
  price_note!: string | null;
  @ApiProperty({ example: 0, description: 'credits that went back' }) refunded_credits!: number;
  @ApiProperty({ ...nullableText, example: 'ACMEIN', description: 'null = the route’s own' }) sender!: string | null;
  @ApiProperty({
    ...nullableText,
    example: 'Hello {{name}}',
    description: 'as it was written; on voice what is spoken',
  })
  text!: string | null;
  @ApiProperty({ oneOf: [{ $ref: getSchemaPath(CampaignTemplateData) }, { type: 'null' }] })
  template!: CampaignTemplateData | null;
  @ApiProperty({ type: [String], example: [], description: 'addresses' }) attachments!: readonly string[];
  @ApiProperty({ ...nullableText, example: null, description: 'voice: what is played' }) audio_url!: string | null;
  @ApiProperty({ example: false, description: 'the text has placeholders that each recipient fills in' })
  personalised!: boolean;
  @ApiProperty({
    ...nullableText,
    example: null,
    description: 'why staff rejected it, or that it did not start in time',
  })
  reason!: string | null;
  @ApiProperty({
    ...nullableText,
    enum: ['send', 'expire', 'hold', null],
    example: null,
    description: LATE.description,
  })
  late!: 'send' | 'expire' | 'hold' | null;
  @ApiProperty({ type: Number, nullable: true, example: null }) late_after_s!: number | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: null,
    description: 'seconds after its schedule at which it began; null = in time, not yet, or without a schedule',
  })
  started_late_s!: number | null;
  @ApiProperty({
    type: [String],
    example: ['airtel', 'backup'],
    description: 'the first carries; the others may take over',
  })
  routes!: string[];
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 200,
    description: 'the limit of the routes that carry what is left; null = no limit of ours',
  })
  messages_per_second!: number | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 340,
    description: 'until the last one has left, by how many left lately; 0 = all have; null = unknown, or it waits',
  })
  seconds_left!: number | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 120,
    description: 'credits that a cancel at this moment would give back; null = it cannot be cancelled',
  })
  refund_if_cancelled!: number | null;
  @ApiProperty({ example: false, description: 'over 250,000 recipients of different prices: an estimate' })
  refund_is_approximate!: boolean;
  @ApiProperty({ type: [FailureReasonData], description: 'of those that are FAILED, the most frequent 20' })
  failure_reasons!: FailureReasonData[];
  @ApiProperty({ example: false, description: 'a large campaign: counted in a part of it' })
  failure_reasons_approximate!: boolean;
  @ApiProperty({
    example: false,
    description:
      'retry-failed would find a recipient: FAILED, neither `permanent` nor `opt_out`, never of unknown outcome, and taken by no earlier retry (of more than 10,000 recipients the last two are not asked)',
  })
  retriable!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'otp',
    description: 'as the send named it, for rules of routes',
  })
  category!: string | null;
  @ApiProperty({ type: [RouteChangeData], description: 'oldest first, 50 at the most' })
  route_changes!: RouteChangeData[];
}

export const routeChanges = (changes: readonly CampaignRouteChange[], zone: string): RouteChangeData[] =>
  changes.map(({ at, from, to, reason, recipients }) => ({ at: dateTime(at, zone), from, to, reason, recipients }));

export class CampaignResponse extends AnswerOf(CampaignDetailData) {}
