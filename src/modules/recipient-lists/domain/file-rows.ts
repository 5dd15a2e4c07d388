import { isNumberName } from '../../../kernel/contacts.js';
import type { RowFault } from '../../../kernel/errors.js';
import { LONGEST_VARIABLE_NAME, MOST_VARIABLES } from '../../../kernel/message-template.js';
import { type ReadNumber, refusedNumber } from '../../../kernel/phone-numbers.js';
import { codePoints, cutCodePoints } from '../../../kernel/text.js';
import { isTooLarge, type KeptRecipient, valueText, VARIABLE_REASONS } from './recipient.js';

/** The columns of a file: every column but the number's is a variable. */
export interface FileLayout {
  columns: readonly string[];
  numberAt: number;
}

export type HeaderFault =
  | { fault: 'tooManyColumns' | 'noNumberColumn' | 'severalNumberColumns' | 'unknownNumberColumn' }
  | { fault: 'unnamedColumn' | 'longColumn'; column: number }
  | { fault: 'sameColumns'; name: string };

const OTHER = String.raw`[^\p{L}\p{M}\p{N}_-]+`;
const AROUND = new RegExp(`^${OTHER}|${OTHER}$`, 'gu');
const WITHIN = new RegExp(OTHER, 'gu');

/** Variable name of a column: `_` replaces characters that placeholders do not allow, and both ends are trimmed. */
export const variableOf = (cell: string): string => cell.replace(AROUND, '').replace(WITHIN, '_');

/** Whether a cell of a header names the number's column. @param wanted null = by one of its usual names */
export const isNumberColumn = (cell: string, wanted: string | null): boolean =>
  wanted === null
    ? isNumberName(cell)
    : cell !== '' && variableOf(cell).toLowerCase() === variableOf(wanted).toLowerCase();

/** Cells without the empty ones at the end, which spreadsheets add. */
function withoutEnd(cells: readonly string[]): readonly string[] {
  const last = cells.findLastIndex((cell) => cell !== '');
  return last < 0 || last === cells.length - 1 ? cells : cells.slice(0, last + 1);
}

/** Reads the cells of a header. @param wanted name of the number's column; null = find it */
export function readHeader(given: readonly string[], wanted: string | null): FileLayout | HeaderFault {
  const cells = withoutEnd(given);
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
  const found = columns.flatMap((name, at) => (isNumberName(name) ? [at] : []));
  if (found.length > 1) return { fault: 'severalNumberColumns' };
  return found[0] ?? { fault: 'noNumberColumn' };
}

export interface UploadRow extends KeptRecipient {
  /** 1 = the first below the header */
  row: number;
}

/** A row that is left out. */
export interface InvalidRow extends Required<Pick<RowFault, 'row' | 'value' | 'reason' | 'message'>> {
  /** as given */
  cells: readonly string[];
}

const LONGEST_SHOWN = 64;

/** Cells without empty ones behind the last column. */
function atLeast(columns: number, cells: readonly string[]): readonly string[] {
  const last = cells.findLastIndex((cell) => cell !== '');
  return cells.slice(0, Math.max(columns, last + 1));
}

/** Reads the rows below a header. */
export class RowReader {
  /** name of each variable as a JSON key, by column; null = the number */
  private readonly keys: readonly (string | null)[];

  constructor(
    private readonly layout: FileLayout,
    private readonly readNumber: ReadNumber,
  ) {
    const { columns, numberAt } = layout;
    this.keys = columns.map((name, at) => (at === numberAt ? null : `${JSON.stringify(name)}:`));
  }

  /** @returns null for an empty row */
  read(given: readonly string[], row: number): UploadRow | InvalidRow | null {
    const { columns, numberAt } = this.layout;
    const cells = given.length > columns.length ? atLeast(columns.length, given) : given;
    const to = cells[numberAt] ?? '';
    if (to === '' && cells.every((cell) => cell === '')) return null;
    const value = cutCodePoints(to, LONGEST_SHOWN);
    const leftOut = (reason: string, message: string): InvalidRow => ({ row, value, reason, message, cells });
    if (cells.length !== columns.length)
      return leftOut('cells_differ', `${cells.length} cells, the header has ${columns.length}`);
    const read = this.readNumber(to);
    if ('refused' in read) return { row, value, ...refusedNumber(read.refused), cells };
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
