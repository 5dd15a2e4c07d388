import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerOf, LocalTime, PageOf } from '../../../platform/http/index.js';
import { CHANNEL_EXAMPLE, CHANNEL_NAMES, RECIPIENT_STATUS_WORDS } from '../../channels/index.js';
import { BALANCES } from '../../credits/index.js';
import { type Channel, type RecipientRecord, StatusLabels, TIMELINE_EVENTS } from '../../engine/index.js';
import { REQUEST_ID } from '../campaigns.dto.js';

const STATUS_WORDS = [...RECIPIENT_STATUS_WORDS];
const TEST = { example: true, description: 'sent with a test key: it never left; absent where it was not' };

/** A number in its spellings, or the digits that it ends with. */
export type NumberFilter = { numbers: readonly string[] } | { ending: string };

/** A recipient for its owner (reference/campaigns#contacts); channels add their own columns. */
export class ContactData {
  @ApiProperty({ example: 1, description: 'place among the contacts' }) seq!: number;
  @ApiProperty({ example: '919812345678' }) receiver!: string;
  @ApiProperty({ example: 'DELIVERED', enum: STATUS_WORDS, description: 'the status, as the channel spells it' })
  status!: string;
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
  @LocalTime({ example: '2026-11-21 10:30:05' }) updated_at!: string;
  @ApiProperty({ example: 2, description: 'charged for it' }) credits!: number;
  @ApiPropertyOptional({ example: 'EC001', description: "the carrier's code of a failure, where it is no number" })
  carrier_code?: string;
  @ApiPropertyOptional({
    example: true,
    description: 'the carrier refused it in its answer to the submit: it was never taken; absent where it was not',
  })
  refused?: true;
  @ApiPropertyOptional({
    example: 'The phone is switched off or out of reach. Retry later.',
    description: 'cause and remedy of a failure, for people; absent where it did not fail',
  })
  reason_text?: string;
  @ApiPropertyOptional(TEST) test?: true;
  @ApiPropertyOptional({ example: 17, description: 'voice only: seconds' }) duration?: number;
  @ApiPropertyOptional({ type: String, nullable: true, example: '12', description: 'voice only: keys pressed' })
  digits?: string | null;
  @ApiPropertyOptional({ type: String, nullable: true, example: null, description: 'voice only' })
  recording_url?: string | null;
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'marketing',
    description: 'templates only: what the provider bills, in its word; null = it has not said',
  })
  provider_category?: string | null;
  @ApiPropertyOptional({ type: String, enum: ['yes', 'no', null], nullable: true, example: 'yes' })
  provider_billable?: string | null;
  @ApiPropertyOptional({ type: String, nullable: true, example: 'PMP regular', description: 'model and type' })
  provider_pricing?: string | null;
}

type Details = Readonly<Record<string, string | number | null>>;

export type DetailedRecipient = ContactData & Readonly<Record<string, string | number | true | null>>;

export type RefusalData = Pick<ContactData, 'carrier_code' | 'refused'>;

export interface RecipientExtras {
  providerIds: ReadonlyMap<number, string>;
  refusals: ReadonlyMap<number, RefusalData>;
  /** absent on channels without their own columns */
  details: ReadonlyMap<number, Details> | undefined;
  credits: (seq: number) => number;
  isTest: boolean;
}

export function contactData(
  channel: Channel,
  recipient: RecipientRecord,
  { providerIds, refusals, details, credits, isTest }: RecipientExtras,
  shown: (at: Date) => string,
): DetailedRecipient {
  const { seq, number, attempts, updatedAt } = recipient;
  return {
    seq,
    receiver: number,
    ...new StatusLabels(channel).outcomeOf(recipient),
    attempts,
    provider_message_id: providerIds.get(seq) ?? null,
    updated_at: shown(updatedAt),
    credits: credits(seq),
    ...(isTest && { test: true }),
    ...refusals.get(seq),
    ...details?.get(seq),
  };
}

export class ContactPageResponse extends PageOf(ContactData) {}

