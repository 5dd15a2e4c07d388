import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerOf } from '../../../../platform/http/index.js';
import { BULK_CHANNEL_NAMES, type BulkChannelName } from '../bulk.errors.js';
import { BulkWarning } from './bulk.dto.js';

/** Recipients for whom so many parts leave. */
export class SegmentsShareData {
  @ApiProperty({ type: 'integer', example: 1 }) segments!: number;
  @ApiProperty({ type: 'integer', example: 2 }) recipients!: number;
  @ApiProperty({ type: 'integer', example: 2, description: 'for all of them together' }) credits!: number;
}

/** A row whose recipient leaves placeholders open. */
export class MissingRow {
  @ApiProperty({ type: 'integer', example: 3 }) row!: number;
  @ApiPropertyOptional({ type: String, example: '919812345670' }) to?: string | undefined;
  @ApiProperty({ type: [String], example: ['code'] }) missing!: string[];
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
  @ApiProperty({ type: 'integer', example: 3 }) total_credits!: number;
  @ApiProperty({ example: 'gsm_credits' }) balance!: string;
  @ApiProperty({ type: 'integer', example: 1000 }) available!: number;
  @ApiProperty({ type: [SegmentsShareData], description: 'ascending by segments' })
  segments_histogram!: SegmentsShareData[];
  @ApiProperty({ type: [PreviewRow], maxItems: 10, description: 'the first ten that would be sent' })
  preview!: PreviewRow[];
  @ApiProperty({ type: [String], example: ['name', 'code'] }) placeholders!: string[];
  @ApiProperty({ type: [MissingRow], maxItems: 100, description: 'the first hundred' }) missing!: MissingRow[];
  @ApiProperty({
    type: [BulkWarning],
    maxItems: 100,
    description: 'rows refused for something else, the first hundred',
  })
  invalid!: BulkWarning[];
  @ApiProperty({ type: 'integer', example: 0, description: 'rows for which the send would be refused' })
  refused!: number;
  @ApiProperty({ type: [String], maxItems: 100, example: [], description: 'numbers that come more than once' })
  duplicates!: string[];
  @ApiProperty({ type: [BulkWarning], maxItems: 100 }) warnings!: BulkWarning[];
  @ApiProperty({ type: 'integer', example: 0, description: 'rows that `warnings` is about, all of them' })
  warned!: number;
}

export class BulkQuoteResponse extends AnswerOf(BulkQuoteData) {}
