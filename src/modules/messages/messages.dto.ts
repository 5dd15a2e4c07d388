import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { dateTime, isoTime } from '../../kernel/clock.js';
import { AnswerOf, LocalTime, PageOf, SCHEDULE_TIME, ZonedTime } from '../../platform/http/index.js';
import { RecipientStatus } from '../engine/index.js';
import { CHANNEL_NAMES } from '../channels/index.js';
import { DIRECTIONS, type Direction, LONGEST_REF, MESSAGE_CHANNELS, type MessageChannel } from './messages.errors.js';
import type { ListedMessage } from './listed-message.js';

const OBJECT = { type: 'object', additionalProperties: true } as const;

export class MessageBody {
  @ApiProperty({ enum: [...MESSAGE_CHANNELS], example: 'sms' })
  channel!: MessageChannel;

  @ApiProperty({
    description: 'One number, as the strict reader takes it; of a session also a user id',
    example: '+919812345678',
  })
  to!: string;

  @ApiPropertyOptional({ description: 'sms, and a session message that is a text', example: 'Your parcel is here.' })
  text?: string;

  @ApiPropertyOptional({
    ...OBJECT,
    description: 'template: `{ name, language?: { code }, components? }` as on chatTemplate, or the name alone',
  })
  template?: object;

  @ApiPropertyOptional({
    ...OBJECT,
    description: 'session: `type` and the object of that name, as a session message has them',
  })
  content?: object;

  @ApiPropertyOptional({ description: 'sms: one of your approved sender ids', example: 'ACME' })
  sender_id?: string;

  @ApiPropertyOptional({ description: 'sms: name of a route; empty: chosen by the routing rules', example: 'sandbox' })
  route?: string;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'sms: seconds in which the carrier may deliver',
    example: 3600,
  })
  validity_s?: number;

  @ApiPropertyOptional({ description: 'sms: id of the text in an operator’s registry', example: '1107161951486743588' })
  dlt_template_id?: string;

  @ApiPropertyOptional(SCHEDULE_TIME)
  schedule_time?: string;

  @ApiPropertyOptional({
    description: `An id of your own, 1 to ${LONGEST_REF} characters. For 48 hours the same body under it gets the first answer, and nothing is sent`,
    example: 'order-1042',
  })
  client_ref?: string;

  @ApiPropertyOptional({
    ...OBJECT,
    description: 'Comes back in the events of the message; at most 1 KB',
    example: { order: 1042 },
  })
  metadata?: object;
}

export const MESSAGE_EXAMPLES = {
  sms: {
    summary: 'SMS',
    value: {
      channel: 'sms',
      to: '+919812345678',
      text: 'Your parcel is here.',
      client_ref: 'order-1042',
      metadata: { order: 1042 },
    },
  },
  template: {
    summary: 'Template message',
    value: {
      channel: 'template',
      to: '+919812345678',
      template: {
        name: 'order_ready',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }],
      },
    },
  },
  session: {
    summary: 'Session message',
    value: { channel: 'session', to: '+919812345678', text: 'Yes, we are open until six.' },
  },
  image: {
    summary: 'Session message with an image',
    value: {
      channel: 'session',
      to: '+919812345678',
      content: { type: 'image', image: { link: 'https://example.com/picture.jpg', caption: 'A picture' } },
    },
  },
};

const ID = { example: 'out_374100212563968_1' } as const;

export class AcceptedMessageData {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty({
    enum: ['queued', 'scheduled', 'sent'],
    example: 'queued',
    description: '`sent`: a session message, which the provider has taken',
  })
  status!: 'queued' | 'scheduled' | 'sent';

  @ApiProperty({
    type: 'integer',
    example: 1,
    description: 'Charged; session messages are free, tests are not charged',
  })
  credits!: number;

  @ApiProperty({ example: false, description: 'Sent with a test key: it never leaves' })
  test!: boolean;

