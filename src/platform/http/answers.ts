import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiQuery } from '@nestjs/swagger';
import type { Paged } from './page.js';

/** For Swagger: the answer that shows one `item`. */
export function AnswerOf<T>(item: Type<T>): Type<{ success: true; data: T }> {
  class Answer {
    @ApiProperty({ type: Boolean, enum: [true], example: true })
    success!: true;

    @ApiProperty({ type: item })
    data!: T;
  }
  return Answer;
}

/** For Swagger: what `paged` answers. @param most items there can ever be */
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

/** Answer without data. */
export class DoneAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Done' })
  message!: string;
}
