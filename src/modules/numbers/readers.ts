import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { digitsOf } from '../../kernel/contacts.js';
import { invalid, MOST_ROW_FAULTS, type RowFault } from '../../kernel/errors.js';
import { shownValue } from '../../kernel/json-values.js';
import {
  NUMBER_REFUSALS,
  type NumberPlan,
  type NumberReading,
  type ReadNumber,
  readNumber,
  refusedNumber,
  spellingsOf,
} from '../../kernel/phone-numbers.js';
import type { AnswerWarning } from '../../platform/http/index.js';
import { dialledWithZero, planOf } from './plans.js';

export interface NumberHome {
  /** ISO 3166 code; null = not known */
  country: string | null;
}

/** What a reader needs of a channel: `readRecipient` returns null for digits that the channel does not take. */
interface Taking {
  readRecipient: (digits: unknown) => string | null;
}

const ANY: Taking = { readRecipient: String };

function taken(reading: NumberReading, { readRecipient }: Taking): NumberReading {
  if ('refused' in reading || readRecipient(reading.digits) !== null) return reading;
  return { refused: NUMBER_REFUSALS.channel };
}

/** The strict reader of an account's own endpoints (reference/numbers#reading). */
export function readerOf({ country }: NumberHome, channel: Taking = ANY): ReadNumber {
  const plan = planOf(country);
  return channel === ANY ? (value) => readNumber(value, plan) : (value) => taken(readNumber(value, plan), channel);
}

const ZERO = 48;
const ABROAD: NumberPlan = planOf(null);

/** Reads digits that were stored with their calling code: never as a national number. */
export function readStored(digits: string, channel: Taking = ANY): NumberReading {
  const isPlain = digits.charCodeAt(0) !== ZERO;
  return taken(readNumber(isPlain ? digits : `+${digits}`, ABROAD), channel);
}

/**
 * Spellings under which older versions may have kept a number: with a leading `00`, or as it is dialled at home. A number that
 * begins with a zero is read by the country first.
 */
export function keptSpellings(number: string, home: NumberHome): string[] {
  const read = number.startsWith('0') ? readerOf(home)(number) : { digits: number };
  const known = 'digits' in read ? spellingsOf(read.digits) : [number];
  const kept = known.flatMap((digits) => {
    const dialled = home.country === null ? [] : dialledWithZero(digits, home.country);
    return [digits, `00${digits}`, ...dialled];
  });
  return [...new Set([number, ...kept])];
}

const STORED = /^[0-9]{8,30}$/;

/**
 * The digits under which a wanted number may be stored: as it is read, in its other spelling, and as given. Plain digits are
 * always wanted: specified endpoints keep what the strict reader refuses.
 */
export function spellingsToFind(text: string, home: NumberHome): { numbers: string[] } | { refused: string } {
  const read = readerOf(home)(text);
  const given = text.trim();
  const asGiven = STORED.test(given) ? [given] : [];
  if ('refused' in read) return asGiven.length > 0 ? { numbers: asGiven } : read;
  return { numbers: [...new Set([...spellingsOf(read.digits), ...asGiven])] };
}

export interface StrictHome extends NumberHome {
  strictNumbers: boolean;
}

/** The numbers of a request to a specified endpoint, and how that endpoint reads them. */
export interface GivenNumbers {
  /** of the request */
  field: string;
  entries: readonly unknown[];
  /** the digits of the entry at this index; null = left out */
  taken: (index: number) => string | null;
}

export const numbersInvalid = invalid(
  'numbers_invalid',
  'Some numbers are invalid',
  'where `number_check` of the account is `refuse` or `strict_numbers` is on; `errors` names the rows, and why',
).with({
  hint: '`errors` names the rows and what is wrong with each; `number_check` and `strict_numbers` of the account decide whether such numbers are refused.',
});

const NUMBERS_AT_ONCE = 5_000;

/** Entries that the strict reader refuses or reads otherwise (reference/numbers#specified-endpoints). */
async function differing(
  home: StrictHome,
  { entries, taken }: GivenNumbers,
): Promise<{ count: number; faults: RowFault[] }> {
  const read = readerOf(home);
  const faults: RowFault[] = [];
  let count = 0;
  for (const [index, entry] of entries.entries()) {
    if (index % NUMBERS_AT_ONCE === NUMBERS_AT_ONCE - 1) await yieldToOthers();
    const digits = taken(index);
    // what the endpoint leaves out is told as such, or refused as by the strict reader
    if (digits === null && !home.strictNumbers) continue;
    const reading = read(entry);
    if ('digits' in reading && reading.digits === digits) continue;
    count += 1;
    if (faults.length < MOST_ROW_FAULTS) faults.push({ row: index + 1, value: shownValue(entry), ...why(reading) });
  }
  return { count, faults };
}

const why = (reading: { digits: string } | { refused: string }): Pick<RowFault, 'reason' | 'message'> =>
  'refused' in reading
    ? refusedNumber(reading.refused)
    : { reason: 'number_read_otherwise', message: `number reads as +${reading.digits}: write it so` };

/** @throws AppError invalid `Some numbers are invalid`, where the account wants the specified endpoints to be strict */
export async function assertStrict(home: StrictHome, given: GivenNumbers): Promise<void> {
  if (!home.strictNumbers) return;
  const { count, faults } = await differing(home, given);
  if (count === 0) return;
  // v5 answers name no rows
  const alone = given.entries.length === 1 ? faults[0]?.message : undefined;
  const help = {
    field: given.field,
    ...(alone !== undefined && { hint: `${alone}. Write it with + and its country code.` }),
  };
  throw numbersInvalid().helping(help).naming(faults);
}

/** How many numbers the strict reader would refuse or read otherwise; they are sent to all the same. */
export async function strictWarnings(home: StrictHome, given: GivenNumbers): Promise<AnswerWarning[]> {
  if (home.strictNumbers) return [];
  const { count } = await differing(home, given);
  if (count === 0) return [];
  const message = `The strict reader refuses ${count} of the numbers or reads them otherwise: they are sent to as they were cleaned`;
  return [{ code: 'numbers_look_wrong', field: given.field, count, message }];
}

/** A single number of a request. @param digits as the endpoint reads it; null = none was given */
export const oneNumber = (field: string, entry: unknown, digits: string | null): GivenNumbers => ({
  field,
  entries: digits === null ? [] : [entry],
  taken: () => digits,
});

/** How a carrier writes the number of a sender. */
export type SenderForm = 'international' | 'national' | 'open' | 'name';

const NAME = /\p{L}/u;
/** Chat gateways add the host of a contact to its number. */
const HOST = /^(\+?[0-9]{8,20})@.*$/;
const LONGEST_SENDER = 32;

/**
 * The sender of a text as we store numbers: digits with country code, where they can be read so; a short code, or a name, as it
 * is. @param country of the route, whose national numbers its carrier may write; null = not known
 */
export function readSender(given: string, form: SenderForm, country: string | null): string {
  const text = given.trim().replace(HOST, '$1').slice(0, LONGEST_SENDER);
  if (form === 'name' || NAME.test(text)) return text;
  const digits = digitsOf(text);
  const plan = planOf(country);
  const isInternational = form === 'international' || text.startsWith('+');
  if (form === 'national' && !isInternational) return plan.national?.(digits) ?? digits;
  const written = isInternational ? text.replace(/^\+?/, '+') : text;
  for (const spelling of isInternational ? [written] : [written, digits]) {
    const read = readNumber(spelling, plan);
    if ('digits' in read) return read.digits;
  }
  return isInternational ? digits.replace(/^00/, '') : digits;
}
