import type { Readable } from 'node:stream';
import sax from 'sax';
import { type Entry, fromFd, type ZipFile } from 'yauzl';
import { type Attributes, type Handler, SharedTexts, SheetRows, type WorkbookFaults } from './sheet-rows.js';

/** Bounds against files that unpack to more than they look like; bytes where nothing else is said. */
export interface WorkbookBounds {
  /** of all parts that are read, together */
  unpacked: number;
  /** of one row's text */
  row: number;
  /** of the texts that cells share */
  texts: number;
}

const MOST_ENTRIES = 10_000;
const DEEPEST_TAG = 64;
const MOST_ATTRIBUTES = 256;
const MOST_STYLES = 100_000;
const RELATIONS = '_rels/.rels';

/** Local name of an element: some programs write `x:row`. */
const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The first visible sheet of an Office Open XML workbook (.xlsx), row by row, in bounded memory. */
export class Workbook {
  /** name of the sheet, when its rows are read */
  sheet: string | null = null;
  private readonly entries = new Map<string, Entry>();
  private unpacked = 0;
  private readonly texts: SharedTexts;
  private dates: boolean[] = [];
  private from1904 = false;

  private constructor(
    private readonly zip: ZipFile,
    private readonly bounds: WorkbookBounds,
    private readonly faults: WorkbookFaults,
  ) {
    this.texts = new SharedTexts(bounds.texts, faults.unpacked);
  }

  /** Leaves the file open. @param descriptor of the file @throws the error of `faults.noWorkbook` */
  static async open(descriptor: number, bounds: WorkbookBounds, faults: WorkbookFaults): Promise<Workbook> {
    const zip = await new Promise<ZipFile>((resolve, reject) => {
      fromFd(descriptor, { lazyEntries: true, autoClose: false }, (error, opened) => {
        if (error) reject(faults.noWorkbook());
        else resolve(opened);
      });
    });
    const workbook = new Workbook(zip, bounds, faults);
    try {
      await workbook.readDirectory();
    } catch (error) {
      workbook.close();
      throw error;
    }
    return workbook;
  }

  close(): void {
    this.zip.close();
  }

  /**
   * Cells of the rows from the first one with a cell to the last one; empty rows between them are empty. A row has at least as many
   * cells as the first.
   */
  async *rows(): AsyncGenerator<string[], void, undefined> {
    const main = await this.targetOf(RELATIONS, '', 'officeDocument');
    if (main === null) throw this.faults.noWorkbook();
    const folder = main.slice(0, main.lastIndexOf('/') + 1);
    const relations = `${folder}_rels/${main.slice(folder.length)}.rels`;
    const sheet = await this.readMain(main);
    const path = sheet && (await this.targetOf(relations, folder, sheet.id));
    if (!sheet || path === null) throw this.faults.noWorkbook();
    this.sheet = sheet.name;
    await this.readStyles(await this.targetOf(relations, folder, 'styles'));
    await this.readTexts(await this.targetOf(relations, folder, 'sharedStrings'));
    yield* this.rowsOf(path);
  }

  private readDirectory(): Promise<void> {
    const { zip, entries } = this;
    return new Promise((resolve, reject) => {
      const refuse = (): void => reject(this.faults.noWorkbook());
      zip.on('error', refuse);
      zip.on('end', resolve);
      zip.on('entry', (entry: Entry) => {
        entries.set(entry.fileName, entry);
        if (entries.size > MOST_ENTRIES) refuse();
        else zip.readEntry();
      });
      zip.readEntry();
    });
  }

  /** Path of the related part by its id or the end of its type; null = none. */
  private async targetOf(relations: string, folder: string, wanted: string): Promise<string | null> {
    const found: string[] = [];
    await this.readAll(relations, {
      open: (name, { Id, Type, Target, TargetMode }) => {
        if (name !== 'Relationship' || TargetMode === 'External' || Target === undefined) return;
        if (Id === wanted || Type?.endsWith(`/${wanted}`) === true) found.push(Target);
      },
    });
    return found[0] === undefined ? null : resolved(folder, found[0]);
  }

  private async readMain(main: string): Promise<{ name: string; id: string } | null> {
    const sheets: { name: string; id: string; isHidden: boolean }[] = [];
    await this.readAll(main, {
      open: (name, attributes) => {
        if (name === 'workbookPr') this.from1904 = isTrue(attributes['date1904']);
        if (name !== 'sheet' || sheets.length >= MOST_ENTRIES) return;
        const id = Object.entries(attributes).find(([key]) => local(key) === 'id')?.[1];
        if (id === undefined) return;
        sheets.push({ name: attributes['name'] ?? '', id, isHidden: /hidden/i.test(attributes['state'] ?? '') });
      },
    });
    return sheets.find(({ isHidden }) => !isHidden) ?? sheets[0] ?? null;
  }

  private async readStyles(path: string | null): Promise<void> {
    if (path === null) return;
    const own = new Map<string, string>();
    let isOfCells = false;
    const formats: string[] = [];
    await this.readAll(path, {
      open: (name, { numFmtId = '0', formatCode }) => {
        if (name === 'numFmt' && formatCode !== undefined && own.size < MOST_STYLES) own.set(numFmtId, formatCode);
        if (name === 'cellXfs') isOfCells = true;
        if (name === 'xf' && isOfCells && formats.length < MOST_STYLES) formats.push(numFmtId);
      },
      close: (name) => {
        if (name === 'cellXfs') isOfCells = false;
      },
    });
    this.dates = formats.map((id) => isDateFormat(Number(id), own.get(id)));
  }

