import type { RowFault } from '../../../kernel/errors.js';
import { LONGEST_VARIABLE_NAME, MOST_VARIABLES } from '../../../kernel/message-template.js';
import { type ReadNumber, refusedNumber } from '../../../kernel/phone-numbers.js';
import { codePoints, cutCodePoints } from '../../../kernel/text.js';
import { isTooLarge, type KeptRecipient, valueText, VARIABLE_REASONS } from './recipient.js';

/** The columns of a file: every column but the number's is a variable. */
export interface CsvLayout {
  columns: readonly string[];
  numberAt: number;
}

export type HeaderFault =
  | { fault: 'tooManyColumns' | 'noNumberColumn' | 'severalNumberColumns' | 'unknownNumberColumn' }
  | { fault: 'unnamedColumn' | 'longColumn'; column: number }
  | { fault: 'sameColumns'; name: string };

const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const TAB = 0x09;
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Names of the number's column, lower case, letters and digits only. */
export const NUMBER_COLUMNS: ReadonlySet<string> = new Set([
  'to',
  'phone',
  'phonenumber',
  'phoneno',
  'mobile',
  'mobilenumber',
  'mobileno',
  'number',
  'msisdn',
  'contact',
  'contactnumber',
  'contactno',
  'receiver',
  'recipient',
  'tel',
  'telephone',
  'telephonenumber',
  'cell',
  'cellphone',
]);

/** Finds the delimiter: the most frequent of comma, semicolon and tab in the header, outside of quotes; else comma. */
export class HeadScan {
  private isQuoted = false;
  private readonly counts = { [COMMA]: 0, [SEMICOLON]: 0, [TAB]: 0 };

  /** @returns whether the header has ended */
  push(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      if (byte === QUOTE) this.isQuoted = !this.isQuoted;
      else if (this.isQuoted) continue;
      else if (byte === COMMA || byte === SEMICOLON || byte === TAB) this.counts[byte] += 1;
      else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) return true;
    }
    return false;
  }

  get delimiter(): ',' | ';' | '\t' {
    const { [COMMA]: commas, [SEMICOLON]: semicolons, [TAB]: tabs } = this.counts;
    if (commas >= Math.max(semicolons, tabs)) return ',';
    return semicolons >= tabs ? ';' : '\t';
  }
}

const OTHER = String.raw`[^\p{L}\p{M}\p{N}_-]+`;
const AROUND = new RegExp(`^${OTHER}|${OTHER}$`, 'gu');
const WITHIN = new RegExp(OTHER, 'gu');

/** Variable name of a column: `_` replaces characters that placeholders do not allow, and both ends are trimmed. */
export const variableOf = (cell: string): string => cell.replace(AROUND, '').replace(WITHIN, '_');

const bare = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, '');

/** Reads the cells of a header. @param wanted name of the number's column; null = find it */
export function readHeader(cells: readonly string[], wanted: string | null): CsvLayout | HeaderFault {
  if (cells.length > MOST_VARIABLES + 1) return { fault: 'tooManyColumns' };
  const long = cells.findIndex((cell) => cell.length > 4 * LONGEST_VARIABLE_NAME);
  if (long >= 0) return { fault: 'longColumn', column: long + 1 };
  const columns = cells.map(variableOf);
  const seen = new Set<string>();
  for (const [at, name] of columns.entries()) {
    if (name === '') return { fault: 'unnamedColumn', column: at + 1 };
    if (codePoints(name) > LONGEST_VARIABLE_NAME) return { fault: 'longColumn', column: at + 1 };
    if (seen.has(name)) return { fault: 'sameColumns', name };
    seen.add(name);
  }
  const found = numberColumn(cells, columns, wanted);
  return typeof found === 'number' ? { columns, numberAt: found } : found;
}

function numberColumn(
  cells: readonly string[],
  columns: readonly string[],
  wanted: string | null,
): number | HeaderFault {
  if (wanted !== null) {
    const named = wanted.trim().slice(0, 4 * LONGEST_VARIABLE_NAME);
    const matches = [
      cells.indexOf(named),
      columns.indexOf(named),
      columns.findIndex((name) => name.toLowerCase() === variableOf(named).toLowerCase()),
    ];
    return matches.find((at) => at >= 0) ?? { fault: 'unknownNumberColumn' };
  }
  const found = columns.flatMap((name, at) => (NUMBER_COLUMNS.has(bare(name)) ? [at] : []));
  if (found.length > 1) return { fault: 'severalNumberColumns' };
  return found[0] ?? { fault: 'noNumberColumn' };
}

export interface UploadRow extends KeptRecipient {
  /** 1 = the first below the header */
  row: number;
}

export type InvalidRow = Required<Pick<RowFault, 'row' | 'value' | 'reason' | 'message'>>;

const LONGEST_SHOWN = 64;

/** Reads the rows below a header. */
export class RowReader {
  /** name of each variable as a JSON key, by column; null = the number */
  private readonly keys: readonly (string | null)[];

  constructor(
    private readonly layout: CsvLayout,
    private readonly readNumber: ReadNumber,
  ) {
    const { columns, numberAt } = layout;
    this.keys = columns.map((name, at) => (at === numberAt ? null : `${JSON.stringify(name)}:`));
  }

  /** @returns null for an empty row */
  read(cells: readonly string[], row: number): UploadRow | InvalidRow | null {
    const { columns, numberAt } = this.layout;
    const given = cells[numberAt] ?? '';
    if (given === '' && cells.every((cell) => cell === '')) return null;
    const value = cutCodePoints(given, LONGEST_SHOWN);
    const leftOut = (reason: string, message: string): InvalidRow => ({ row, value, reason, message });
    if (cells.length !== columns.length)
      return leftOut('cells_differ', `${cells.length} cells, the header has ${columns.length}`);
    const read = this.readNumber(given);
    if ('refused' in read) return { row, value, ...refusedNumber(read.refused) };
    if (columns.length === 1) return { row, number: read.digits, variables: null };
    let variables = '';
    for (const [at, key] of this.keys.entries()) {
      const cell = cells[at] as string;
      if (key === null || cell === '') continue;
      const text = valueText(cell);
      if (text === null) return leftOut('variables_invalid', VARIABLE_REASONS.tooLong(columns[at] as string));
      variables += (variables === '' ? '' : ',') + key + text;
    }
    variables = `{${variables}}`;
    return isTooLarge(variables)
      ? leftOut('variables_invalid', VARIABLE_REASONS.tooLarge)
      : { row, number: read.digits, variables };
  }
}

export const isInvalid = (read: UploadRow | InvalidRow): read is InvalidRow => 'reason' in read;
