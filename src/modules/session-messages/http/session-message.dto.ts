import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MESSAGE_TYPES } from '../domain/session-rows.js';

const OBJECT = { type: 'object', additionalProperties: true } as const;

/** Body of a session message for Swagger; `readSessionMessage` reads and judges it. */
export class SessionMessageBody {
  @ApiProperty({ enum: ['chat'], example: 'chat' })
  messaging_product!: 'chat';

  @ApiPropertyOptional({ default: 'individual' })
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

  @ApiProperty({ enum: MESSAGE_TYPES, example: 'text' })
  type!: string;

  @ApiPropertyOptional({ ...OBJECT, description: '`body` is required.' })
  text?: object;

  @ApiPropertyOptional({ ...OBJECT, description: '`id` or `link` is required; with both the id is sent.' })
  image?: object;

  @ApiPropertyOptional({ ...OBJECT, description: '`id` or `link` is required.' })
  audio?: object;

  @ApiPropertyOptional({ ...OBJECT, description: '`id` or `link` is required.' })
  video?: object;

  @ApiPropertyOptional({ ...OBJECT, description: '`id` or `link` is required.' })
  document?: object;

  @ApiPropertyOptional({ ...OBJECT, description: '`id` or `link` is required.' })
  sticker?: object;

  @ApiPropertyOptional({ ...OBJECT, description: '`latitude` and `longitude` are required.' })
  location?: object;

  @ApiPropertyOptional({ type: 'array', items: OBJECT, description: 'Not empty.' })
  contacts?: object[];

  @ApiPropertyOptional({ ...OBJECT, description: 'As the provider takes it.' })
  interactive?: object;

  @ApiPropertyOptional({ ...OBJECT, description: '`message_id` and `emoji` are required.' })
  reaction?: object;

  @ApiPropertyOptional({ ...OBJECT, description: 'As on chatTemplate.' })
  template?: object;

  @ApiPropertyOptional({ ...OBJECT, description: 'Passed on whole, such as `{ message_id }` of what is replied to.' })
  context?: object;
}

const PASSED_ON = { type: 'array', items: OBJECT };

/**
 * The provider's answer, passed through as it is (reference/session-messages#chat): what usually stands there, and
 * nothing that must.
 */
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

/** One body of each type to try in Swagger UI. */
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
