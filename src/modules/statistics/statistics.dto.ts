import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiQuery } from '@nestjs/swagger';
import { now, readMoment } from '../../kernel/clock.js';
import { fieldErrors } from '../../kernel/errors.js';
import { AnswerOf, ApiErrors } from '../../platform/http/index.js';
import { CHANNEL_NAMES } from '../channels/index.js';
import { SESSION_TRAFFIC } from '../traffic/index.js';
import { type Group, GROUPS, type Range, RANGES, type ShownFigures, type Span, spanOf } from './statistics.js';

const COUNT = { type: 'integer', example: 1200 } as const;
const MOMENT = { format: 'date-time', example: '2026-11-22T18:04:00.000Z' } as const;

export class FiguresAnswer implements ShownFigures {
  @ApiProperty({ ...COUNT, description: 'Left for the carrier' })
  sent!: number;

  @ApiProperty({ ...COUNT, description: 'Delivered, read or answered' })
  delivered!: number;

  @ApiProperty({ ...COUNT, example: 12, description: 'Failed, as a receipt says' })
  failed!: number;

  @ApiProperty({ ...COUNT, example: 3, description: 'Refused when they were sent, by the carrier or by us' })
  refused!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Without a receipt until the deadline' })
  expired!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Calls without an answer, or busy' })
  unanswered!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'May have left' })
  unknown!: number;

  @ApiProperty({ ...COUNT, description: 'Receipts that found their message' })
  receipts!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 0.98,
    minimum: 0,
    maximum: 1,
    description: 'delivered of delivered, failed, expired and unanswered; null where nothing became final',
  })
  delivery_rate!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 2.4,
    description: 'Mean time from the send to the receipt that settled it; null without any',
  })
  delay_seconds!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 1203,
    description: 'Charged less refunded; null by route, which has costs of its own',
  })
  credits!: number | null;
}

export class PointAnswer extends FiguresAnswer {
  @ApiProperty({ ...MOMENT, description: 'Its beginning (UTC)' })
  at!: string;
}

export class SeriesAnswer {
  @ApiProperty({
    example: 'carrier-one',
    description: 'Name of the route, the channel (`session`: session messages), the username',
  })
  key!: string;

  @ApiProperty({
    enum: [...CHANNEL_NAMES, SESSION_TRAFFIC],
    nullable: true,
    example: 'sms',
    description: 'null: of several channels',
  })
  channel!: string | null;

  @ApiProperty({ type: FiguresAnswer })
  totals!: FiguresAnswer;

  @ApiProperty({ type: String, nullable: true, ...MOMENT, description: 'Of the range; null: none came' })
  newest_receipt_at!: string | null;

  @ApiProperty({ type: [PointAnswer], description: 'Ascending; steps without anything are left out' })
  points!: PointAnswer[];
}

export class StatisticsAnswerData {
  @ApiProperty({ enum: [...RANGES], example: 'hour' })
  range!: Range;

  @ApiProperty({ enum: [...GROUPS], example: 'route' })
  by!: Group;

  @ApiProperty({ type: 'integer', example: 60 })
  step_seconds!: number;

  @ApiProperty(MOMENT)
  from!: string;

  @ApiProperty({ ...MOMENT, description: 'Exclusive' })
  to!: string;

  @ApiProperty({ type: [SeriesAnswer], maxItems: 20, description: 'Most sent first' })
  series!: SeriesAnswer[];
}

export class StatisticsAnswer extends AnswerOf(StatisticsAnswerData) {}

export interface Selection {
  range: Range;
  by: Group;
  key: string | null;
  span: Span;
}

/** Reads `range`, `by`, `key` and `to` of a query. @param groups the first is the default @throws AppError 400 */
export function readSelection(query: Record<string, unknown>, groups: readonly Group[], zone: string): Selection {
  const range = RANGES.find((word) => word === given(query['range'], 'hour'));
  if (!range) throw fieldErrors.noWord('range', RANGES);
  const by = groups.find((word) => word === given(query['by'], 'channel'));
  if (!by) throw fieldErrors.noWord('by', groups);
  const { key } = query;
  if (key !== undefined && typeof key !== 'string') throw fieldErrors.invalid('key');
  return {
    range,
    by,
    key: key === undefined || key === '' ? null : key,
    span: spanOf(range, endOf(query['to'], zone), now()),
  };
}

const given = (value: unknown, fallback: string): unknown => (value === undefined || value === '' ? fallback : value);

/** Within the limits of a column. */
const YEARS = { first: Date.UTC(2000, 0, 1), last: Date.UTC(9998, 11, 31) };

function endOf(value: unknown, zone: string): Date {
  const text = given(value, '');
  if (text === '') return now();
  const moment = typeof text === 'string' ? readMoment(text, zone) : null;
  if (!moment || moment.getTime() < YEARS.first || moment.getTime() > YEARS.last) throw fieldErrors.invalid('to');
  return moment;
}

export const StatisticsRoute = (groups: readonly Group[]): MethodDecorator =>
  applyDecorators(
    ApiQuery({ name: 'range', required: false, enum: [...RANGES], description: 'hour, where it is not given' }),
    ApiQuery({ name: 'by', required: false, enum: [...groups], description: 'channel, where it is not given' }),
    ApiQuery({
      name: 'key',
      required: false,
      example: 'sms',
      description: 'One of them alone; the 20 with most traffic, where it is not given',
    }),
    ApiQuery({
      name: 'to',
      required: false,
      example: '2026-11-22T18:05:00Z',
      description: 'End of the range, ISO 8601; now, where it is not given. Before two days ago steps are hours.',
    }),
    ApiOkResponse({ type: StatisticsAnswer }),
    ApiErrors(
      fieldErrors.noWord.shown('range', RANGES).because('another word'),
      fieldErrors.noWord.shown('by', groups).because('another word'),
      fieldErrors.invalid.shown('to').because('no moment'),
      fieldErrors.invalid.shown('key').because('there is none of that name'),
    ),
  );
