import { randomInt } from 'node:crypto';
import { compactDate } from './clock.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const FORM = /^[A-Za-z0-9._:-]{1,64}$/;
const GENERATED = /^[A-Za-z0-9-]{1,32}_\d{8}_([A-Z0-9])(?:[A-Z0-9]{5}|[A-Z0-9]{7})$/;

/**
 * `<prefix>_YYYYMMDD_<suffix>` of reference/engine#request-ids; the suffix comes from a CSPRNG, uniqueness from the
 * unique key.
 * @param cell the letter of the cell, which takes the place of the first character (reference/cells#request-ids)
 */
export function newRequestId(
  prefix: string,
  suffixLength: 6 | 8,
  { at, zone, cell = '' }: { at: Date; zone: string; cell?: string | undefined },
): string {
  let suffix = cell.toUpperCase();
  while (suffix.length < suffixLength) suffix += ALPHABET.charAt(randomInt(ALPHABET.length));
  return `${prefix}_${compactDate(at, zone)}_${suffix}`;
}

/**
 * Whether a campaign can have this id at all, a generated one or its caller's own (reference/sms#own-ids). What no campaign can
 * have is not worth a look into the database, which refuses to compare the column with anything but ASCII.
 */
export const isRequestId = (text: string): boolean => FORM.test(text);

/**
 * The cell that a generated id names. Ids from before a cell had its letter, and ids that callers chose, may name one by
 * chance: it is the first to ask, not the answer.
 * @returns null for an id of another form, and where the first character is a digit
 */
export function cellOfRequestId(id: string): string | null {
  const first = GENERATED.exec(id)?.[1]?.toLowerCase();
  return first !== undefined && /[a-z]/.test(first) ? first : null;
}
