import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { isUserId } from '../../kernel/contacts.js';
import { dateTime, isoTime } from '../../kernel/clock.js';
import { AnswerOf, LocalTime, OneOf, PageOf, ZonedTime } from '../../platform/http/index.js';
import type { ProviderPricing } from '../providers/index.js';
import { CHAT_STATUS_LABELS } from '../channels/chat/index.js';
import { RecipientStatus } from '../engine/index.js';
import { MESSAGE_TYPES } from './session-message.js';
import type { ListedSessionMessage } from './session-reads.store.js';

class ProviderPricingData implements ProviderPricing {
  @ApiProperty({ example: 'service', description: 'in the provider’s word' }) category!: string;
  @ApiProperty({ type: Boolean, nullable: true, example: false }) billable!: boolean | null;
  @ApiProperty({ type: String, nullable: true, example: 'PMP' }) model!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'free_customer_service' }) type!: string | null;
}

const OBJECT = { type: 'object', additionalProperties: true } as const;
const TEXT = { type: 'string' } as const;

class SessionMessageEnvelope {
  @ApiProperty({ enum: ['chat'], example: 'chat' })
  messaging_product!: 'chat';

  @ApiPropertyOptional({ description: '`individual`, as the provider takes it.', example: 'individual' })
  recipient_type?: string;

  @ApiPropertyOptional({
    description: 'Cleaned of +, spaces and dashes; 8 to 20 digits. Either this or `recipient`; with both this counts.',
    example: '919812345678',
  })
  to?: string;

  @ApiPropertyOptional({
    description: 'User id of a contact that shows no number: `from_user_id` of what it wrote.',
    example: 'US.13491208655302741918',
  })
  recipient?: string;

  @ApiPropertyOptional({ ...OBJECT, description: 'Passed on whole, such as `{ message_id }` of what is replied to.' })
  context?: object;
}

const media = (more: Readonly<Record<string, typeof TEXT>> = {}) => ({
  ...OBJECT,
  properties: { id: TEXT, link: { ...TEXT, format: 'uri' }, ...more },
  description: '`id` or `link` is required; with both the id is sent.',
});

class TextMessage extends SessionMessageEnvelope {
  @ApiProperty({ enum: ['text'] })
  type!: 'text';

  @ApiProperty({ ...OBJECT, properties: { body: TEXT, preview_url: { type: 'boolean' } }, required: ['body'] })
  text!: object;
}

class ImageMessage extends SessionMessageEnvelope {
  @ApiProperty({ enum: ['image'] })
  type!: 'image';

  @ApiProperty(media({ caption: TEXT }))
  image!: object;
}

class AudioMessage extends SessionMessageEnvelope {
  @ApiProperty({ enum: ['audio'] })
  type!: 'audio';

  @ApiProperty(media())
  audio!: object;
}

class VideoMessage extends SessionMessageEnvelope {
  @ApiProperty({ enum: ['video'] })
  type!: 'video';

  @ApiProperty(media({ caption: TEXT }))
  video!: object;
}

class DocumentMessage extends SessionMessageEnvelope {
  @ApiProperty({ enum: ['document'] })
  type!: 'document';

  @ApiProperty(media({ caption: TEXT, filename: TEXT }))
  document!: object;
}

class StickerMessage extends SessionMessageEnvelope {
  @ApiProperty({ enum: ['sticker'] })
  type!: 'sticker';

  @ApiProperty(media())
  sticker!: object;
}

class LocationMessage extends SessionMessageEnvelope {
  @ApiProperty({ enum: ['location'] })
  type!: 'location';

  @ApiProperty({
    ...OBJECT,
    properties: { latitude: { type: 'number' }, longitude: { type: 'number' }, name: TEXT, address: TEXT },
    required: ['latitude', 'longitude'],
  })
  location!: object;
}

class ContactsMessage extends SessionMessageEnvelope {
  @ApiProperty({ enum: ['contacts'] })
  type!: 'contacts';

  @ApiProperty({ type: 'array', items: OBJECT, minItems: 1, description: 'As the provider takes them.' })
  contacts!: object[];
}

class InteractiveMessage extends SessionMessageEnvelope {
  @ApiProperty({ enum: ['interactive'] })
  type!: 'interactive';

  @ApiProperty({ ...OBJECT, description: 'As the provider takes it.' })
  interactive!: object;
}

class ReactionMessage extends SessionMessageEnvelope {
  @ApiProperty({ enum: ['reaction'] })
  type!: 'reaction';

  @ApiProperty({ ...OBJECT, properties: { message_id: TEXT, emoji: TEXT }, required: ['message_id', 'emoji'] })
  reaction!: object;
}

class TemplateMessage extends SessionMessageEnvelope {
  @ApiProperty({ enum: ['template'] })
  type!: 'template';

  @ApiProperty({ ...OBJECT, description: 'As on chatTemplate.' })
  template!: object;
}

const VARIANTS: Readonly<Record<(typeof MESSAGE_TYPES)[number], Type>> = {
  text: TextMessage,
  image: ImageMessage,
  audio: AudioMessage,
  video: VideoMessage,
  document: DocumentMessage,
  sticker: StickerMessage,
  location: LocationMessage,
  contacts: ContactsMessage,
  interactive: InteractiveMessage,
  reaction: ReactionMessage,
  template: TemplateMessage,
};

@OneOf('type', VARIANTS)
export class SessionMessageBody extends SessionMessageEnvelope {}

