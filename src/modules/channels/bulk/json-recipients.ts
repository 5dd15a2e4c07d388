import { setImmediate as turn } from 'node:timers/promises';
import { MOST_ROW_FAULTS, type RowFault, fieldErrors } from '../../../kernel/errors.js';
import { JsonRecords } from '../../../kernel/json-records.js';
import { type Variables, MOST_VARIABLES, readVariables, TAKEN } from '../../../kernel/message-template.js';
import { objectOrNull, shownValue } from '../../../kernel/json-values.js';
import type { Channel, RecipientSource, SourcedRecipient } from '../../engine/index.js';

/** Digits that a number of JavaScript tells apart, with a one before them that keeps leading zeros. */
const MOST_DIGITS = 15;
const ZERO = 48;

/** Numbers that stand in an earlier place too. */
export interface RepeatedNumbers {
  /** the first ones, each once, in the order in which they come again */
  repeated: string[];
  /** places whose number came before */
  duplicates: number;
}

/**
 * Finds what comes more than once. By sorting the numbers as numbers: the hashes of a hundred thousand texts take as long as
 * reading them does, and a hash of our own would be one that a sender can make collide.
 * @param most that are named
 */
export function repeatedNumbers(numbers: readonly string[], most: number): RepeatedNumbers {
  const { twice, duplicates } = alike(numbers);
  const found: RepeatedNumbers = { repeated: [], duplicates };
  if (twice.size === 0) return found;
  const seen = new Set<string>();
  for (const number of numbers) {
    if (found.repeated.length >= most || twice.size === 0) break;
    if (!twice.has(number)) continue;
    if (!seen.has(number)) {
      seen.add(number);
      continue;
    }
    found.repeated.push(number);
    twice.delete(number);
  }
  return found;
}

