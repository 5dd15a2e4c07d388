import { Failure } from './failure.js';

const NAMES = /^(numbers?|phones?|mobiles?|contacts?|to|receivers?)$/i;
const SEPARATORS = [',', ';', '\t'] as const;

/**
 * The numbers of a CSV file, as they stand there: the API judges them. Comma, semicolon or tab; quoted fields; with or
 * without a head line.
 * @param column the head of the column; without it the first one with a usual name, else the first
 * @returns null when there is no such column
 * @throws Failure for a quote without an end
 */
export function contactsOf(text: string, column?: string): string[] | null {
  const rows = readRows(text.replace(/^\uFEFF/, '')).filter((row) => row.some((cell) => cell.trim() !== ''));
  const heads = rows[0]?.map((cell) => cell.trim()) ?? [];
  const headed = column !== undefined || !heads.some(isNumber);
  const wanted = heads.findIndex((head) => (column === undefined ? NAMES.test(head) : head === column));
  if (column !== undefined && wanted < 0) return null;
  const index = headed ? Math.max(0, wanted) : 0;
  return rows
    .slice(headed ? 1 : 0)
    .map((row) => (row[index] ?? '').trim())
    .filter((cell) => cell !== '');
}

/** A number in any spelling, so that no first recipient is taken for a head. */
const isNumber = (cell: string): boolean => /\d{5}/.test(cell.replace(/[\s()+./-]/g, ''));

/** The mark that stands most often outside quotes in the first line with something on it. */
function separatorOf(text: string): string {
  const [firstLine = ''] = text
    .replace(/"[^"]*"/g, '')
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '');
  const count = (mark: string): number => firstLine.split(mark).length;
  return SEPARATORS.reduce((best, mark) => (count(mark) > count(best) ? mark : best), ',');
}

function readRows(text: string): string[][] {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const mark = text.charAt(at);
    if (quoted) {
      if (mark !== '"') cell += mark;
      else if (text[at + 1] === '"') cell += text.charAt(at++);
      else quoted = false;
    } else if (mark === '"' && cell === '') quoted = true;
    else if (mark === separator) {
      row.push(cell);
      cell = '';
    } else if (mark === '\n' || (mark === '\r' && text[at + 1] !== '\n')) {
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else if (mark !== '\r') cell += mark;
  }
  // it would swallow every number below
  if (quoted) throw new Failure('A quoted field has no end');
  rows.push([...row, cell]);
  return rows;
}
