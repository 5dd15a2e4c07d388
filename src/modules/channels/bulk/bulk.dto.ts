import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  AnswerOf,
  type AnswerWarning,
  OLD_CREDITS,
  RowFaultData,
  LATE,
  LATE_AFTER,
  SCHEDULE_TIME,
  WARNINGS_PROPERTY,
  ZonedTime,
} from '../../../platform/http/index.js';
import { BULK_CHANNEL_NAMES, type BulkChannelName, LONGEST_TEXT, MOST_IN_BODY } from './bulk.errors.js';

const SKIPPED = {
  type: [RowFaultData] as [typeof RowFaultData],
  maxItems: 100,
  description: 'rows that are left out by remove_duplicates (`duplicate`) or skip_invalid, the first hundred',
};
const SKIPPED_COUNT = { type: 'integer', example: 0, description: 'all of them' } as const;

export class BulkRecipient {
  @ApiProperty({ example: '919812345678', description: 'as the channel takes numbers' }) to!: string;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { name: 'Asha' },
    description: 'at most 50 values of 1,000 characters; numbers, true and false are taken as text',
  })
  variables?: Record<string, string>;
}

/** Body of a personalised send, for Swagger; `readBulkRequest` validates it. */
export class BulkBody {
  @ApiProperty({ enum: [...BULK_CHANNEL_NAMES], example: 'sms' }) channel!: BulkChannelName;
  @ApiProperty({ description: 'Longer names are cut at 100 characters.', example: 'Spring sale' })
  broadcast_name!: string;
  @ApiPropertyOptional({
    maxLength: LONGEST_TEXT,
    example: 'Hi {{name|there}}, your code is {{code}}.',
    description: 'sms and unofficial: the text; `{{name}}` needs a value, `{{name|there}}` has a default',
  })
  message?: string;
  @ApiPropertyOptional({
    description:
      'template and branded: the name of an approved template, or an object of name, language and components, whose texts may have placeholders',
    oneOf: [{ type: 'string' }, { type: 'object' }],
    example: { name: 'order_ready', components: [{ type: 'body', parameters: [{ type: 'text', text: '{{name}}' }] }] },
  })
  template?: string | Record<string, unknown>;
  @ApiPropertyOptional({
    example: false,
    description:
      'template and branded: replace line breaks, tabs and more than four blanks in values by one blank; otherwise such rows are refused',
  })
  flatten?: boolean;
  @ApiPropertyOptional({
    type: [BulkRecipient],
    maxItems: MOST_IN_BODY,
    description: 'or contacts, upload_id, list_id',
  })
  recipients?: BulkRecipient[];
  @ApiPropertyOptional({ type: [String], maxItems: MOST_IN_BODY, description: 'numbers without variables' })
  contacts?: string[];
  @ApiPropertyOptional({ type: 'integer', example: 4711, description: 'a file that was uploaded' })
  upload_id?: number;
  @ApiPropertyOptional({ type: 'integer', example: 4712, description: 'a stored list' }) list_id?: number;
  @ApiPropertyOptional({ example: false, description: 'one message for each person: the first row of a person stays' })
  remove_duplicates?: boolean;
  @ApiPropertyOptional({
    example: false,
    description: 'rows at fault are left out and told; otherwise one of them refuses the send',
  })
  skip_invalid?: boolean;
  @ApiPropertyOptional({ example: 'ACME', description: 'sms: an approved sender id' }) sender_id?: string;
  @ApiPropertyOptional({ example: '1107161234567890123', description: 'sms: where the route demands one' })
  dlt_template_id?: string;
  @ApiPropertyOptional({ type: 'integer', example: 3600, description: 'sms: seconds after which it is of no use' })
  validity_s?: number;
  @ApiPropertyOptional({
    example: 'https://files.example.com/offer.jpg',
    description: 'unofficial; likewise img2, document and media_with_caption',
  })
  img1?: string;
  @ApiPropertyOptional({ example: 'sandbox', description: 'sms and unofficial; absent or unknown: the default route' })
  route?: string;
  @ApiPropertyOptional({ example: 'otp', description: 'sms and unofficial: for rules of routes' }) category?: string;
  @ApiPropertyOptional(SCHEDULE_TIME)
  schedule_time?: string;

  @ApiPropertyOptional(LATE)
  late?: 'send' | 'expire' | 'hold';

  @ApiPropertyOptional(LATE_AFTER)
  late_after_s?: number;
}

/** Answer to an accepted send (reference/bulk#answer). */
export class AcceptedBulkData {
  @ApiProperty({ example: 'GSMCAMP_20261121_A1B2C3' }) request_id!: string;
  @ApiProperty({ enum: [...BULK_CHANNEL_NAMES], example: 'sms' }) channel!: BulkChannelName;
  @ApiProperty({ enum: ['accepted'], example: 'accepted' }) state!: 'accepted';
  @ApiProperty({ example: false, description: 'sent with a test key: nothing leaves, nothing is charged' })
  test!: boolean;
  @ApiProperty({ type: 'integer', example: 2 }) recipients!: number;
  @ApiProperty({ type: 'integer', example: 3, description: 'charged for all recipients, each by its own text' })
  credits!: number;
  @ApiProperty({ example: 'gsm_credits', description: 'the balance that paid' }) balance!: string;
  @ApiPropertyOptional({
    type: [String],
    maxItems: 100,
    example: [],
    description:
      'numbers of recipients or contacts that come more than once: charged and sent each time, unless remove_duplicates is on',
  })
  duplicates?: string[];
  @ApiPropertyOptional({ type: 'integer', example: 0, description: 'entries whose number came before' })
  duplicates_count?: number;
  @ApiPropertyOptional(SKIPPED) skipped?: RowFaultData[];
  @ApiPropertyOptional(SKIPPED_COUNT) skipped_count?: number;
  @ApiPropertyOptional({
    type: 'integer',
    example: 0,
    description: 'numbers that no numbering plan has; `warnings` names a hundred',
  })
  warned?: number;
  @ApiProperty({ example: 'sandbox', description: 'the route as it was wished for; the connection of a template send' })
  route!: string;
  @ZonedTime({ nullable: true, description: 'null: at once' })
  scheduled_at!: string | null;
}

