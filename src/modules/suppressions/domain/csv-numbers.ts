import type { RowFault } from '../../../kernel/app-error.js';
import { readSuppressedNumber } from './suppression.js';

/** Of a line without a number. */
const NO_NUMBER = { reason: 'number_invalid', message: 'number must be between 8 and 30 digits' };
const LONGEST_LINE = 4_096;
const LONGEST_VALUE = 64;
const MOST_FAULTS = 100;
/** Columns that hold the number, where a header names them. */
const NUMBER_COLUMN =
  /^(number|numbers|phone|phone[ _]?number|mobile|msisdn|receiver|recipient|contact|telephone|to)$/i;

/**
 * Reads the numbers of a CSV file piece by piece, in bounded memory: one number a line, in the column that the header
 * names, else in the first. Cells end at comma, semicolon or tab; a line break always ends the line. Not the library
 * that reads the files of the command line: to it a stray quote opens a field that swallows the numbers of all lines
 * below, and here it must not spoil more than its own.
 */
export class CsvNumbers {
  /** lines with something on them, the header left out */
  lines = 0;
  invalid = 0;
  /** the first hundred lines at fault; `row` counts header and empty lines too */
  readonly faults: RowFault[] = [];
  private position = 0;
  private rest = '';
  private skipping = false;
  private column: number | null = null;
  private taken: string[] = [];

  /** @param text the next piece, cut anywhere */
  push(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.endLine(line);
    if (this.rest.length <= LONGEST_LINE) return;
    // The start is enough to report it; the rest of the line is let go as it comes.
    if (!this.skipping) this.fault(this.position + 1, this.rest);
    this.skipping = true;
    this.rest = '';
  }

  /** The file is over: its last line may have no line break. */
  end(): void {
    if (this.rest !== '' || this.skipping) this.endLine(this.rest);
    this.rest = '';
  }

  /** Numbers read since the last call. */
  take(): string[] {
    const numbers = this.taken;
    this.taken = [];
    return numbers;
  }

  private endLine(line: string): void {
    this.position += 1;
    if (this.skipping) {
      this.skipping = false;
      return;
    }
    const text = (this.position === 1 ? line.replace(/^\uFEFF/, '') : line).trim();
    if (text === '') return;
    const cells = cellsOf(text);
    if (this.column === null) {
      const header = !cells.some((cell) => readSuppressedNumber(cell) !== null) && /\p{L}/u.test(text);
      this.column = header
        ? Math.max(
            0,
            cells.findIndex((cell) => NUMBER_COLUMN.test(cell)),
          )
        : 0;
      if (header) return;
    }
    const cell = cells[this.column] ?? '';
    const number = readSuppressedNumber(cell);
    if (number === null) return this.fault(this.position, cell === '' ? text : cell);
    this.lines += 1;
    this.taken.push(number);
  }

  private fault(row: number, value: string): void {
    this.lines += 1;
    this.invalid += 1;
    if (this.faults.length < MOST_FAULTS) this.faults.push({ row, value: value.slice(0, LONGEST_VALUE), ...NO_NUMBER });
  }
}

/** The cells of a line; a quoted one may hold separators, and two quotes for one. */
function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(/[,;\t]/).map((cell) => cell.trim());
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const sign = line.charAt(at);
    if (sign === '"' && quoted && line[at + 1] === '"') {
      cell += sign;
      at += 1;
    } else if (sign === '"') quoted = !quoted;
    else if (!quoted && (sign === ',' || sign === ';' || sign === '\t')) {
      cells.push(cell.trim());
      cell = '';
    } else cell += sign;
  }
  return [...cells, cell.trim()];
}
