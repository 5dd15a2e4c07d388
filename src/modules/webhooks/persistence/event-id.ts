import { randomBytes } from 'node:crypto';

const TIME_DIGITS = 12;

const timePart = (at: Date): string => at.getTime().toString(16).padStart(TIME_DIGITS, '0');

/** Makes ids of one batch: `evt_`, then time, chance and place, so they ascend and no two processes make the same. */
export function eventIds(at: Date): () => string {
  const batch = `evt_${timePart(at)}${randomBytes(7).toString('hex')}`;
  let place = 0;
  return () => batch + (place++).toString(16).padStart(6, '0');
}

const TEST = 'tst_';

/** The id of a test event, which is never stored as one. */
export const testEventId = (at: Date): string => `${TEST}${timePart(at)}${randomBytes(10).toString('hex')}`;

/** Whether an event of the log was a test. */
export const isTestEvent = (id: string): boolean => id.startsWith(TEST);

/** Ids of events before this moment are lower. */
export const firstEventIdAt = (at: Date): string => `evt_${timePart(at)}`;

/** When an event was recorded, by its id; 1970 for a text that is none. */
export const timeOfEventId = (id: string): Date => new Date(parseInt(id.slice(4, 4 + TIME_DIGITS), 16) || 0);

/** Whether a text can be the id of an event at all: the column is ASCII, and refuses to be compared with anything else. */
export const isEventId = (text: string): boolean => /^[\x21-\x7e]{1,40}$/.test(text);