export interface AcceptedBulk extends AcceptedBulkData {
  /** absent from older stored answers */
  routeId?: number;
  /** not part of the data; absent from older stored answers */
  hints?: AnswerWarning[];
}

export class BulkAnswer extends AnswerOf(AcceptedBulkData) {}

export class SegmentsShareData {
  @ApiProperty({ type: 'integer', example: 1 }) segments!: number;
  @ApiProperty({ type: 'integer', example: 2 }) recipients!: number;
  @ApiProperty({ type: 'integer', example: 2, description: 'for all of them together' }) credits!: number;
}

export class PreviewRow {
  @ApiProperty({ type: 'integer', example: 1 }) row!: number;
  @ApiProperty({ example: '919812345678' }) to!: string;
  @ApiProperty({ type: String, nullable: true, example: 'IN', description: 'of the number; null: none has it alone' })
  country!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'mobile',
    description: 'null: no numbering plan has the number',
  })
  type!: string | null;
  @ApiProperty({ example: 'Hi Asha, your code is A1B2.', description: 'Empty for template and branded' }) text!: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { name: 'Asha', code: 'A1B2' } })
  variables!: Readonly<Record<string, string>>;
  @ApiProperty({ type: 'integer', example: 1 }) segments!: number;
  @ApiProperty({ type: 'integer', example: 1 }) credits!: number;
}

/** Price of a personalised send (reference/bulk#quote). */
export class BulkQuoteData {
  @ApiProperty({ enum: [...BULK_CHANNEL_NAMES], example: 'sms' }) channel!: BulkChannelName;
  @ApiProperty({ type: 'integer', example: 2, description: 'that would be charged' }) recipients!: number;
  @ApiProperty({ type: 'integer', example: 3 }) credits!: number;
  @ApiProperty(OLD_CREDITS) total_credits!: number;
  @ApiProperty({ example: 'gsm_credits' }) balance!: string;
  @ApiProperty({ type: 'integer', example: 1000 }) available!: number;
  @ApiProperty({ type: [SegmentsShareData], description: 'ascending by segments' })
  segments_histogram!: SegmentsShareData[];
  @ApiProperty({ type: [PreviewRow], maxItems: 10, description: 'the first ten that would be sent' })
  preview!: PreviewRow[];
  @ApiProperty({ type: [String], example: ['name', 'code'] }) placeholders!: string[];
  @ApiProperty({
    type: [RowFaultData],
    maxItems: 100,
    description: 'rows without a value of a placeholder, the first hundred',
  })
  missing!: RowFaultData[];
  @ApiProperty({
    type: [RowFaultData],
    maxItems: 100,
    description: 'rows refused for something else, the first hundred',
  })
  invalid!: RowFaultData[];
  @ApiProperty({ type: 'integer', example: 0, description: 'rows for which the send would be refused' })
  refused!: number;
  @ApiPropertyOptional(SKIPPED) skipped?: RowFaultData[];
  @ApiPropertyOptional(SKIPPED_COUNT) skipped_count?: number;
  @ApiProperty({ type: [String], maxItems: 100, example: [], description: 'numbers that come more than once' })
  duplicates!: string[];
  @ApiPropertyOptional({
    type: 'integer',
    example: 0,
    description: 'entries whose number came before; absent of an upload or a list',
  })
  duplicates_count?: number;
  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'numbers that no numbering plan has; `warnings` names a hundred',
  })
  warned!: number;
}

export interface BulkQuote {
  data: BulkQuoteData;
  hints: AnswerWarning[];
}

export class BulkQuoteResponse extends AnswerOf(BulkQuoteData) {
  @ApiPropertyOptional(WARNINGS_PROPERTY) warnings?: AnswerWarning[];
}

const recipients = [
  { to: '919812345678', variables: { name: 'Asha', code: 'A1B2' } },
  { to: '919812345679', variables: { code: 'C3D4' } },
];

export const BULK_EXAMPLES = {
  sms: {
    summary: 'SMS, a text of its own for each',
    value: {
      channel: 'sms',
      broadcast_name: 'Codes',
      message: 'Hi {{name|there}}, your code is {{code}}.',
      recipients,
    },
  },
  plain: {
    summary: 'SMS, the same text for all',
    value: {
      channel: 'sms',
      broadcast_name: 'Spring sale',
      message: 'Hello from Switchboard',
      contacts: ['919812345678', '919812345679'],
      route: 'sandbox',
    },
  },
  unofficial: {
    summary: 'Unofficial chat with an image',
    value: {
      channel: 'unofficial',
      broadcast_name: 'Spring sale',
      message: 'Hi {{name|there}}!',
      img1: 'https://files.example.com/offer.jpg',
      recipients,
    },
  },
  template: {
    summary: 'A template, its variables by position',
    value: {
      channel: 'template',
      broadcast_name: 'Orders',
      template: 'order_ready',
      recipients: [{ to: '919812345678', variables: { '1': 'Asha' } }],
    },
  },
  branded: {
    summary: 'A branded template, its variables by name',
    value: {
      channel: 'branded',
      broadcast_name: 'Orders',
      template: {
        name: 'order_ready',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: '{{name|there}}' }] }],
      },
      recipients,
    },
  },
};
