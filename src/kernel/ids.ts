import { randomInt } from 'node:crypto';
import { compactDate } from './clock.js';

const EPOCH_MS = Date.UTC(2024, 0, 1);
const IDS_PER_MS = 4096;
// Each process draws one of these numbers, so that ids made in the same millisecond rarely collide.
const PLACES = 128;
const RECENT_MS = 60_000;
// After a larger step back, ids follow the clock; smaller steps are waited out.
const STEP_BACK_MS = 60_000;
let place = randomInt(PLACES);
let lastMs = 0;
let made = 0;
// the last clock reading; a burst moves `lastMs` ahead of it
let shownMs = 0;

/**
 * Makes a time-ordered 53-bit id: 41 bits of milliseconds since 2024, a 5-bit counter, a 7-bit process number.
 * Hot tables get assigned keys because an auto-increment lock makes a one-row insert wait for a bulk one
 * (docs/decisions/0003). If two processes share a number, the loser of an insert calls `redrawIds` and retries. A clock that
 * is set back far also redraws: ids follow it, and the new number keeps them apart from the ids of those milliseconds.
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

/** Draws another process number after a collision. */
export function redrawIds(): void {
  place = (place + 1 + randomInt(PLACES - 1)) % PLACES;
}

/** True for an id made within a minute of this process's last id, if the clocks agree that well. */
export const isRecentId = (id: number): boolean => Math.abs(id / IDS_PER_MS - lastMs) < RECENT_MS;

/** Reads an id in a path: digits of a positive safe integer; null for other text. */
export function readId(text: string): number | null {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
}

/** The lowest id of this instant or later: a time range is an id range (a burst's last ids lie some milliseconds ahead). */
export const firstIdAt = (at: Date): number => Math.max(0, at.getTime() - EPOCH_MS) * IDS_PER_MS;

/** The instant an id was made, to the millisecond (except in a burst, see `firstIdAt`). */
export const timeOfId = (id: number): Date => new Date(Math.floor(id / IDS_PER_MS) + EPOCH_MS);

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const FORM = /^[A-Za-z0-9._:-]{1,64}$/;
const GENERATED = /^[A-Za-z0-9-]{1,32}_\d{8}_([A-Z0-9])(?:[A-Z0-9]{5}|[A-Z0-9]{7})$/;

/** `<prefix>_YYYYMMDD_<suffix>` (reference/engine#request-ids); suffix begins with the cell (reference/cells#request-ids). */
export function newRequestId(
  prefix: string,
  suffixLength: 6 | 8,
  { at, zone, cell = '' }: { at: Date; zone: string; cell?: string | undefined },
): string {
  let suffix = cell.toUpperCase();
  while (suffix.length < suffixLength) suffix += ALPHABET.charAt(randomInt(ALPHABET.length));
  return `${prefix}_${compactDate(at, zone)}_${suffix}`;
}

/** Whether a campaign can have this id (reference/sms#own-ids). Check before a query: the ASCII column refuses other text. */
export const isRequestId = (text: string): boolean => FORM.test(text);

/** The cell that a generated id names, else null. A hint only: older ids and callers' own ids may name a cell by chance. */
export function cellOfRequestId(id: string): string | null {
  const first = GENERATED.exec(id)?.[1]?.toLowerCase();
  return first !== undefined && /[a-z]/.test(first) ? first : null;
}

/** Where a message is kept: a recipient of a campaign, a session message, an inbound SMS, an inbound chat message. */
export type MessageKey = { kind: 'out'; campaignId: number; seq: number } | { kind: 'ses' | 'in' | 'chat'; id: number };

/** The id of a message (reference/messages#ids): stable, unique over all kinds. */
export const messageId = (key: MessageKey): string =>
  key.kind === 'out' ? `out_${key.campaignId}_${key.seq}` : `${key.kind}_${key.id}`;

const MESSAGE_ID = /^(?:(out)_([1-9][0-9]{0,15})_([1-9][0-9]{0,9})|(ses|in|chat)_([1-9][0-9]{0,15}))$/;

/** The key of such an id; null = it is none */
export function readMessageId(text: string): MessageKey | null {
  const [, out, campaign, seq, kind, id] = MESSAGE_ID.exec(text) ?? [];
  const number = Number(out ? campaign : id);
  if (!Number.isSafeInteger(number)) return null;
  return out
    ? { kind: 'out', campaignId: number, seq: Number(seq) }
    : { kind: kind as 'ses' | 'in' | 'chat', id: number };
}
