import { ApiProperty } from '@nestjs/swagger';
import { CHANNEL_NAMES } from '../../channels/index.js';
import { AnswerOf } from '../../../platform/http/index.js';
import type { ShownFigures } from '../figures.js';
import { SESSION_TRAFFIC } from '../../traffic/index.js';
import { type Group, GROUPS, type Range, RANGES } from '../domain/selection.js';

const COUNT = { type: 'integer', example: 1200 } as const;
const MOMENT = { format: 'date-time', example: '2026-11-22T18:04:00.000Z' } as const;

/** Figures of a step, or of all of them together. */
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

/** A step in which something happened. */
export class PointAnswer extends FiguresAnswer {
  @ApiProperty({ ...MOMENT, description: 'Its beginning (UTC)' })
  at!: string;
}

/** One route, channel or account. */
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