  private async readTexts(path: string | null): Promise<void> {
    if (path === null) return;
    let text = '';
    let isText = false;
    let isPhonetic = false;
    await this.readAll(path, {
      open: (name) => {
        if (name === 'si') text = '';
        if (name === 'rPh') isPhonetic = true;
        isText = name === 't' && !isPhonetic;
      },
      text: (part) => {
        if (!isText) return;
        text += part;
        if (text.length > this.bounds.row) throw this.faults.unpacked();
      },
      close: (name) => {
        if (name === 't') isText = false;
        if (name === 'rPh') isPhonetic = false;
        if (name === 'si') this.texts.add(unescaped(text));
      },
    });
  }

  private async *rowsOf(path: string): AsyncGenerator<string[], void, undefined> {
    const rows = new SheetRows(this.bounds.row, this.faults, (type, style, value) => this.shown(type, style, value));
    const pieces = this.read(path, rows.handler);
    try {
      while ((await pieces.next()).done !== true) yield* rows.take();
      yield* rows.take();
    } finally {
      await pieces.return();
    }
  }

  /** Text of a cell as a person reads it. */
  private shown(type: string, style: number, value: string): string {
    if (value === '' || type === 'e') return '';
    if (type === 's') return this.texts.at(Number(value));
    if (type === 'b') return isTrue(value) ? 'TRUE' : 'FALSE';
    if (type === 'str' || type === 'inlineStr' || type === 'd') return unescaped(value);
    const number = Number(value);
    if (!Number.isFinite(number)) return value;
    if (this.dates[style] === true) return spreadsheetDate(number, this.from1904) ?? value;
    return Number.isSafeInteger(number) ? String(number) : String(Number(number.toPrecision(15)));
  }

  private async readAll(path: string, handler: Handler): Promise<void> {
    const pieces = this.read(path, handler);
    while ((await pieces.next()).done !== true);
  }

  /** Parses a part; yields behind each piece of it. A part that is missing is empty. */
  private async *read(path: string, { open, text, close }: Handler): AsyncGenerator<void, void, undefined> {
    const entry = this.entries.get(path);
    if (!entry) return;
    // without positions sax bounds none of its buffers
    const parser = sax.parser(true, { position: true });
    let [depth, attributes] = [0, 0];
    // sax bounds neither: a small file could hold millions of open tags, or of attributes
    parser.onattribute = () => {
      attributes += 1;
      if (attributes > MOST_ATTRIBUTES) throw this.faults.noWorkbook();
    };
    parser.onopentag = ({ name, attributes: given }) => {
      depth += 1;
      attributes = 0;
      if (depth > DEEPEST_TAG) throw this.faults.noWorkbook();
      open?.(local(name), given as Attributes);
    };
    parser.ontext = (part) => text?.(part);
    parser.oncdata = (part) => text?.(part);
    parser.onclosetag = (name) => {
      depth -= 1;
      close?.(local(name));
    };
    parser.onerror = () => {
      throw this.faults.noWorkbook();
    };
    const decoder = new TextDecoder();
    const stream = await this.streamOf(entry);
    const broken = new Set<unknown>();
    stream.on('error', (error) => broken.add(error));
    try {
      for await (const piece of stream as AsyncIterable<Uint8Array>) {
        this.unpacked += piece.byteLength;
        if (this.unpacked > this.bounds.unpacked) throw this.faults.unpacked();
        parser.write(decoder.decode(piece, { stream: true }));
        yield;
      }
      parser.write(decoder.decode()).close();
    } catch (error) {
      throw broken.has(error) ? this.faults.noWorkbook() : error;
    } finally {
      stream.destroy();
    }
  }

  private streamOf(entry: Entry): Promise<Readable> {
    return new Promise((resolve, reject) => {
      this.zip.openReadStream(entry, (error, stream) => {
        if (error) reject(this.faults.noWorkbook());
        else resolve(stream);
      });
    });
  }
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

/** A target as a path of the archive. */
function resolved(folder: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1);
  const parts: string[] = [];
  for (const part of `${folder}${target}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** Characters that XML does not take are written as `_x000D_`. */
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    : text;

/** Formats of dates and times that need no code, by the places of the world. */
const BUILT_IN: readonly (readonly [first: number, last: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
/** What says nothing about the kind: texts in quotes, escaped characters, colours, conditions and currencies. */
const SILENT = /"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi;

/** Whether a number format shows dates or times. @param code null or absent for built-in ones */
function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return BUILT_IN.some(([first, last]) => id >= first && id <= last);
  const [positive = ''] = code.replace(SILENT, '').split(';');
  return /[dmyhs]/i.test(positive) && !/general/i.test(positive);
}

const DAY_MS = 86_400_000;
/** Day 0 of both ways to count; 1900 counts a 29 February that was not. */
const DAY_ZERO = { in1900: Date.UTC(1899, 11, 30), in1904: Date.UTC(1904, 0, 1) };
const FIRST_RIGHT_DAY = 61;
const LAST_DAY = 2_958_466;

/** A date of a sheet as `YYYY-MM-DD`, with its time where it has one, or the time alone. @returns null when it is none */
function spreadsheetDate(value: number, from1904: boolean): string | null {
  if (value < 0 || value >= LAST_DAY) return null;
  const isEarly = !from1904 && value >= 1 && value < FIRST_RIGHT_DAY;
  const days = isEarly ? value + 1 : value;
  const seconds = Math.round((days * DAY_MS) / 1_000) * 1_000;
  const text = new Date((from1904 ? DAY_ZERO.in1904 : DAY_ZERO.in1900) + seconds).toISOString();
  const [date, time] = [text.slice(0, 10), text.slice(11, 19)];
  if (value < 1) return time;
  return time === '00:00:00' ? date : `${date} ${time}`;
}
