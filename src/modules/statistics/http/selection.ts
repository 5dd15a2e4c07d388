import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { now, readMoment } from '../../../kernel/clock.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { ApiErrors } from '../../../platform/http/index.js';
import { type Group, type Range, RANGES, type Span, spanOf } from '../domain/selection.js';
import { StatisticsAnswer } from './statistics.dto.js';

/** What a request for statistics asks for. */
export interface Selection {
  range: Range;
  by: Group;
  key: string | null;
  span: Span;
}

/**
 * `range`, `by`, `key` and `to` of a query.
 * @param groups the first where none is named
 * @throws AppError 400 for what they cannot be
 */
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

/** Between the first and the last moment that a column can hold. */
const YEARS = { first: Date.UTC(2000, 0, 1), last: Date.UTC(9998, 11, 31) };

function endOf(value: unknown, zone: string): Date {
  const text = given(value, '');
  if (text === '') return now();
  const moment = typeof text === 'string' ? readMoment(text, zone) : null;
  if (!moment || moment.getTime() < YEARS.first || moment.getTime() > YEARS.last) throw fieldErrors.invalid('to');
  return moment;
}

/** Parameters, answer and errors of a statistics route, for Swagger. */
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