export class TimelineEventData {
  @LocalTime({ example: '2026-11-21 10:30:05' }) at!: string;
  @ApiProperty({
    example: 'submitted',
    enum: [...TIMELINE_EVENTS],
    description:
      'queued, scheduled, submitted (the carrier took it), outcome_unknown, retry_due, route_changed (it went over to another route), status (delivered, read or a final one), refund; call_answered and call_ended on voice; priced (what the provider bills) of template messages; webhook for each try of a push',
  })
  event!: string;
  @ApiProperty({ enum: STATUS_WORDS, nullable: true, example: 'SENT', description: 'its status from then on' })
  status!: string | null;
  @ApiProperty({ type: 'object', additionalProperties: true, example: { provider_message_id: '4a7f01' } })
  details!: Record<string, unknown>;
}

export class DecisionsData {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'airtel',
    description: 'as it was accepted; null = a chat connection',
  })
  route!: string | null;
  @ApiProperty({ type: [String], example: ['backup'], description: 'may take over; events say whether one did' })
  fallback_routes!: string[];
  @ApiProperty({ example: 1 }) credits!: number;
  @ApiProperty({ enum: [...BALANCES], example: 'gsm_credits' }) balance!: string;
  @ApiProperty({ example: false }) refunded!: boolean;
  @ApiProperty({ type: String, nullable: true, example: null, description: 'null = the route’s own' })
  sender!: string | null;
  @ApiProperty({ example: false, description: 'the stop list had its number: nothing was sent' }) stop_list!: boolean;
}

export class TimelineData {
  @ApiProperty({ example: 1 }) seq!: number;
  @ApiProperty({ example: '919812345678' }) receiver!: string;
  @ApiProperty({ example: 'SENT', enum: STATUS_WORDS }) status!: string;
  @ApiPropertyOptional(TEST) test?: true;
  @ApiProperty() decisions!: DecisionsData;
  @ApiProperty({ type: [TimelineEventData], description: 'oldest first' }) events!: TimelineEventData[];
}

export class TimelineResponse extends AnswerOf(TimelineData) {}

export class RecipientHitData {
  @ApiProperty({ example: REQUEST_ID }) request_id!: string;
  @ApiProperty({ example: CHANNEL_EXAMPLE, enum: [...CHANNEL_NAMES] }) channel!: string;
  @ApiProperty({ example: 'Diwali offer' }) broadcast_name!: string;
  @ApiProperty({ example: 1 }) seq!: number;
  @ApiProperty({ example: '919812345678' }) receiver!: string;
  @ApiProperty({ example: 'DELIVERED', enum: STATUS_WORDS }) status!: string;
  @ApiProperty({ example: 0, enum: [0, 1] }) status_code!: 0 | 1;
  @ApiProperty({ type: Number, nullable: true, example: null }) error_code!: number | null;
  @ApiProperty({ type: String, nullable: true, example: null }) errorMessage!: string | null;
  @ApiProperty({ example: 1 }) attempts!: number;
  @ApiPropertyOptional(TEST) test?: true;
  @LocalTime({ example: '2026-11-21 10:30:00', description: 'when the campaign was accepted' }) created_at!: string;
  @LocalTime({ example: '2026-11-21 10:30:05' }) updated_at!: string;
}

export class RecipientHitsResponse extends PageOf(RecipientHitData) {
  @ApiProperty({ type: [RecipientHitData], description: 'newest campaign first' })
  override data!: RecipientHitData[];
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    example: null,
    description:
      'ISO 8601. Where the search stopped: ask again with it as `to` for what is older. null: nothing is left',
  })
  next_to!: string | null;
}

export const MOST_NUMBERS = 10_000;

export class NumbersToReadBody {
  @ApiProperty({ type: [String], maxItems: MOST_NUMBERS, example: ['+44 (0)7911 123456', '919812345678.0'] })
  numbers!: string[];
}

export class ReadNumberData {
  @ApiProperty({ type: String, nullable: true, example: '447911123456', description: 'Digits; null: refused' })
  number!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Why it is refused' })
  message!: string | null;
}

export class ReadNumbersAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  success!: true;

  @ApiProperty({ type: [ReadNumberData], description: 'In the order of `numbers`' })
  data!: ReadNumberData[];
}
