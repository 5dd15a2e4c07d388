import type { RowFault } from '../../kernel/errors.js';
import { isUserId } from '../../kernel/contacts.js';
import { type NumberReading, type ReadNumber, refusedNumber } from '../../kernel/phone-numbers.js';

export const SUPPRESSION_SOURCES = ['api', 'import', 'stop', 'carrier'] as const;
export type SuppressionSource = (typeof SUPPRESSION_SOURCES)[number];

/** A number that an account may not write to, on any channel. */
export interface Suppression {
  /** digits with country code, or the user id of a chat contact that shows no number */
  number: string;
  source: SuppressionSource;
  /** null = everything is held back */
  category: string | null;
  createdAt: Date;
}

/** A reader of numbers that takes the user ids of chat contacts too. */
export const orUserId =
  (readNumber: ReadNumber): ReadNumber =>
  (value): NumberReading =>
    typeof value === 'string' && isUserId(value.trim()) ? { digits: value.trim() } : readNumber(value);

export type NumbersFault = { fault: 'required' } | { fault: 'number'; index: number; refused: string };

export type RawNumbers = Partial<Record<'number' | 'numbers', unknown>>;

/** All numbers of a request, without duplicates; one invalid number fails the request. */
export function readNumbers(
  { number, numbers }: RawNumbers,
  readNumber: ReadNumber,
): { numbers: string[] } | NumbersFault {
  const given: unknown[] = Array.isArray(numbers) ? numbers : isEmpty(numbers) ? [] : [numbers];
  const entries = isEmpty(number) ? given : [...given, number];
  if (entries.length === 0) return { fault: 'required' };
  const read = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const reading = readNumber(entry);
    if ('refused' in reading) return { fault: 'number', index, refused: reading.refused };
    read.add(reading.digits);
  }
  return { numbers: [...read] };
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

const LONGEST_LINE = 4_096;
const LONGEST_VALUE = 64;
const MOST_FAULTS = 100;
const NUMBER_COLUMN =
  /^(number|numbers|phone|phone[ _]?number|mobile|msisdn|receiver|recipient|contact|telephone|to)$/i;

/**
 * Streams numbers of a CSV file, one per line, in the header's column or the first. A line break always ends the line: the CSV
 * library of the command line lets a stray quote swallow all following lines.
 */
export class CsvNumbers {
  private readonly read: ReadNumber;

  constructor(readNumber: ReadNumber) {
    this.read = orUserId(readNumber);
  }

  lines = 0;
  invalid = 0;
  /** the first hundred invalid lines; `row` counts header and empty lines too */
  readonly faults: RowFault[] = [];
  private position = 0;
  private rest = '';
  private skipping = false;
  private column: number | null = null;
  private taken: string[] = [];

  push(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.endLine(line);
    if (this.rest.length <= LONGEST_LINE) return;
    // The beginning is enough for the report; the rest of the line is skipped.
    if (!this.skipping) this.fault(this.position + 1, this.rest, 'is in a line that is too long');
    this.skipping = true;
    this.rest = '';
  }

  /** Ends the file: the last line may have no line break. */
  end(): void {
    if (this.rest !== '' || this.skipping) this.endLine(this.rest);
    this.rest = '';
  }

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
      const header = !cells.some((cell) => 'digits' in this.read(cell)) && /\p{L}/u.test(text);
      this.column = header
        ? Math.max(
            0,
            cells.findIndex((cell) => NUMBER_COLUMN.test(cell)),
          )
        : 0;
      if (header) return;
    }
    const cell = cells[this.column] ?? '';
    const reading = this.read(cell);
    if ('refused' in reading) return this.fault(this.position, cell === '' ? text : cell, reading.refused);
    this.lines += 1;
    this.taken.push(reading.digits);
  }

  private fault(row: number, value: string, refused: string): void {
    this.lines += 1;
    this.invalid += 1;
    if (this.faults.length < MOST_FAULTS)
      this.faults.push({ row, value: value.slice(0, LONGEST_VALUE), ...refusedNumber(refused) });
  }
}

/** Cells of a line; quoted cells may contain separators, and `""` for a quote. */
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
