import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerOf, PageOf } from '../../../platform/http/index.js';
import { CHANNEL_EXAMPLE, QUOTABLE_CHANNEL_NAMES } from '../../channels/index.js';
import type { RecipientView } from '../queries/recipient.view.js';
import type { RecipientHit } from '../queries/find-recipients.query.js';
import type { TimelineEventView, TimelineView } from '../queries/get-timeline.query.js';
import type { QuoteView } from '../queries/quote-campaign.query.js';
import { REQUEST_ID } from './campaign.response.js';

class ContactData implements RecipientView {
  @ApiProperty({ example: 1, description: 'place among the contacts' }) seq!: number;
  @ApiProperty({ example: '919812345678' }) receiver!: string;
  @ApiProperty({ example: 'DELIVERED', description: "the channel's own word" }) status!: string;
  @ApiProperty({ example: 0, enum: [0, 1], description: '1 when failed' }) status_code!: 0 | 1;
  @ApiProperty({ type: Number, nullable: true, example: null, description: "the carrier's number" })
  error_code!: number | null;
  @ApiProperty({ type: String, nullable: true, example: null }) errorMessage!: string | null;
  @ApiProperty({
    example: 1,
    description: 'sends that were made; what a busy carrier put off counts once it is taken or refused',
  })
  attempts!: number;
  @ApiProperty({ type: String, nullable: true, example: '4a7f01', description: "the carrier's id of the latest one" })
  provider_message_id!: string | null;
  @ApiProperty({ example: '2026-11-21 10:30:05' }) updated_at!: string;
  @ApiPropertyOptional({ example: 17, description: 'voice only: seconds' }) duration?: number;
  @ApiPropertyOptional({ type: String, nullable: true, example: '12', description: 'voice only: keys pressed' })
  digits?: string | null;
  @ApiPropertyOptional({ type: String, nullable: true, example: null, description: 'voice only' })
  recording_url?: string | null;
}

export class ContactPageResponse extends PageOf(ContactData) {}

class TimelineEventData implements TimelineEventView {
  @ApiProperty({ example: '2026-11-21 10:30:05' }) at!: string;
  @ApiProperty({
    example: 'submitted',
    description:
      'queued, scheduled, submitted (the carrier took it), outcome_unknown, retry_due, status (delivered, read or a final word), refund; call_answered and call_ended on voice; webhook for each try of a push',
  })
  event!: string;
  @ApiProperty({ type: String, nullable: true, example: 'SENT', description: 'its word from then on' })
  status!: string | null;
  @ApiProperty({ type: 'object', additionalProperties: true, example: { provider_message_id: '4a7f01' } })
  details!: Record<string, unknown>;
}

class TimelineData implements TimelineView {
  @ApiProperty({ example: 1 }) seq!: number;
  @ApiProperty({ example: '919812345678' }) receiver!: string;
  @ApiProperty({ example: 'SENT' }) status!: string;
  @ApiProperty({ type: [TimelineEventData], description: 'oldest first' }) events!: TimelineEventData[];
}

export class TimelineResponse extends AnswerOf(TimelineData) {}

class RecipientHitData implements RecipientHit {
  @ApiProperty({ example: REQUEST_ID }) request_id!: string;
  @ApiProperty({ example: CHANNEL_EXAMPLE }) channel!: string;
  @ApiProperty({ example: 'Diwali offer' }) broadcast_name!: string;
  @ApiProperty({ example: 1 }) seq!: number;
  @ApiProperty({ example: '919812345678' }) receiver!: string;
  @ApiProperty({ example: 'DELIVERED' }) status!: string;
  @ApiProperty({ example: 0, enum: [0, 1] }) status_code!: 0 | 1;
  @ApiProperty({ type: Number, nullable: true, example: null }) error_code!: number | null;
  @ApiProperty({ type: String, nullable: true, example: null }) errorMessage!: string | null;
  @ApiProperty({ example: 1 }) attempts!: number;
  @ApiProperty({ example: '2026-11-21 10:30:00', description: 'when the campaign was accepted' }) created_at!: string;
  @ApiProperty({ example: '2026-11-21 10:30:05' }) updated_at!: string;
}

export class RecipientHitsResponse extends PageOf(RecipientHitData) {
  @ApiProperty({ type: [RecipientHitData], description: 'newest campaign first' })
  override data!: RecipientHitData[];
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      'ISO 8601. Where the search stopped: ask again with it as `to` for what is older. null: nothing is left',
  })
  next_to!: string | null;
}

/** Body of a quote for Swagger. */
export class QuoteBody {
  @ApiProperty({ enum: [...QUOTABLE_CHANNEL_NAMES], example: CHANNEL_EXAMPLE }) channel!: string;
  @ApiProperty({
    example: 'Hello from Switchboard',
    description: "the text; for template and branded the template's name",
  })
  message!: string;
  @ApiProperty({ type: [String], example: ['919812345678', '919812345679'] }) contacts!: string[];
}

class QuoteData implements QuoteView {
  @ApiProperty({ example: CHANNEL_EXAMPLE }) channel!: string;
  @ApiProperty({ enum: ['gsm7', 'unicode'], example: 'gsm7' }) encoding!: 'gsm7' | 'unicode';
  @ApiProperty({ type: [String], example: [], description: 'the characters that make it Unicode' })
  unicode_characters!: string[];
  @ApiProperty({ example: 22 }) length!: number;
  @ApiProperty({ example: 1, description: 'parts that leave for one contact' }) segments!: number;
  @ApiProperty({ example: 1 }) credits_per_contact!: number;
  @ApiProperty({ example: 2 }) total_credits!: number;
  @ApiProperty({ example: 1000 }) available!: number;
  @ApiProperty({ example: 2, description: 'numbers that would be charged' }) contacts!: number;
  @ApiProperty({ type: [String], example: [], description: 'entries that the send would refuse' }) invalid!: string[];
  @ApiProperty({ type: [String], example: [], description: 'numbers that come more than once' }) duplicates!: string[];
}

export class QuoteResponse extends AnswerOf(QuoteData) {}
