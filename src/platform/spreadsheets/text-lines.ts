const LONGEST_LINE = 4_096;
const LINE_BREAK = /\r\n|\n|\r/;
/** Where the rows show no separator: any of them. */
const ANY_SEPARATOR = ',;\t';
/** Ends what was cut, so that no part of a number is taken for one. */
const CUT = '…';

/**
 * Cells of a text's lines. A line break always ends the row: a quote in the wrong place spoils its own line at the most. Of a line
 * of more than 4,096 characters the beginning is a row.
 */
export class TextLines {
  private rest = '';
  private skipping = false;
  private readonly separators: string;

  constructor(separator: string | null) {
    this.separators = separator ?? ANY_SEPARATOR;
  }

  *push(text: string): Generator<string[], void, undefined> {
    const all = this.rest + text;
    // its line feed may come with the next piece
    const held = all.endsWith('\r') ? '\r' : '';
    const lines = all.slice(0, all.length - held.length).split(LINE_BREAK);
    const last = lines.pop() ?? '';
    for (const line of lines) yield* this.rowOf(line);
    this.rest = last + held;
    if (last.length <= LONGEST_LINE) return;
    if (!this.skipping) yield this.cellsOf(last.slice(0, LONGEST_LINE) + CUT);
    this.skipping = true;
    this.rest = held;
  }

  /** Ends the text: the last line may have no line break. */
  *end(): Generator<string[], void, undefined> {
    if (this.rest !== '') yield* this.rowOf(this.rest.replace('\r', ''));
    this.rest = '';
  }

  private *rowOf(line: string): Generator<string[], void, undefined> {
    const isRest = this.skipping;
    this.skipping = false;
    if (isRest) return;
    yield this.cellsOf(line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) + CUT : line);
  }

  /** Quoted cells may contain separators, and `""` for a quote. */
  private cellsOf(line: string): string[] {
    const cells: string[] = [];
    let cell = '';
    let isQuoted = false;
    for (let at = 0; at < line.length; at++) {
      const sign = line.charAt(at);
      if (sign === '"' && isQuoted && line[at + 1] === '"') {
        cell += sign;
        at += 1;
      } else if (sign === '"') isQuoted = !isQuoted;
      else if (!isQuoted && this.separators.includes(sign)) {
        cells.push(cell.trim());
        cell = '';
      } else cell += sign;
    }
    return [...cells, cell.trim()];
  }
}
