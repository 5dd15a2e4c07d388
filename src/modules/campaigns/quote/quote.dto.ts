import { ApiProperty } from '@nestjs/swagger';
import { MOST_ROW_FAULTS } from '../../../kernel/errors.js';
import { MOST_CONTACTS } from '../../../kernel/contacts.js';
import { AnswerOf, OLD_CREDITS, RowFaultData } from '../../../platform/http/index.js';
import { CHANNEL_EXAMPLE, QUOTABLE_CHANNEL_NAMES } from '../../channels/index.js';

export class QuoteBody {
  @ApiProperty({ enum: [...QUOTABLE_CHANNEL_NAMES], example: CHANNEL_EXAMPLE }) channel!: string;
  @ApiProperty({
    example: 'Hello from Switchboard',
    description: "the text; for template and branded the template's name",
  })
  message!: string;
  @ApiProperty({ type: [String], maxItems: MOST_CONTACTS, example: ['919812345678', '919812345679'] })
  contacts!: string[];
}

export class QuoteData {
  @ApiProperty({ enum: [...QUOTABLE_CHANNEL_NAMES], example: CHANNEL_EXAMPLE }) channel!: string;
  @ApiProperty({ enum: ['gsm7', 'unicode'], example: 'gsm7' }) encoding!: 'gsm7' | 'unicode';
  @ApiProperty({ type: [String], example: [], description: 'the characters that make it Unicode' })
  unicode_characters!: string[];
  @ApiProperty({ example: 22 }) length!: number;
  @ApiProperty({ example: 1, description: 'parts that leave for one contact' }) segments!: number;
  @ApiProperty({ example: 1, description: 'under a rate plan what most of them cost' }) credits_per_contact!: number;
  @ApiProperty({ example: 2, description: 'exactly what the send would charge' }) credits!: number;
  @ApiProperty(OLD_CREDITS) total_credits!: number;
  @ApiProperty({ example: 1000 }) available!: number;
  @ApiProperty({ example: 2, description: 'numbers that would be charged' }) contacts!: number;
  @ApiProperty({
    type: [RowFaultData],
    maxItems: MOST_ROW_FAULTS,
    description: 'entries that the send would refuse or leave out, the first hundred',
  })
  invalid!: RowFaultData[];
  @ApiProperty({ type: 'integer', example: 0, description: 'how many such entries there are' }) refused!: number;
  @ApiProperty({
    type: [String],
    maxItems: MOST_ROW_FAULTS,
    example: [],
    description: 'numbers that come more than once, the first hundred',
  })
  duplicates!: string[];
  @ApiProperty({ type: 'integer', example: 0, description: 'entries whose number came before' })
  duplicates_count!: number;
}

export class QuoteResponse extends AnswerOf(QuoteData) {}
