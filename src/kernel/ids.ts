import { randomInt } from 'node:crypto';
import { compactDate } from './clock.js';

const EPOCH_MS = Date.UTC(2024, 0, 1);
const IDS_PER_MS = 4096;
/** Processes that make ids in one millisecond keep out of each other's way: each has one of these places, by lot. */
const PLACES = 128;
const RECENT_MS = 60_000;
/** A clock that goes back this far had been wrong before: ids follow it, where small steps are waited out. */
const STEP_BACK_MS = 60_000;
let place = randomInt(PLACES);
let lastMs = 0;
let made = 0;
/** what the clock showed last; a burst takes `lastMs` ahead of it */
let shownMs = 0;

/**
 * A time-ordered 53-bit id: 41 bits of milliseconds since 2024, 5 bits that count, 7 bits of this process's place. More
 * than 32 in a millisecond take the next milliseconds' numbers. We assign primary keys of hot tables ourselves because an
 * auto-increment table lock makes a one-row insert wait for a bulk one (docs/decisions/0003). Two processes of one place
 * may collide in one millisecond: the loser of the insert draws another place (`redrawIds`) and tries again. So does a
 * process whose clock had run ahead and was set right: its ids follow the clock, because ranges of time are looked for as
 * ranges of ids, and another place keeps them apart from those that it made in these milliseconds before.
 */
export function newId(): number {
  const ms = Date.now() - EPOCH_MS;
  if (ms < shownMs - STEP_BACK_MS) {
    redrawIds();
    lastMs = ms - 1;
  }
  shownMs = ms;
  if (ms > lastMs) {
    lastMs = ms;
    made = 0;
  } else if (++made >= IDS_PER_MS / PLACES) {
    lastMs += 1;
    made = 0;
  }
  return lastMs * IDS_PER_MS + made * PLACES + place;
}

/** Another place, for a process that has met one of its own. */
export function redrawIds(): void {
  place = (place + 1 + randomInt(PLACES - 1)) % PLACES;
}

/** True for an id that was made within a minute of the last one that was made here, on clocks that differ by no more. */
export const isRecentId = (id: number): boolean => Math.abs(id / IDS_PER_MS - lastMs) < RECENT_MS;

/** An id as it stands in a path: digits of a positive whole number. @returns null for any other text */
export function readId(text: string): number | null {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
}

/**
 * No id that was made before this moment is as high (but of a burst, whose last ids lie some milliseconds ahead), none made
 * at or after it is lower: a time range is a range of ids.
 */
export const firstIdAt = (at: Date): number => Math.max(0, at.getTime() - EPOCH_MS) * IDS_PER_MS;

/** When an id was made, to the millisecond (but of a burst, see `firstIdAt`). */
export const timeOfId = (id: number): Date => new Date(Math.floor(id / IDS_PER_MS) + EPOCH_MS);

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
