const NAMES = /^(numbers?|phones?|mobiles?|contacts?|to|receivers?)$/i;

/**
 * The numbers of a CSV file, as they stand there: the API judges them. Comma, semicolon or tab; quoted fields; with or
 * without a head line.
 * @param column the head of the column; without it the first one with a usual name, else the first
 * @returns null when there is no such column
 */
export function contactsOf(text: string, column?: string): string[] | null {
  const rows = readRows(text.replace(/^\uFEFF/, '')).filter((row) => row.some((cell) => cell.trim() !== ''));
  const heads = rows[0]?.map((cell) => cell.trim()) ?? [];
  const headed = column !== undefined || !heads.some((cell) => /\d{5}/.test(cell));
  const wanted = heads.findIndex((head) => (column === undefined ? NAMES.test(head) : head === column));
  if (column !== undefined && wanted < 0) return null;
  const index = headed ? Math.max(0, wanted) : 0;
  return rows
    .slice(headed ? 1 : 0)
    .map((row) => (row[index] ?? '').trim())
    .filter((cell) => cell !== '');
}

function readRows(text: string): string[][] {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/));
  const separator = [',', ';', '\t'].find((mark) => firstLine.includes(mark)) ?? ',';
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
    } else if (mark === '\n') {
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else if (mark !== '\r') cell += mark;
  }
  rows.push([...row, cell]);
  return rows;
}
