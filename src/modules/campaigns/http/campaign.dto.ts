import { ApiProperty } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { AnswerOf, PageOf } from '../../../platform/http/index.js';
import { CHANNEL_EXAMPLE, CHANNEL_NAMES } from '../../channels/index.js';
import {
  CAMPAIGN_STATES,
  type CampaignRouteChange,
  type CampaignState,
  type Channel,
  statusCounts,
} from '../../engine/index.js';
import type { CountedCampaign } from '../persistence/campaign-list.js';

export const REQUEST_ID = 'GSMCAMP_20261121_A1B2C3';
/** Cursors of lists of campaigns. */
export const CAMPAIGNS = { name: 'campaigns', places: 'ids' } as const;
const nullableTime = { type: String, nullable: true, example: '2026-11-21 10:30:05' } as const;

/** A campaign as its owner and staff see it; times in the zone of its account (reference/requests#dates). */
export class CampaignData {
  @ApiProperty({ example: REQUEST_ID }) request_id!: string;
  @ApiProperty({ example: CHANNEL_EXAMPLE, enum: [...CHANNEL_NAMES] }) channel!: string;
  @ApiProperty({ example: 'Diwali offer' }) broadcast_name!: string;
  @ApiProperty({ example: 'PP1', description: "the channel's own text; at the end Completed, Cancelled or Rejected" })
  status!: string;
  @ApiProperty({ example: 'running', enum: [...CAMPAIGN_STATES] }) state!: string;
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
  @ApiProperty(nullableTime) scheduled_at!: string | null;
  @ApiProperty({ example: '2026-11-21 10:30:00' }) created_at!: string;
  @ApiProperty({ ...nullableTime, description: 'the last recipient left' }) sent_at!: string | null;
  @ApiProperty({ ...nullableTime, description: 'every recipient is final' }) completed_at!: string | null;
}

const ENDED: Partial<Record<CampaignState, string>> = {
  completed: 'Completed',
  cancelled: 'Cancelled',
  rejected: 'Rejected',
  failed: 'Failed',
};

const statusText = (state: CampaignState, channel: Channel): string =>
  ENDED[state] ?? (state === 'pending_approval' ? channel.campaignStatus.accepted : channel.campaignStatus.sending);

/** @param zone IANA zone of the owning account */
export function campaignData({ campaign, counts }: CountedCampaign, channel: Channel, zone: string) {
  const shown = (at: Date | null): string | null => at && dateTime(at, zone);
  return {
    request_id: campaign.requestId,
    channel: campaign.channel,
    broadcast_name: campaign.broadcastName,
    status: statusText(campaign.state, channel),
    state: campaign.state,
    total_rows: campaign.totalRows,
    status_counts: statusCounts(channel, counts),
    credits: campaign.chargedCredits,
    retry_of: campaign.retryOf,
    scheduled_at: shown(campaign.scheduledAt),
    created_at: dateTime(campaign.createdAt, zone),
    sent_at: shown(campaign.sentAt),
    completed_at: shown(campaign.completedAt),
  } satisfies CampaignData;
}

/** Recipients went over to another route. */
class RouteChangeData {
  @ApiProperty({ example: '2026-11-21 10:31:00', description: 'of the first, where several went over for one reason' })
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

/** A campaign in all detail. */
export class CampaignDetailData extends CampaignData {
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

/** @param zone IANA zone of the owning account */
export const routeChanges = (changes: readonly CampaignRouteChange[], zone: string): RouteChangeData[] =>
  changes.map(({ at, from, to, reason, recipients }) => ({ at: dateTime(at, zone), from, to, reason, recipients }));

export class CampaignResponse extends AnswerOf(CampaignDetailData) {}

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
