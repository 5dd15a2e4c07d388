import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiQuery } from '@nestjs/swagger';
import type { RowFault } from '../../kernel/errors.js';
import { MAKER_KINDS, type MakerKind } from '../../kernel/maker.js';
import type { Paged } from './page.js';

/** For Swagger: an answer with one `item`. */
export function AnswerOf<T>(item: Type<T>): Type<{ success: true; data: T }> {
  class Answer {
    @ApiProperty({ type: Boolean, enum: [true], example: true })
    success!: true;

    @ApiProperty({ type: item })
    data!: T;
  }
  return Answer;
}

/** For Swagger: the answer of `paged`. @param most maximum number of items */
export function PageOf<T>(item: Type<T>, most?: number): Type<Paged<T>> {
  class PageAnswer {
    @ApiProperty({ type: Boolean, enum: [true], example: true })
    success!: true;

    @ApiProperty({ type: [item], ...(most !== undefined && { maxItems: most }) })
    data!: T[];

    @ApiProperty({ type: 'integer', example: 1 })
    page!: number;

    @ApiProperty({ type: 'integer', example: 50 })
    limit!: number;

    @ApiProperty({ type: 'integer', example: 1, description: '10,000 at the most where it is capped' })
    total!: number;

    @ApiPropertyOptional({ type: Boolean, enum: [true], description: 'there are, or may be, more than `total`' })
    total_is_capped?: true;

    @ApiProperty({
      type: String,
      nullable: true,
      example: null,
      description: '`cursor` of the request that goes on behind these; null: nothing follows',
    })
    next_cursor!: string | null;
  }
  return PageAnswer;
}

/** For Swagger: `page`, `limit` and `cursor` of a list (`readListPage`). */
export const ListQuery = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({ name: 'page', required: false, example: 1 }),
    ApiQuery({ name: 'limit', required: false, example: 50 }),
    ApiQuery({
      name: 'cursor',
      required: false,
      description: '`next_cursor` of the answer before, in place of `page`: the way through a long list',
    }),
  );

export class DoneAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Done' })
  message!: string;
}

export class MakerData {
  @ApiProperty({ enum: [...MAKER_KINDS], example: 'person', description: 'staff: of the operator, or the reseller' })
  kind!: MakerKind;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 373662154973185,
    description: 'Of the account, the person or the key; null of staff, to owners',
  })
  id!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'jane.doe',
    description: 'Username, or name of the key; null of staff, to owners',
  })
  name!: string | null;
}

export const MadeBy = (): PropertyDecorator =>
  ApiProperty({
    type: MakerData,
    nullable: true,
    description: 'null: the service itself, or made before makers were kept',
  });

/** `total_credits` of a quote, the old name of `credits`. */
export const OLD_CREDITS = {
  type: 'integer' as const,
  example: 3,
  deprecated: true,
  description: 'the same as `credits`; it goes with the version after this one',
};

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
