const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** The order decides between separators that fit alike. */
const SEPARATORS = [',', ';', '\t'] as const;
/** First line of files for spreadsheets: it names the separator. */
const NAMED = /^"?sep=([^\s"a-z0-9]|\t)"?[ \t]*(?:\r\n|\r|\n|$)/i;
const FIRST_ROWS = 20;

export interface Separation {
  /** null = the rows have none */
  separator: string | null;
  /** bytes of a first line that names the separator and is no row */
  skipped: number;
}

/** Collects the first rows of a text, and finds the separator outside of their quotes. */
export class FirstRows {
  private readonly chunks: Uint8Array[] = [];
  private isQuoted = false;
  private isAfterReturn = false;
  private counts = SEPARATORS.map(() => 0);
  private isBlank = true;
  private readonly rows: number[][] = [];
  size = 0;

  /** whether the header is there as a whole */
  hasHeader = false;

  /** @param isByLines a line break ends a row within quotes too */
  constructor(private readonly isByLines = false) {}

  /** @param bytes UTF-8 @returns whether these are rows enough */
  push(bytes: Uint8Array): boolean {
    this.chunks.push(bytes);
    this.size += bytes.byteLength;
    for (const byte of bytes) {
      if (byte === QUOTE) this.isQuoted = !this.isQuoted;
      if (this.isByLines && (byte === LINE_FEED || byte === CARRIAGE_RETURN)) this.isQuoted = false;
      if (this.isQuoted || byte === QUOTE) this.isBlank = false;
      else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) this.endRow(byte);
      else this.count(byte);
    }
    return this.rows.length >= FIRST_ROWS;
  }

  get pushed(): readonly Uint8Array[] {
    return this.chunks;
  }

  /**
   * The separator that a first line names; else the one that the rows have as often as the header. A header that has a known
   * name with it comes first. @param isKnown whether a cell of the header is the name of a wanted column
   */
  separation(isKnown: (cell: string) => boolean): Separation {
    const head = Buffer.concat(this.chunks).toString('utf8');
    const named = NAMED.exec(head);
    if (named?.[1] !== undefined) return { separator: named[1], skipped: Buffer.byteLength(named[0]) };
    const rows = this.isBlank ? this.rows : [...this.rows, this.counts];
    const [header = [], ...others] = rows;
    const found = SEPARATORS.map((separator, at) => {
      const count = header[at] ?? 0;
      const alike = others.filter((row) => row[at] === count).length;
      const hasKnown = count > 0 && firstCells(head, separator).some(isKnown);
      return { separator, rank: [count > 0 ? 1 : 0, hasKnown ? 1 : 0, alike, count] };
    });
    const [best] = found.sort((one, other) => compared(other.rank, one.rank));
    return { separator: best?.rank[0] === 1 ? best.separator : null, skipped: 0 };
  }

  private count(byte: number): void {
    this.isAfterReturn = false;
    this.isBlank &&= byte === 0x20;
    const at = SEPARATORS.findIndex((separator) => separator.charCodeAt(0) === byte);
    if (at >= 0) this.counts[at] = (this.counts[at] ?? 0) + 1;
  }

  private endRow(byte: number): void {
    const isSameBreak = byte === LINE_FEED && this.isAfterReturn;
    this.isAfterReturn = byte === CARRIAGE_RETURN;
    if (isSameBreak) return;
    this.hasHeader = true;
    if (!this.isBlank) this.rows.push(this.counts);
    [this.counts, this.isBlank] = [SEPARATORS.map(() => 0), true];
  }
}

function compared(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

/** Cells of the first row; what is between quotes is of one cell. */
function firstCells(text: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted) cell += sign;
    else if (sign === '\n' || sign === '\r') break;
    else if (sign !== separator) cell += sign;
    else {
      cells.push(cell.trim());
      cell = '';
    }
  }
  return [...cells, cell.trim()];
}
