import { ApiProperty } from '@nestjs/swagger';
import { type ClockChange, clockChangeOf } from '../../kernel/clock.js';
import type { AnswerWarning } from './answer-warnings.js';

const ZONES = {
  account: 'In the time zone of the account',
  asker: 'In the time zone of the account that asks',
} as const;

interface LocalTimeOptions {
  /** whose zone it is; `account` = the one whose thing it is */
  zone?: keyof typeof ZONES;
  /** beside the zone, which is always said */
  description?: string;
  example?: string | null;
  nullable?: true;
}

/** YYYY-MM-DD HH:MM:SS, as a pattern: it is no `date-time`, since it names no offset (reference/requests#dates). */
const PATTERN = String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`;

const timeProperty =
  (form: { pattern: string } | { format: string }, usual: string) =>
  ({ zone = 'account', description, example, nullable }: LocalTimeOptions = {}) =>
    ApiProperty({
      type: String,
      ...form,
      ...(nullable && { nullable }),
      example: example === undefined ? usual : example,
      description: description === undefined ? ZONES[zone] : `${description}. ${ZONES[zone]}`,
    });

/** A printed time of an answer: what it looks like, and in which time zone it is. */
export const LocalTime = timeProperty({ pattern: PATTERN }, '2026-11-21 09:30:00');

/** A moment of an answer with the offset of its zone: what is to come may be in an hour that clocks show twice. */
export const ZonedTime = timeProperty({ format: 'date-time' }, '2030-01-31T09:30:00+05:30');

/** `schedule_time` of a send, for its body. The pattern is as wide as ISO 8601: `20300131T0930Z`, `2030-W05-4T09:30` too. */
export const SCHEDULE_TIME = {
  pattern: String.raw`^\d{4}.*[ T]\d{2}`,
  description:
    'YYYY-MM-DD HH:MM:SS in the time zone of the account, or ISO 8601. A local time that clocks skip is the first instant after the gap, ' +
    'one that they show twice the earlier instant.',
  example: '2030-01-31 09:30:00',
} as const;

const CHANGES: Readonly<Record<ClockChange, string>> = {
  skipped: 'Clocks skip this time: it is the first instant after the gap',
  repeated: 'Clocks show this time twice: it is the earlier instant that is still to come',
};

/** The hint about a `schedule_time` that a change of the clocks has an effect on. */
export const clockWarnings = (change: ClockChange | null): AnswerWarning[] =>
  change === null ? [] : [{ code: 'schedule_time_moved', field: 'schedule_time', message: CHANGES[change] }];

/** The same for the `schedule_time` of a request. @param zone of the account */
export const scheduleWarnings = (value: unknown, zone: string): AnswerWarning[] =>
  clockWarnings(clockChangeOf(value, zone));
