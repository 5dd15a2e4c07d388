import { setImmediate as turn } from 'node:timers/promises';
import { MOST_ROW_FAULTS, type RowFault } from '../../../kernel/app-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { objectOrNull } from '../../../kernel/objects.js';
import { cutCodePoints } from '../../../kernel/text.js';
import { readVariables } from '../../../kernel/variables.js';
import type { Channel, RecipientSource, SourcedRecipient } from '../../engine/index.js';

/** Recipients of a body, sorted out. */
export interface JsonRecipients {
  recipients: SourcedRecipient[];
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
  const read: JsonRecipients = { recipients: [], faults: [], invalid: 0, repeated: [], duplicates: 0 };
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const [place, entry] of entries.entries()) {
    if (place % ROWS_A_TURN === ROWS_A_TURN - 1) await turn();
    const row = place + 1;
    const recipient = field === 'contacts' ? contactOf(entry, row, readNumber) : recipientOf(entry, row, readNumber);
    if ('message' in recipient) {
      read.invalid += 1;
      if (read.faults.length < MOST_ROW_FAULTS) read.faults.push(recipient);
      continue;
    }
    read.recipients.push(recipient);
    const { number } = recipient;
    if (!seen.has(number)) {
      seen.add(number);
      continue;
    }
    read.duplicates += 1;
    if (repeated.has(number)) continue;
    repeated.add(number);
    if (read.repeated.length < MOST_ROW_FAULTS) read.repeated.push(number);
  }
  return read;
}

/** One object of each: there are a hundred thousand of them. */
type Read = SourcedRecipient | (RowFault & { message: string });

function contactOf(entry: unknown, row: number, readNumber: Channel['readRecipient']): Read {
  const number = readNumber(entry);
  return number === null ? { row, to: shown(entry), message: NO_NUMBER } : { number, row };
}

function recipientOf(entry: unknown, row: number, readNumber: Channel['readRecipient']): Read {
  const fields = objectOrNull(entry);
  if (!fields) return { row, message: 'recipient must be an object' };
  const { to } = fields;
  if (to === undefined || to === null || to === '') return { row, message: NONE_GIVEN };
  const number = readNumber(to);
  if (number === null) return { row, to: shown(to), message: NO_NUMBER };
  const read = readVariables(fields['variables']);
  if ('reason' in read) return { row, to: shown(to), message: read.reason };
  return read.variables ? { number, row, variables: read.variables } : { number, row };
}

/** What was given as a number, the start of a long one. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return '[array]';
  if (typeof value === 'object' && value !== null) return '[object]';
  return cutCodePoints(String(value), LONGEST_SHOWN);
}

const RECIPIENTS_A_PART = 5_000;

/** Recipients that are in memory, as a send reads them. */
export const sourceOf = (recipients: readonly SourcedRecipient[]): RecipientSource => ({
  total: recipients.length,
  async *read() {
    for (let from = 0; from < recipients.length; from += RECIPIENTS_A_PART) {
      await turn();
      yield recipients.slice(from, from + RECIPIENTS_A_PART);
    }
  },
});
