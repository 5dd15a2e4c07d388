import { ApiProperty } from '@nestjs/swagger';
import { AnswerOf } from '../../../platform/http/index.js';
import { CHANNEL_EXAMPLE, QUOTABLE_CHANNEL_NAMES } from '../../channels/index.js';

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

/** What a send would cost, field by field as reference/campaigns#quote gives it. */
export class QuoteData {
  @ApiProperty({ enum: [...QUOTABLE_CHANNEL_NAMES], example: CHANNEL_EXAMPLE }) channel!: string;
  @ApiProperty({ enum: ['gsm7', 'unicode'], example: 'gsm7' }) encoding!: 'gsm7' | 'unicode';
  @ApiProperty({ type: [String], example: [], description: 'the characters that make it Unicode' })
  unicode_characters!: string[];
  @ApiProperty({ example: 22 }) length!: number;
  @ApiProperty({ example: 1, description: 'parts that leave for one contact' }) segments!: number;
  @ApiProperty({ example: 1, description: 'under a rate plan what most of them cost' }) credits_per_contact!: number;
  @ApiProperty({ example: 2, description: 'exactly what the send would charge' }) total_credits!: number;
  @ApiProperty({ example: 1000 }) available!: number;
  @ApiProperty({ example: 2, description: 'numbers that would be charged' }) contacts!: number;
  @ApiProperty({ type: [String], example: [], description: 'entries that the send would refuse' }) invalid!: string[];
  @ApiProperty({ type: [String], example: [], description: 'numbers that come more than once' }) duplicates!: string[];
}

export class QuoteResponse extends AnswerOf(QuoteData) {}
