import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
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

    @ApiProperty({ type: 'integer', example: 1 })
    total!: number;
  }
  return PageAnswer;
}

/** Answer without data. */
export class DoneAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Done' })
  message!: string;
}