const PASSED_ON = { type: 'array', items: OBJECT };

/** The provider's answer, passed through (reference/session-messages#chat): its usual fields, all optional. */
export const SESSION_ANSWER = {
  ...OBJECT,
  properties: { messaging_product: { type: 'string' }, contacts: PASSED_ON, messages: PASSED_ON },
  example: {
    messaging_product: 'chat',
    contacts: [{ input: '919812345678', wa_id: '919812345678' }],
    messages: [{ id: 'wamid.HBgMOTE5ODEyMzQ1Njc4' }],
  },
};

const ENVELOPE = { messaging_product: 'chat', recipient_type: 'individual', to: '919812345678' };

const example = (summary: string, type: string, part: unknown) => ({
  summary,
  value: { ...ENVELOPE, type, [type]: part },
});

export const SESSION_EXAMPLES = {
  text: example('Text', 'text', { body: 'Hello from Switchboard', preview_url: false }),
  image: example('Image by link', 'image', { link: 'https://example.com/picture.jpg', caption: 'A picture' }),
  audio: example('Audio by id', 'audio', { id: '1013859600285441' }),
  video: example('Video', 'video', { link: 'https://example.com/clip.mp4', caption: 'A clip' }),
  document: example('Document', 'document', { link: 'https://example.com/invoice.pdf', filename: 'invoice.pdf' }),
  sticker: example('Sticker', 'sticker', { link: 'https://example.com/sticker.webp' }),
  location: example('Location', 'location', {
    latitude: 52.5163,
    longitude: 13.3777,
    name: 'Brandenburg Gate',
    address: 'Pariser Platz, Berlin',
  }),
  contacts: example('Contacts', 'contacts', [
    { name: { formatted_name: 'Ada Lovelace', first_name: 'Ada' }, phones: [{ phone: '+919812345679', type: 'WORK' }] },
  ]),
  interactive: example('Reply buttons', 'interactive', {
    type: 'button',
    body: { text: 'Shall we?' },
    action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
  }),
  reaction: example('Reaction', 'reaction', { message_id: 'wamid.HBgMOTE5ODEyMzQ1Njc4', emoji: '👍' }),
  template: {
    summary: 'Template: goes the way of chatTemplate and is answered 201',
    value: {
      ...ENVELOPE,
      type: 'template',
      template: {
        name: 'order_ready',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }],
      },
    },
  },
};

const STATUSES = ['PENDING', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'CANCELLED'];

@ApiExtraModels(ProviderPricingData)
export class SessionMessageData {
  @ApiProperty({ type: 'integer', example: 374100212563968 })
  id!: number;

  @ApiProperty({ type: String, nullable: true, example: '919812345678', description: 'null when it went to a user id' })
  to!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'User id, such as `US.13491208655302741918`; null when it went to a number',
  })
  recipient!: string | null;

  @ApiProperty({ enum: [...MESSAGE_TYPES], example: 'text' })
  type!: string;

  @ApiProperty({ type: String, nullable: true, example: 'November' })
  broadcast_name!: string | null;

  @ApiProperty({
    enum: STATUSES,
    example: 'PENDING',
    description: '`PENDING` with a `sent_at`: it may have left, and its receipt or the deadline decides',
  })
  status!: string;

  @ApiProperty({ example: false, description: 'sent with a test key: it never left' })
  test!: boolean;

  @ApiProperty({ type: 'integer', nullable: true, example: null })
  error_code!: number | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  errorMessage!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  provider_message_id!: string | null;

  @ApiProperty({
    oneOf: [{ $ref: getSchemaPath(ProviderPricingData) }, { type: 'null' }],
    description: 'what the provider bills, as its statuses say; null = they have not',
  })
  pricing!: ProviderPricing | null;

  @ZonedTime({ nullable: true, description: 'null: it was to leave at once' })
  scheduled_at!: string | null;

  @LocalTime({ nullable: true, example: null, description: 'null: it has not left' })
  sent_at!: string | null;

  @LocalTime()
  created_at!: string;

  @LocalTime()
  updated_at!: string;
}

export function sessionMessageData(row: ListedSessionMessage, zone: string): SessionMessageData {
  const isFailed = row.status === RecipientStatus.Failed;
  return {
    id: row.id,
    to: isUserId(row.receiver) ? null : row.receiver,
    recipient: isUserId(row.receiver) ? row.receiver : null,
    type: row.type,
    broadcast_name: row.label,
    status: CHAT_STATUS_LABELS[row.status],
    test: row.is_test === 1,
    error_code: isFailed ? row.error_code : null,
    errorMessage: isFailed ? row.error_message : null,
    provider_message_id: row.provider_message_id,
    pricing: row.pricing === null ? null : (JSON.parse(row.pricing) as ProviderPricing),
    scheduled_at: row.scheduled_at && isoTime(row.scheduled_at, zone),
    sent_at: row.sent_at && dateTime(row.sent_at, zone),
    created_at: dateTime(row.created_at, zone),
    updated_at: dateTime(row.updated_at, zone),
  };
}

export class FoundSessionMessageData extends SessionMessageData {
  @ApiProperty({ example: 'demo', description: 'Whose it is' })
  username!: string;
}

export class SessionMessageAnswer extends AnswerOf(FoundSessionMessageData) {}

export class SessionMessagePageAnswer extends PageOf(SessionMessageData) {}

export class CancelledSessionMessageAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  success!: true;

  @ApiProperty({ example: 'Message cancelled successfully' })
  message!: string;
}
