import { CsvError, parse } from 'csv-parse/sync';
import { Failure } from './failure.js';

const NAMES = /^(numbers?|phones?|mobiles?|contacts?|to|receivers?)$/i;
const SEPARATORS = [',', ';', '\t'] as const;

/**
 * The numbers of a CSV file, as they stand there: the API judges them. Comma, semicolon or tab; quoted fields; with or
 * without a head line.
 * @param column the head of the column; without it the first one with a usual name, else the first
 * @returns null when there is no such column
 * @throws Failure for a quote without an end, or with more than blanks behind its field
 */
export function contactsOf(text: string, column?: string): string[] | null {
  return rowsOf(text, column)?.map(({ to }) => to) ?? null;
}

/** A number and what its row says under the other heads. */
export interface ContactRow {
  to: string;
  variables?: Record<string, string>;
}

/** The same numbers with the values of their rows, by the heads of the columns; without a head line there are none. */
export function rowsOf(text: string, column?: string): ContactRow[] | null {
  const rows = readRows(text);
  const heads = rows[0]?.map((cell) => cell.trim()) ?? [];
  const headed = column !== undefined || heads.some((head) => NAMES.test(head)) || !heads.some(isNumber);
  const wanted = heads.findIndex((head) => (column === undefined ? NAMES.test(head) : head === column));
  if (column !== undefined && wanted < 0) return null;
  const index = headed ? Math.max(0, wanted) : 0;
  const named = headed
    ? heads.map((head, place) => [head, place] as const).filter(([head, place]) => head !== '' && place !== index)
    : [];
  return rows
    .slice(headed ? 1 : 0)
    .map((row) => ({
      to: (row[index] ?? '').trim(),
      ...(named.length > 0 && {
        variables: Object.fromEntries(named.map(([head, place]) => [head, row[place] ?? ''])),
      }),
    }))
    .filter(({ to }) => to !== '');
}

/**
 * A number in any spelling, also with words beside it, so that no first recipient is taken for a head; but no head that
 * names a year or a date.
 */
const isNumber = (cell: string): boolean =>
  /\d{9}/.test(cell) || (/^[\d\s()+./-]+$/.test(cell) && cell.replace(/\D/g, '').length >= 5);

/** The mark that stands most often outside quotes in the first line with something on it. */
function separatorOf(text: string): string {
  const [firstLine = ''] = text
    .replace(/"[^"]*"/g, 'quoted')
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '');
  const count = (mark: string): number => firstLine.split(mark).length;
  return SEPARATORS.reduce((best, mark) => (count(mark) > count(best) ? mark : best), ',');
}

function readRows(text: string): string[][] {
  try {
    return parse(text, {
      bom: true,
      delimiter: separatorOf(text),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_records_with_empty_values: true,
      trim: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // it would swallow every number below
    throw new Failure(error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'A quoted field has no end' : error.message);
  }
}
