import { ApiProperty } from '@nestjs/swagger';

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

/** A printed time of an answer: what it looks like, and in which time zone it is. */
export const LocalTime = ({ zone = 'account', description, example, nullable }: LocalTimeOptions = {}) =>
  ApiProperty({
    type: String,
    pattern: PATTERN,
    ...(nullable && { nullable }),
    example: example === undefined ? '2026-11-21 09:30:00' : example,
    description: description === undefined ? ZONES[zone] : `${description}. ${ZONES[zone]}`,
  });

/** `schedule_time` of a send, for its body. The pattern is as wide as ISO 8601: `20300131T0930Z`, `2030-W05-4T09:30` too. */
export const SCHEDULE_TIME = {
  pattern: String.raw`^\d{4}.*[ T]\d{2}`,
  description: 'YYYY-MM-DD HH:MM:SS in the time zone of the account, or ISO 8601.',
  example: '2030-01-31 09:30:00',
} as const;