  @ApiProperty({ type: 'integer', example: 1, description: 'Parts over the air; 1 for chat' })
  segments!: number;
}

export class AcceptedMessageAnswer extends AnswerOf(AcceptedMessageData) {}

const STATUSES: Readonly<Record<RecipientStatus, string>> = {
  [RecipientStatus.Pending]: 'queued',
  [RecipientStatus.Unknown]: 'sending',
  [RecipientStatus.Submitted]: 'sent',
  [RecipientStatus.Retrying]: 'sent',
  [RecipientStatus.Delivered]: 'delivered',
  [RecipientStatus.Read]: 'read',
  [RecipientStatus.Failed]: 'failed',
  [RecipientStatus.Cancelled]: 'cancelled',
  [RecipientStatus.Answered]: 'answered',
  [RecipientStatus.NoAnswer]: 'no_answer',
  [RecipientStatus.Busy]: 'busy',
};
const SCHEDULED = 'scheduled';
const RECEIVED = 'received';

export class MessageData {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty({ enum: [...DIRECTIONS], example: 'outbound' })
  direction!: Direction;

  @ApiProperty({ enum: [...CHANNEL_NAMES, 'session'], example: 'sms' })
  channel!: string;

  @ApiProperty({ example: 'text', description: '`text`, `template`, `voice`, or the type of a chat message' })
  type!: string;

  @ApiProperty({ type: String, nullable: true, example: 'ACME', description: 'null: the sender of the route' })
  from!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '919812345678', description: 'null: the chat account' })
  to!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Your parcel is here.',
    description: 'Before placeholders are filled in; the name of a template; null: it has none',
  })
  text!: string | null;

  @ApiProperty({ enum: [...new Set(Object.values(STATUSES)), SCHEDULED, RECEIVED], example: 'delivered' })
  status!: string;

  @ApiProperty({ type: 'integer', nullable: true, example: null })
  error_code!: number | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  error_message!: string | null;

  @ApiProperty({ example: false, description: 'sent with a test key: it never left, and cost nothing' })
  test!: boolean;

  @ApiProperty({ type: 'integer', example: 1, description: 'of a test, what it would have cost' })
  credits!: number;

  @ApiProperty({ type: 'integer', example: 0 })
  refunded_credits!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 1,
    description: 'null: they depend on the values of each recipient',
  })
  segments!: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'order-1042' })
  client_ref!: string | null;

  @ApiProperty({ ...OBJECT, nullable: true, example: { order: 1042 } })
  metadata!: object | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'GSMCAMP_20260501_A1B2C3',
    description: 'Its campaign, which has the report; null: a session message, or inbound',
  })
  request_id!: string | null;

  @ZonedTime({ nullable: true, description: 'null: it was to leave at once' })
  scheduled_at!: string | null;

  @LocalTime()
  created_at!: string;

  @LocalTime()
  updated_at!: string;
}

function statusOf({ status, isScheduled }: ListedMessage): string {
  if (status === null) return RECEIVED;
  return status === RecipientStatus.Pending && isScheduled ? SCHEDULED : STATUSES[status];
}

/** @param zone of the account */
export function messageData(message: ListedMessage, zone: string): MessageData {
  const { id, direction, channel, type, from, to, text, credits, segments, tags } = message;
  return {
    ...{ id, direction, channel, type, from, to, text, status: statusOf(message) },
    ...{ error_code: message.errorCode, error_message: message.errorMessage },
    ...{ test: message.isTest, credits, refunded_credits: message.refunded ? credits : 0, segments },
    ...{ client_ref: tags?.client_ref ?? null, metadata: tags?.metadata ?? null, request_id: message.requestId },
    scheduled_at: message.scheduledAt && isoTime(message.scheduledAt, zone),
    created_at: dateTime(message.createdAt, zone),
    updated_at: dateTime(message.updatedAt, zone),
  };
}

export class MessageAnswer extends AnswerOf(MessageData) {}

export class MessagePageAnswer extends PageOf(MessageData) {}
