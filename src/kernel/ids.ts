import { randomInt } from 'node:crypto';

const EPOCH_MS = Date.UTC(2024, 0, 1);
let lastMs = 0;
let low = 0;

/**
 * A time-ordered 53-bit id: 41 bits of milliseconds since 2024, 12 bits that start at random and count up.
 * We assign primary keys of hot tables ourselves because an auto-increment table lock makes a one-row insert
 * wait for a bulk one (docs/decisions/0003). Two processes may collide in one millisecond; callers retry on a duplicate key.
 */
export function newId(): number {
  let ms = Date.now() - EPOCH_MS;
  if (ms > lastMs) low = randomInt(2048);
  else if (++low >= 4096) {
    lastMs += 1;
    low = 0;
  }
  ms = Math.max(ms, lastMs);
  lastMs = ms;
  return ms * 4096 + low;
}

/** An id as it stands in a path: digits of a positive whole number. @returns null for any other text */
export function readId(text: string): number | null {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
}

/** No id that was made before this moment is as high, none made at or after it is lower: a time range is a range of ids. */
export const firstIdAt = (at: Date): number => Math.max(0, at.getTime() - EPOCH_MS) * 4096;
