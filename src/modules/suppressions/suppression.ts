import type { RowFault } from '../../kernel/errors.js';
import { isUserId, cleanContact, isWrittenNumber } from '../../kernel/contacts.js';

/** How a number came on the list: `stop` = its owner wrote a stop word. */
export const SUPPRESSION_SOURCES = ['api', 'import', 'stop'] as const;
export type SuppressionSource = (typeof SUPPRESSION_SOURCES)[number];

/** A number that an account may not write to, on any channel. */
export interface Suppression {
  /** digits with country code, or the user id of a chat contact that shows no number */
  number: string;
  source: SuppressionSource;
  createdAt: Date;
}

export const FEWEST_DIGITS = 8;
export const MOST_DIGITS = 30;

/** One number of 8 to 30 digits, cleaned of signs and spaces, or a user id; null for anything else. */
export function readSuppressedNumber(value: unknown): string | null {
  if (typeof value === 'string' && isUserId(value.trim())) return value.trim();
  if (typeof value === 'string' && !isWrittenNumber(value)) return null;
  return cleanContact(value, FEWEST_DIGITS, MOST_DIGITS);
}

/** Why a list is refused. */
export type NumbersFault = 'required' | 'digits';

/** A request's numbers as a client wrote them: `number`, or a list `numbers`. */
export type RawNumbers = Partial<Record<'number' | 'numbers', unknown>>;

/** All numbers of a request, each once; one at fault spoils the whole list. */
export function readNumbers({ number, numbers }: RawNumbers): { numbers: string[] } | { fault: NumbersFault } {
  const given: unknown[] = Array.isArray(numbers) ? numbers : isEmpty(numbers) ? [] : [numbers];
  const entries = isEmpty(number) ? given : [...given, number];
  if (entries.length === 0) return { fault: 'required' };
  const read = new Set<string>();
  for (const entry of entries) {
    const cleaned = readSuppressedNumber(entry);
    if (cleaned === null) return { fault: 'digits' };
    read.add(cleaned);
  }
  return { numbers: [...read] };
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/** What an inbound text asks for (reference/suppressions#stop-words): the whole text, in any case. */
export type ConsentWord = 'stop' | 'start';

const WORDS: ReadonlyMap<string, ConsentWord> = new Map([
  ['STOP', 'stop'],
  ['UNSUBSCRIBE', 'stop'],
  ['START', 'start'],
]);

const LONGEST_WORD_TEXT = 100;

/** @returns null for a text that is anything but one of the words */
export const consentWord = (text: string): ConsentWord | null =>
  text.length > LONGEST_WORD_TEXT ? null : (WORDS.get(text.replaceAll('\0', '').trim().toUpperCase()) ?? null);

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
