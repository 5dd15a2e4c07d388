import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  AnswerOf,
  type AnswerWarning,
  OLD_CREDITS,
  RowFaultData,
  WARNINGS_PROPERTY,
} from '../../../../platform/http/index.js';
import { BULK_CHANNEL_NAMES, type BulkChannelName } from '../bulk.errors.js';

/** Recipients for whom so many parts leave. */
export class SegmentsShareData {
  @ApiProperty({ type: 'integer', example: 1 }) segments!: number;
  @ApiProperty({ type: 'integer', example: 2 }) recipients!: number;
  @ApiProperty({ type: 'integer', example: 2, description: 'for all of them together' }) credits!: number;
}

/** What leaves for one recipient, and what it costs. */
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

/** What a personalised send would cost (reference/bulk#quote). */
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

/** A quote with its hints. */
export interface BulkQuote {
  data: BulkQuoteData;
  hints: AnswerWarning[];
}

export class BulkQuoteResponse extends AnswerOf(BulkQuoteData) {
  @ApiPropertyOptional(WARNINGS_PROPERTY) warnings?: AnswerWarning[];
}
