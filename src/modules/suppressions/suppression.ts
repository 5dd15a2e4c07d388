import type { RowFault } from '../../kernel/errors.js';
import { isNumbersName, isUserId } from '../../kernel/contacts.js';
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

const LONGEST_VALUE = 64;
const MOST_FAULTS = 100;
/** Reads the numbers of a file's rows, one a row, in the header's column or the first. A file may have no header. */
export class FileNumbers {
  private readonly read: ReadNumber;

  constructor(readNumber: ReadNumber) {
    this.read = orUserId(readNumber);
  }

  lines = 0;
  invalid = 0;
  /** the first hundred invalid rows; `row` counts header and empty rows too */
  readonly faults: RowFault[] = [];
  private position = 0;
  private column: number | null = null;

  /** @returns the number of a row; null = it has none */
  take(cells: readonly string[]): string | null {
    this.position += 1;
    if (cells.every((cell) => cell === '')) return null;
    if (this.column === null) {
      const isHeader = !cells.some((cell) => 'digits' in this.read(cell)) && /\p{L}/u.test(cells.join());
      this.column = isHeader ? Math.max(0, cells.findIndex(isNumbersName)) : 0;
      if (isHeader) return null;
    }
    this.lines += 1;
    const cell = cells[this.column] ?? '';
    const reading = this.read(cell);
    if ('digits' in reading) return reading.digits;
    this.invalid += 1;
    const value = (cell === '' ? cells.join(', ') : cell).slice(0, LONGEST_VALUE);
    if (this.faults.length < MOST_FAULTS)
      this.faults.push({ row: this.position, value, ...refusedNumber(reading.refused) });
    return null;
  }
}