/** The numbers that come more than once, and how often they do so beyond the first time. */
function alike(numbers: readonly string[]): { twice: Set<string>; duplicates: number } {
  const values = new Float64Array(numbers.length);
  const others = new Set<string>();
  const twice = new Set<string>();
  let count = 0;
  let duplicates = 0;
  for (const number of numbers) {
    const value = valueOf(number);
    if (value !== 0) values[count++] = value;
    else if (others.has(number)) {
      twice.add(number);
      duplicates += 1;
    } else others.add(number);
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

/** The digits with a one before them; 0 = it is no number of as many digits. */
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

/** Recipients of a body, sorted out: lists side by side, and no object of each, of which there would be a hundred thousand. */
export interface JsonRecipients {
  numbers: string[];
  /** of the recipient in this place: of some they are read whenever they are asked for */
  variablesOf: (place: number) => Variables | undefined;
  /** their places in the body, 1 = the first */
  rows: number[];
  /** rows that a send refuses: the first hundred, and how many there are */
  faults: RowFault[];
  invalid: number;
  /** numbers that stand in an earlier row too: the first hundred, and how many rows that is */
  repeated: string[];
  duplicates: number;
  /** of the body */
  field: 'recipients' | 'contacts';
}

const NO_NUMBER = fieldErrors.invalid.shown('to').text;
const NONE_GIVEN = fieldErrors.required.shown('to').text;
const TO = 'to';
const VARIABLES = 'variables';
const ROWS_A_TURN = 5_000;

/** Recipients in the making. */
type Reading = Pick<JsonRecipients, 'numbers' | 'rows' | 'faults' | 'invalid'> & {
  /** by place, of those whose entry was an object; the others' are read when they are asked for */
  variables: Map<number, Variables | undefined>;
};

/**
 * Reads entries that are a number, or an object of a number and variables (reference/bulk#recipients). Other requests go on
 * meanwhile.
 */
export async function readJsonRecipients(
  field: 'recipients' | 'contacts',
  entries: readonly unknown[] | JsonRecords,
  readNumber: Channel['readRecipient'],
): Promise<JsonRecipients> {
  const read: Reading = { numbers: [], rows: [], faults: [], invalid: 0, variables: new Map() };
  const records = entries instanceof JsonRecords ? entries : null;
  const [to, variables] = [records?.field(TO) ?? 0, records?.field(VARIABLES) ?? 0];
  for (let place = 0; place < entries.length; place++) {
    if (place % ROWS_A_TURN === ROWS_A_TURN - 1) await turn();
    if (records && readRecord(read, { records, to, variables }, place, readNumber)) continue;
    const entry = entries instanceof JsonRecords ? entries.item(place) : entries[place];
    const row = place + 1;
    const fault =
      field === 'contacts' ? readContact(read, entry, row, readNumber) : readEntry(read, entry, row, readNumber);
    if (fault === null) continue;
    read.invalid += 1;
    if (read.faults.length < MOST_ROW_FAULTS) read.faults.push({ row, ...fault });
  }
  const { variables: parsed, ...rest } = read;
  const variablesOf = (place: number): Variables | undefined => {
    if (!records || parsed.has(place)) return parsed.get(place);
    return records.textsOf((rest.rows[place] as number) - 1, variables);
  };
  return { ...rest, field, variablesOf, ...repeatedNumbers(rest.numbers, MOST_ROW_FAULTS) };
}

type ReadNumber = Channel['readRecipient'];
/** What is wrong with a row; null = it was added. */
type Fault = Omit<RowFault, 'row'> | null;

/** A list, and which of its fields are those of recipients. */
interface RecipientRecords {
  records: JsonRecords;
  to: number;
  variables: number;
}

/** The same as `readEntry`, of an entry without anything unusual, and without an object of it. @returns whether it was added */
function readRecord(
  read: Reading,
  { records, to, variables }: RecipientRecords,
  place: number,
  readNumber: ReadNumber,
): boolean {
  if (!records.isPlain(place) || records.valueOf(place, variables) !== undefined) return false;
  const number = readNumber(records.valueOf(place, to));
  if (number === null || !records.hasFields(place, variables, MOST_VARIABLES, TAKEN)) return false;
  add(read, number, place + 1);
  return true;
}

function readContact(read: Reading, entry: unknown, row: number, readNumber: ReadNumber): Fault {
  const number = readNumber(entry);
  if (number === null) return numberFault(entry);
  add(read, number, row);
  return null;
}

function readEntry(read: Reading, entry: unknown, row: number, readNumber: ReadNumber): Fault {
  const fields = objectOrNull(entry);
  if (!fields) return { reason: 'not_an_object', message: 'recipient must be an object' };
  const to = fields[TO];
  if (to === undefined || to === null || to === '') return { reason: 'number_missing', message: NONE_GIVEN };
  const number = readNumber(to);
  if (number === null) return numberFault(to);
  const own = readVariables(fields[VARIABLES]);
  if ('reason' in own) return { value: shownValue(to), reason: 'variables_invalid', message: own.reason };
  read.variables.set(read.numbers.length, own.variables);
  add(read, number, row);
  return null;
}

const numberFault = (given: unknown): Fault => ({
  value: shownValue(given),
  reason: 'number_invalid',
  message: NO_NUMBER,
});

function add(read: Reading, number: string, row: number): void {
  read.numbers.push(number);
  read.rows.push(row);
}

/** Few enough for their objects to be gone before any of them is moved. */
const RECIPIENTS_A_PART = 1_000;

/** Recipients of a body, as a send reads them. */
export const sourceOf = ({ numbers, variablesOf, rows }: JsonRecipients): RecipientSource => ({
  total: numbers.length,
  async *read() {
    for (let from = 0; from < numbers.length; from += RECIPIENTS_A_PART) {
      await turn();
      const some = numbers.slice(from, from + RECIPIENTS_A_PART);
      yield some.map((number, at): SourcedRecipient => {
        const own = variablesOf(from + at);
        const row = rows[from + at] as number;
        return own ? { number, row, variables: own } : { number, row };
      });
    }
  },
});
