import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MESSAGE_TYPES } from '../domain/session-rows.js';

const OBJECT = { type: 'object', additionalProperties: true } as const;

/** Body of a session message for Swagger; `readSessionMessage` reads and judges it. */
export class SessionMessageBody {
  @ApiProperty({ enum: ['chat'], example: 'chat' })
  messaging_product!: 'chat';

  @ApiPropertyOptional({ default: 'individual' })
  recipient_type?: string;

  @ApiProperty({ description: 'Cleaned of +, spaces and dashes; 8 to 20 digits.', example: '919812345678' })
  to!: string;

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

/** A recipient in the provider's answer. */
export class SessionContact {
  @ApiProperty({ example: '919812345678' })
  input!: string;

  @ApiProperty({ example: '919812345678' })
  wa_id!: string;
}

/** A message in the provider's answer. */
export class SessionMessageId {
  @ApiProperty({ example: 'wamid.HBgMOTE5ODEyMzQ1Njc4' })
  id!: string;
}

/** The provider's answer, passed through (spec 4.5). */
export class SessionMessageAnswer {
  @ApiProperty({ example: 'chat' })
  messaging_product!: string;

  @ApiProperty({ type: [SessionContact] })
  contacts!: SessionContact[];

  @ApiProperty({ type: [SessionMessageId] })
  messages!: SessionMessageId[];
}
