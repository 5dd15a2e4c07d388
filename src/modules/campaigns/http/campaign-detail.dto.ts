import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { AnswerOf, LocalTime } from '../../../platform/http/index.js';
import type { CampaignRouteChange } from '../../engine/index.js';
import { CampaignData } from './campaign.dto.js';

const nullableText = { type: String, nullable: true } as const;

/** Recipients went over to another route. */
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

/** What a campaign of template messages sends. */
class CampaignTemplateData {
  @ApiProperty({ example: 'order_ready' }) name!: string;
  @ApiProperty({ example: 'en_US' }) language!: string;
  @ApiProperty({ type: 'array', items: { type: 'object' }, description: 'what fills its placeholders' })
  components!: readonly unknown[];
}

/** Why recipients failed. */
class FailureReasonData {
  @ApiProperty({ type: Number, nullable: true, example: 8, description: "the carrier's number" })
  error_code!: number | null;
  @ApiProperty({ ...nullableText, example: 'Absent subscriber' }) message!: string | null;
  @ApiProperty({ example: 12 }) count!: number;
}

/** A campaign in all detail. */
@ApiExtraModels(CampaignTemplateData)
export class CampaignDetailData extends CampaignData {
  @ApiProperty({ example: 'demo' }) username!: string;
  @LocalTime({
    nullable: true,
    description: 'when the last of those in doubt is failed for want of a receipt; null = none is in doubt',
  })
  in_doubt_until!: string | null;
  @ApiProperty({ example: 'gsm_credits', description: 'the balance that pays' }) balance!: string;
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
  @ApiProperty({ ...nullableText, example: null, description: 'why staff rejected it' }) reason!: string | null;
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
      'retry-failed would find a recipient: FAILED, not suppressed, never of unknown outcome, and taken by no earlier retry (of more than 10,000 recipients the last two are not asked)',
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

/** @param zone IANA zone of the owning account */
export const routeChanges = (changes: readonly CampaignRouteChange[], zone: string): RouteChangeData[] =>
  changes.map(({ at, from, to, reason, recipients }) => ({ at: dateTime(at, zone), from, to, reason, recipients }));

export class CampaignResponse extends AnswerOf(CampaignDetailData) {}
