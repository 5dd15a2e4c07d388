export interface WorkbookFaults {
  noWorkbook: () => Error;
  unpacked: () => Error;
  /** @param row the first row with a cell is 0 */
  longRow: (row: number) => Error;
}

export type Attributes = Record<string, string>;
/** Receives the XML of a part, with local names. */
export type Handler = Partial<{
  open: (name: string, attributes: Attributes) => void;
  text: (text: string) => void;
  close: (name: string) => void;
}>;

const MOST_TEXTS = 2_000_000;
const MOST_ROWS = 1_048_576;
/** A row has as many cells as the format allows; what stands further right counts as one more. */
const MOST_COLUMNS = 256;

/** Texts that cells share, as bytes: an array of a million texts would take several times their size. */
export class SharedTexts {
  private bytes = Buffer.alloc(64 * 1024);
  private ends = new Uint32Array(1_024);
  private count = 0;

  constructor(
    private readonly mostBytes: number,
    private readonly tooMany: () => Error,
  ) {}

  add(text: string): void {
    const start = this.startOf(this.count);
    const end = start + Buffer.byteLength(text);
    if (end > this.mostBytes || this.count >= MOST_TEXTS) throw this.tooMany();
    if (end > this.bytes.length) {
      const grown = Buffer.alloc(Math.min(Math.max(end, 2 * this.bytes.length), this.mostBytes));
      this.bytes.copy(grown);
      this.bytes = grown;
    }
    if (this.count === this.ends.length) {
      const grown = new Uint32Array(2 * this.ends.length);
      grown.set(this.ends);
      this.ends = grown;
    }
    this.bytes.write(text, start);
    this.ends[this.count++] = end;
  }

  at(index: number): string {
    if (!(index >= 0 && index < this.count)) return '';
    return this.bytes.toString('utf8', this.startOf(index), this.ends[index]);
  }

  private startOf(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] ?? 0);
  }
}

const EMPTY: string[] = [];

/** Puts the rows of a sheet together. */
export class SheetRows {
  private done: string[][] = [];
  private emitted = 0;
  private width = 0;
  private cells: string[] = [];
  private size = 0;
  private column = 0;
  private row = 0;
  private last = 0;
  private cell: { type: string; style: number } | null = null;
  private value = '';
  private isValue = false;
  private isPhonetic = false;

  readonly handler: Required<Handler> = {
    open: (name, attributes) => {
      if (name === 'row') this.begin(attributes['r']);
      else if (name === 'c') this.beginCell(attributes);
      else if (name === 'rPh') this.isPhonetic = true;
      this.isValue = this.cell !== null && (name === 'v' || (name === 't' && !this.isPhonetic));
    },
    text: (part) => {
      if (!this.isValue) return;
      this.value += part;
      this.count(part.length);
    },
    close: (name) => {
      if (name === 'v' || name === 't') this.isValue = false;
      else if (name === 'rPh') this.isPhonetic = false;
      else if (name === 'c') this.endCell();
      else if (name === 'row') this.end();
    },
  };

  constructor(
    private readonly mostBytes: number,
    private readonly faults: WorkbookFaults,
    private readonly shown: (type: string, style: number, value: string) => string,
  ) {}

  /** The rows that are complete. */
  take(): string[][] {
    const { done } = this;
    this.done = [];
    return done;
  }

  private begin(position: string | undefined): void {
    const at = Number(position);
    this.row = Number.isSafeInteger(at) && at > this.row ? at : this.row + 1;
    if (this.row > MOST_ROWS) throw this.faults.noWorkbook();
    [this.cells, this.size, this.column] = [[], 0, 0];
  }

  private beginCell({ r, t = 'n', s = '0' }: Attributes): void {
    const letters = /^([A-Za-z]{1,3})[0-9]*$/.exec(r ?? '')?.[1];
    if (letters !== undefined) this.column = columnOf(letters);
    this.cell = { type: t, style: Number(s) };
    this.value = '';
  }

  private endCell(): void {
    const { type, style } = this.cell ?? { type: 'n', style: 0 };
    this.cell = null;
    const text = this.shown(type, style, this.value).trim();
    if (type === 's') this.count(text.length);
    const at = Math.min(this.column, MOST_COLUMNS);
    this.column += 1;
    if (text === '') return;
    while (this.cells.length < at) this.cells.push('');
    this.cells[at] = text;
  }

  private count(characters: number): void {
    this.size += characters;
    if (this.size > this.mostBytes) throw this.faults.longRow(this.emitted);
  }

  /** Empty rows wait for one that is not: a sheet may be formatted down to its end. */
  private end(): void {
    if (this.cells.length === 0) return;
    const isFirst = this.emitted === 0;
    if (isFirst) this.width = this.cells.length;
    const between = isFirst ? 0 : this.row - this.last - 1;
    for (let index = 0; index < between; index++) this.done.push(EMPTY);
    while (this.cells.length < this.width) this.cells.push('');
    this.done.push(this.cells);
    this.emitted += between + 1;
    this.last = this.row;
  }
}

const LETTERS = 26;

const columnOf = (letters: string): number =>
  Array.from(letters.toUpperCase()).reduce((sum, letter) => sum * LETTERS + letter.charCodeAt(0) - 64, 0) - 1;
