import { setImmediate as turn } from 'node:timers/promises';
import { MOST_ROW_FAULTS, type RowFault } from '../../../kernel/app-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { objectOrNull } from '../../../kernel/objects.js';
import { cutCodePoints } from '../../../kernel/text.js';
import type { Variables } from '../../../kernel/message-template.js';
import { readVariables } from '../../../kernel/variables.js';
import type { Channel, RecipientSource, SourcedRecipient } from '../../engine/index.js';
import { repeatedNumbers } from './repeated-numbers.js';

/** Recipients of a body, sorted out: lists side by side, and no object of each, of which there would be a hundred thousand. */
export interface JsonRecipients {
  numbers: string[];
  variables: (Variables | undefined)[];
  /** their places in the body, 1 = the first */
  rows: number[];
  /** rows that a send refuses: the first hundred, and how many there are */
  faults: RowFault[];
  invalid: number;
  /** numbers that stand in an earlier row too: the first hundred, and how many rows that is */
  repeated: string[];
  duplicates: number;
}

const NO_NUMBER = fieldErrors.invalid.shown('to').text;
const NONE_GIVEN = fieldErrors.required.shown('to').text;
const ROWS_A_TURN = 5_000;
const LONGEST_SHOWN = 64;

/**
 * Reads entries that are a number, or an object of a number and variables (reference/bulk#recipients). Other requests go on
 * meanwhile.
 */
export async function readJsonRecipients(
  field: 'recipients' | 'contacts',
  entries: readonly unknown[],
  readNumber: Channel['readRecipient'],
): Promise<JsonRecipients> {
  const read: JsonRecipients = {
    numbers: [],
    variables: [],
    rows: [],
    faults: [],
    invalid: 0,
    repeated: [],
    duplicates: 0,
  };
  for (let place = 0; place < entries.length; place++) {
    const entry = entries[place];
    if (place % ROWS_A_TURN === ROWS_A_TURN - 1) await turn();
    const row = place + 1;
    const fault = field === 'contacts' ? readContact(read, entry, readNumber) : readEntry(read, entry, readNumber);
    if (fault !== null) {
      read.invalid += 1;
      if (read.faults.length < MOST_ROW_FAULTS) read.faults.push({ row, ...fault });
      continue;
    }
    read.rows.push(row);
  }
  return Object.assign(read, repeatedNumbers(read.numbers, MOST_ROW_FAULTS));
}

type ReadNumber = Channel['readRecipient'];
/** What is wrong with a row; null = it was added. */
type Fault = Omit<RowFault, 'row'> | null;

function readContact(read: JsonRecipients, entry: unknown, readNumber: ReadNumber): Fault {
  const number = readNumber(entry);
  if (number === null) return { to: shown(entry), message: NO_NUMBER };
  add(read, number, undefined);
  return null;
}

function readEntry(read: JsonRecipients, entry: unknown, readNumber: ReadNumber): Fault {
  const fields = objectOrNull(entry);
  if (!fields) return { message: 'recipient must be an object' };
  const { to } = fields;
  if (to === undefined || to === null || to === '') return { message: NONE_GIVEN };
  const number = readNumber(to);
  if (number === null) return { to: shown(to), message: NO_NUMBER };
  const own = readVariables(fields['variables']);
  if ('reason' in own) return { to: shown(to), message: own.reason };
  add(read, number, own.variables);
  return null;
}

function add(read: JsonRecipients, number: string, variables: Variables | undefined): void {
  read.numbers.push(number);
  read.variables.push(variables);
}

/** What was given as a number, the start of a long one. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return '[array]';
  if (typeof value === 'object' && value !== null) return '[object]';
  return cutCodePoints(String(value), LONGEST_SHOWN);
}

const RECIPIENTS_A_PART = 5_000;

/** Recipients of a body, as a send reads them. */
export const sourceOf = ({ numbers, variables, rows }: JsonRecipients): RecipientSource => ({
  total: numbers.length,
  async *read() {
    for (let from = 0; from < numbers.length; from += RECIPIENTS_A_PART) {
      await turn();
      const some = numbers.slice(from, from + RECIPIENTS_A_PART);
      yield some.map((number, at): SourcedRecipient => {
        const own = variables[from + at];
        const row = rows[from + at] as number;
        return own ? { number, row, variables: own } : { number, row };
      });
    }
  },
});
