import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { MOST_ROW_FAULTS, type RowFault, fieldErrors } from '../../../kernel/errors.js';
import { JsonRecords } from '../../../kernel/json-records.js';
import { type Variables, MOST_VARIABLES, readVariables, TAKEN } from '../../../kernel/message-template.js';
import { objectOrNull, shownValue } from '../../../kernel/json-values.js';
import { personKey, type ReadNumber, refusedNumber } from '../../../kernel/phone-numbers.js';
import type { RecipientSource, SourcedRecipient } from '../../engine/index.js';

/** A double holds this many digits exactly, plus a leading one that preserves leading zeros. */
const MOST_DIGITS = 15;
const ZERO = 48;

export interface RepeatedNumbers {
  /** the first ones, each once, in order of repetition */
  repeated: string[];
  duplicates: number;
}

/** Finds persons whose number comes again, by sorting doubles: hashing 100,000 texts is slow, and clients could make a custom hash collide. */
export function repeatedNumbers(numbers: readonly string[], most: number): RepeatedNumbers {
  const { twice, duplicates } = alike(numbers);
  const found: RepeatedNumbers = { repeated: [], duplicates };
  if (twice.size === 0) return found;
  const seen = new Set<string>();
  for (const number of numbers) {
    if (found.repeated.length >= most || twice.size === 0) break;
    const person = personKey(number);
    if (!twice.has(person)) continue;
    if (!seen.has(person)) {
      seen.add(person);
      continue;
    }
    found.repeated.push(number);
    twice.delete(person);
  }
  return found;
}

/** Keys of the persons who come again. */
function alike(numbers: readonly string[]): { twice: Set<string>; duplicates: number } {
  const values = new Float64Array(numbers.length);
  const others = new Set<string>();
  const twice = new Set<string>();
  let count = 0;
  let duplicates = 0;
  for (const number of numbers) {
    const person = personKey(number);
    const value = valueOf(person);
    if (value !== 0) values[count++] = value;
    else if (others.has(person)) {
      twice.add(person);
      duplicates += 1;
    } else others.add(person);
  }
  const sorted = values.subarray(0, count).sort();
  for (let at = 1; at < count; at++) {
    const value = sorted[at];
    if (value !== sorted[at - 1]) continue;
    duplicates += 1;
    if (value !== sorted[at - 2]) twice.add(String(value).slice(1));
  }
  return { twice, duplicates };
}

/** The digits as a double with a leading one; 0 = not a number of at most 15 digits. */
function valueOf(number: string): number {
  if (number.length > MOST_DIGITS) return 0;
  let value = 1;
  for (let at = 0; at < number.length; at++) {
    const digit = number.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return 0;
    value = value * 10 + digit;
  }
  return value;
}

/** Recipients of a body as parallel arrays, without an object each: there may be a hundred thousand. */
export interface JsonRecipients {
  numbers: string[];
  /** by index; some are read on demand */
  variablesOf: (index: number) => Variables | undefined;
  /** row numbers in the body, from 1 */
  rows: number[];
  /** the first hundred rows that a send refuses; `invalid` counts all */
  faults: RowFault[];
  invalid: number;
  /** the first hundred repeated numbers; `duplicates` counts all repetitions */
  repeated: string[];
  duplicates: number;
  field: 'recipients' | 'contacts';
}

const NONE_GIVEN = fieldErrors.required.shown('to').text;
const TO = 'to';
const VARIABLES = 'variables';
const ROWS_AT_ONCE = 5_000;

type Reading = Pick<JsonRecipients, 'numbers' | 'rows' | 'faults' | 'invalid'> & {
  variables: Map<number, Variables | undefined>;
};

/**
 * Reads numbers, or objects of a number and variables (reference/bulk#recipients), without blocking other requests.
 * @param mostFaults rows that are named
 */
