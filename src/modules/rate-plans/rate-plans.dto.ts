import { ApiProperty } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { objectOrEmpty } from '../../kernel/json-values.js';
import { AnswerOf, LocalTime, PageOf, valueErrors } from '../../platform/http/index.js';
import { CHANNEL_NAMES } from '../channels/index.js';
import { MOST_CREDITS_A_SEGMENT, MOST_ROWS_A_PLAN, type Rate, rateErrors } from '../rates/index.js';

const PREFIX = /^[0-9]{0,15}$/;

export class RateData {
  @ApiProperty({ enum: [...CHANNEL_NAMES], example: 'sms' })
  channel!: string;

  @ApiProperty({ pattern: PREFIX.source, example: '91', description: "'' = every number; the longest one counts" })
  prefix!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: MOST_CREDITS_A_SEGMENT,
    example: 2,
    description: 'A part of an SMS, a block of 15 or 30 seconds of a call; a recipient on every other channel',
  })
  credits_per_segment!: number;
}

export class RatePlanHeadData {
  @ApiProperty({ example: 'wholesale' })
  name!: string;

  @ApiProperty({ type: 'integer', example: 1, description: 'One more with each change' })
  revision!: number;

  @ApiProperty({ type: 'integer', example: 2, description: 'Rows' })
  rates!: number;

  @LocalTime({ zone: 'asker' })
  created_at!: string;

  @LocalTime({ zone: 'asker' })
  updated_at!: string;
}

export class RatePlanData {
  @ApiProperty({ example: 'wholesale' })
  name!: string;

  @ApiProperty({ type: 'integer', example: 1, description: 'One more with each change' })
  revision!: number;

  @ApiProperty({ type: 'integer', example: 3, description: 'That have it, counted up to 10,000' })
  accounts!: number;

  @ApiProperty({ type: [RateData], description: 'By channel and prefix' })
  rates!: RateData[];

  @LocalTime({ zone: 'asker' })
  created_at!: string;

  @LocalTime({ zone: 'asker' })
  updated_at!: string;
}

export class RatePlanPageAnswer extends PageOf(RatePlanHeadData) {}

export class RatePlanAnswer extends AnswerOf(RatePlanData) {}

export class SavedRatePlanAnswer extends RatePlanAnswer {
  @ApiProperty({ example: 'Rate plan saved successfully' })
  message!: string;
}

export class RemovedRatePlanAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Rate plan deleted successfully' })
  message!: string;
}

/** Errors of the body in validation order. */
export const rateFaults = {
  noArray: fieldErrors.noArray.shown('rates').because('the body is none'),
  tooMany: rateErrors.tooMany.shown(MOST_ROWS_A_PLAN),
  channel: fieldErrors.noWord.shown('rates[0].channel', CHANNEL_NAMES).because('another word'),
  prefix: fieldErrors.invalid.shown('rates[0].prefix').because('not up to 15 digits'),
  credits: fieldErrors.noWholeNumber
    .shown('rates[0].credits_per_segment', 0, MOST_CREDITS_A_SEGMENT)
    .because('something else'),
  doubled: rateErrors.doubled.shown(1, 0),
};

/** Parses a plan's rows (reference/rates#plans). @throws AppError 400 for the first invalid row */
export function readRates(body: unknown, channels: readonly string[]): Rate[] {
  if (!Array.isArray(body)) throw fieldErrors.noArray('rates');
  if (body.length > MOST_ROWS_A_PLAN) throw rateErrors.tooMany(MOST_ROWS_A_PLAN);
  const rows = new Map<string, number>();
  return body.map((entry: unknown, row): Rate => {
    const { channel, prefix, credits_per_segment: credits } = objectOrEmpty(entry);
    const at = `rates[${row}]`;
    if (typeof channel !== 'string' || !channels.includes(channel)) throw fieldErrors.noWord(`${at}.channel`, channels);
    if (typeof prefix !== 'string' || !PREFIX.test(prefix)) throw fieldErrors.invalid(`${at}.prefix`);
    if (typeof credits !== 'number' || !Number.isInteger(credits) || credits < 0 || credits > MOST_CREDITS_A_SEGMENT)
      throw fieldErrors.noWholeNumber(`${at}.credits_per_segment`, 0, MOST_CREDITS_A_SEGMENT);
    const key = `${channel} ${prefix}`;
    const earlier = rows.get(key);
    if (earlier !== undefined) throw rateErrors.doubled(row, earlier);
    rows.set(key, row);
    return { channel, prefix, creditsPerSegment: credits };
  });
}

/** Parses `revision`; missing or empty = any (null). */
export function readSeen(value: unknown): number | null {
  if (value === undefined || value === '') return null;
  const revision = typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : 0;
  if (revision < 1) throw valueErrors.noRevision();
  return revision;
}
