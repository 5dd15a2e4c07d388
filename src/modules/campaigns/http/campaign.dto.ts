import { ApiProperty } from '@nestjs/swagger';
import { dateTime, isoTime, now } from '../../../kernel/clock.js';
import { AnswerOf, LocalTime, PageOf, MadeBy, type MakerData, ZonedTime } from '../../../platform/http/index.js';
import { makerForOwner } from '../../../kernel/maker.js';
import { CHANNEL_EXAMPLE, CHANNEL_NAMES, CHANNELS } from '../../channels/index.js';
import {
  CAMPAIGN_STATES,
  type CampaignState,
  type Channel,
  RecipientStatus,
  statusCounts,
} from '../../engine/index.js';
import type { CountedCampaign } from '../persistence/campaign-list.js';

export const REQUEST_ID = 'GSMCAMP_20261121_A1B2C3';
/** Cursors of lists of campaigns. */
export const CAMPAIGNS = { name: 'campaigns', places: 'ids' } as const;
/** The phase of a campaign that is accepted for a later moment. */
export const SCHEDULED = 'scheduled';
const LATER = { nullable: true, example: '2026-11-21 10:30:05' } as const;

const ENDED: Partial<Record<CampaignState, string>> = {
  completed: 'Completed',
  cancelled: 'Cancelled',
  rejected: 'Rejected',
  failed: 'Failed',
};

/** Every `status` that a campaign can have (reference/engine#campaign-status-texts). */
const STATUS_TEXTS = [
  ...new Set([
    ...CHANNELS.flatMap(({ campaignStatus }) => [campaignStatus.accepted, campaignStatus.sending]),
    ...Object.values(ENDED),
  ]),
];

/** A campaign as its owner and staff see it; times in the zone of its account (reference/requests#dates). */
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
  @ApiProperty({ example: 2, description: 'credits charged at acceptance' }) credits!: number;
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

/** What of a campaign stands elsewhere. */
export interface CampaignSurroundings {
  /** IANA zone of the owning account */
  zone: string;
  /** name of its route */
  route: string | null;
  /** names of the routes that carry what is left */
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
    state: campaign.state,
    phase: isAhead(campaign) ? SCHEDULED : campaign.state,
    route,
    carried_by: carriedBy,
    in_doubt: counts.get(RecipientStatus.Unknown) ?? 0,
    total_rows: campaign.totalRows,
    status_counts: statusCounts(channel, counts),
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

export class CampaignRetried {
  @ApiProperty({ example: 'GSMCAMP_20261122_D4E5F6', description: 'the new campaign' }) request_id!: string;
  @ApiProperty({ example: REQUEST_ID }) retry_of!: string;
  @ApiProperty({ example: 3 }) total_rows!: number;
  @ApiProperty({ example: 3 }) credits!: number;
}

export class CampaignRetriedResponse extends AnswerOf(CampaignRetried) {}
