import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { RowFault } from '../../kernel/app-error.js';

/** `total_credits` of a quote, the old name of `credits`. */
export const OLD_CREDITS = {
  type: 'integer' as const,
  example: 3,
  deprecated: true,
  description: 'the same as `credits`; it goes with the version after this one',
};

/** A row of a list or a file at fault, for Swagger. */
export class RowFaultData implements RowFault {
  @ApiProperty({ type: 'integer', example: 17, description: '1 = the first; of a file the first below the header' })
  row!: number;
  @ApiPropertyOptional({ type: String, example: 'n/a', description: 'what stands where the number should' })
  value?: string;
  @ApiProperty({ type: String, example: 'number_invalid', description: 'for programs' }) reason!: string;
  @ApiProperty({ type: String, example: 'number must be between 8 and 30 digits' }) message!: string;
  @ApiPropertyOptional({ type: String, example: 'IN', description: 'ISO 3166 code of the number, where it is known' })
  country?: string;
  @ApiPropertyOptional({ type: [String], example: ['code'], description: 'placeholders without a value' })
  missing?: readonly string[];
}