export async function readJsonRecipients(
  field: 'recipients' | 'contacts',
  entries: readonly unknown[] | JsonRecords,
  readNumber: ReadNumber,
  mostFaults = MOST_ROW_FAULTS,
): Promise<JsonRecipients> {
  const read: Reading = { numbers: [], rows: [], faults: [], invalid: 0, variables: new Map() };
  const records = entries instanceof JsonRecords ? entries : null;
  const [to, variables] = [records?.field(TO) ?? 0, records?.field(VARIABLES) ?? 0];
  for (let index = 0; index < entries.length; index++) {
    if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await yieldToOthers();
    if (records && readRecord(read, { records, to, variables }, index, readNumber)) continue;
    const entry = entries instanceof JsonRecords ? entries.item(index) : entries[index];
    const row = index + 1;
    const fault =
      field === 'contacts' ? readContact(read, entry, row, readNumber) : readEntry(read, entry, row, readNumber);
    if (fault === null) continue;
    read.invalid += 1;
    if (read.faults.length < mostFaults) read.faults.push({ row, ...fault });
  }
  const { variables: parsed, ...rest } = read;
  const variablesOf = (index: number): Variables | undefined => {
    if (!records || parsed.has(index)) return parsed.get(index);
    return records.textsOf((rest.rows[index] as number) - 1, variables);
  };
  return { ...rest, field, variablesOf, ...repeatedNumbers(rest.numbers, MOST_ROW_FAULTS) };
}

/** null = the row was added */
type Fault = Omit<RowFault, 'row'> | null;

interface RecipientRecords {
  records: JsonRecords;
  to: number;
  variables: number;
}

/** `readEntry` for a plain record, without creating an object. @returns true when it was added */
function readRecord(
  read: Reading,
  { records, to, variables }: RecipientRecords,
  index: number,
  readNumber: ReadNumber,
): boolean {
  if (!records.isPlain(index) || records.valueOf(index, variables) !== undefined) return false;
  const number = readNumber(records.valueOf(index, to));
  if ('refused' in number || !records.hasFields(index, variables, MOST_VARIABLES, TAKEN)) return false;
  add(read, number.digits, index + 1);
  return true;
}

function readContact(read: Reading, entry: unknown, row: number, readNumber: ReadNumber): Fault {
  const number = readNumber(entry);
  if ('refused' in number) return numberFault(entry, number);
  add(read, number.digits, row);
  return null;
}

function readEntry(read: Reading, entry: unknown, row: number, readNumber: ReadNumber): Fault {
  const fields = objectOrNull(entry);
  if (!fields) return { reason: 'not_an_object', message: 'recipient must be an object' };
  const to = fields[TO];
  if (to === undefined || to === null || to === '') return { reason: 'number_missing', message: NONE_GIVEN };
  const number = readNumber(to);
  if ('refused' in number) return numberFault(to, number);
  const own = readVariables(fields[VARIABLES]);
  if ('reason' in own) return { value: shownValue(to), reason: 'variables_invalid', message: own.reason };
  read.variables.set(read.numbers.length, own.variables);
  add(read, number.digits, row);
  return null;
}

const numberFault = (given: unknown, { refused }: { refused: string }): Fault => ({
  value: shownValue(given),
  ...refusedNumber(refused),
});

function add(read: Reading, number: string, row: number): void {
  read.numbers.push(number);
  read.rows.push(row);
}

/** The objects of a part are collected before V8 promotes them (docs/decisions/0065). */
const RECIPIENTS_A_PART = 1_000;

export const sourceOf = ({ numbers, variablesOf, rows }: JsonRecipients): RecipientSource => ({
  total: numbers.length,
  async *read() {
    for (let from = 0; from < numbers.length; from += RECIPIENTS_A_PART) {
      await yieldToOthers();
      const some = numbers.slice(from, from + RECIPIENTS_A_PART);
      yield some.map((number, at): SourcedRecipient => {
        const own = variablesOf(from + at);
        const row = rows[from + at] as number;
        return own ? { number, row, variables: own } : { number, row };
      });
    }
  },
});
