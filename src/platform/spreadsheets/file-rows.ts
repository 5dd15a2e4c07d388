import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { CsvError, parse, type Parser } from 'csv-parse';
import type { FileFormat, TextEncoding } from '../../kernel/text.js';
import { Semaphore } from '../concurrency/index.js';
import { FirstRows } from './separators.js';
import { TextBytes } from './text-bytes.js';
import type { WorkbookFaults } from './sheet-rows.js';
import { TextLines } from './text-lines.js';
import { Workbook } from './workbook.js';
import { workbookSpool } from './workbook-spool.js';

const KB = 1024;
const MB = 1024 * KB;
/** of one row, and of the header */
const LARGEST_ROW = 64 * KB;
export const LARGEST_WORKBOOK = 64 * MB;
export const LARGEST_UNPACKED = 256 * MB;
const LARGEST_TEXTS = 64 * MB;
const BOUNDS = { row: LARGEST_ROW, unpacked: LARGEST_UNPACKED, texts: LARGEST_TEXTS };
/** Their directories and shared texts are in memory. */
const WORKBOOKS_AT_ONCE = 2;
const turns = new Semaphore(WORKBOOKS_AT_ONCE);

const ARCHIVE = Buffer.from('PK\x03\x04', 'latin1');
const SIZE_FAULT = 'CSV_MAX_RECORD_SIZE';

/** Makers of errors; row 0 is the header. */
export interface FileFaults extends WorkbookFaults {
  tooLarge: () => Error;
  noText: () => Error;
  busy: () => Error;
}

/** Faults of separated values. */
export interface TableFaults {
  empty: () => Error;
  longHeader: () => Error;
  quotes: (row: number) => Error;
}

export interface FileTerms {
  mostBytes: number;
  /** null = each line of a text is a row, whatever its quotes; empty ones too */
  table: TableFaults | null;
  /** whether a cell of the header is the name of a wanted column */
  isKnown: (cell: string) => boolean;
  faults: FileFaults;
}

/**
 * Rows of a file as spreadsheets write it: separated values in UTF-8, UTF-16 or Windows-1252, or a workbook (.xlsx), in bounded
 * memory. The first row is the header. What is told of the file is valid when `read` has ended.
 */
export class FileRows {
  format: FileFormat = 'csv';
  /** null = a workbook */
  encoding: TextEncoding | null = null;
  /** name of the sheet; null = no workbook */
  sheet: string | null = null;

  constructor(
    private readonly bytes: AsyncIterable<Uint8Array>,
    private readonly terms: FileTerms,
  ) {}

  async *read(): AsyncGenerator<readonly string[], void, undefined> {
    const source = this.bounded();
    try {
      const first: Uint8Array[] = [];
      for (let size = 0; size < ARCHIVE.length;) {
        const { done, value } = await source.next();
        if (done === true) break;
        first.push(value);
        size += value.byteLength;
      }
      const all = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
        yield* first;
        yield* source;
      };
      const isArchive = Buffer.concat(first).subarray(0, ARCHIVE.length).equals(ARCHIVE);
      this.format = isArchive ? 'xlsx' : 'csv';
      yield* isArchive ? this.ofWorkbook(all()) : this.ofText(all());
    } finally {
      // also after a fault: a body that is not read to its end holds the client's connection
      await source.return();
    }
  }

  private async *bounded(): AsyncGenerator<Uint8Array, void, undefined> {
    let size = 0;
    for await (const chunk of this.bytes) {
      size += chunk.byteLength;
      const most = this.format === 'xlsx' ? LARGEST_WORKBOOK : this.terms.mostBytes;
      if (size > Math.min(most, this.terms.mostBytes)) throw this.terms.faults.tooLarge();
      yield chunk;
    }
  }

  private async *ofText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void, undefined> {
    const { faults, isKnown, table } = this.terms;
    const text = new TextBytes(bytes, faults.noText);
    const pieces = text.read();
    try {
      const head = new FirstRows(table === null);
      for (;;) {
        const { done, value } = await pieces.next();
        if (done === true || head.push(value) || head.size > LARGEST_ROW) break;
      }
      const isLongHeader = !head.hasHeader && head.size > LARGEST_ROW;
      const fault = head.size === 0 ? table?.empty() : isLongHeader ? table?.longHeader() : undefined;
      if (fault) throw fault;
      const { separator, skipped } = head.separation(isKnown);
      const all = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
        yield Buffer.concat(head.pushed).subarray(skipped);
        yield* pieces;
      };
      yield* table ? rowsOf(all(), separator ?? ',', table, faults) : linesOf(all(), separator, skipped > 0);
    } finally {
      await pieces.return();
      this.encoding = text.encoding;
    }
  }

  /** The directory of an archive is at its end: the file waits on disk. */
  private ofWorkbook(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void, undefined> {
    const { faults } = this.terms;
    return workbookSpool.with(bytes, faults.busy, (file) => this.rowsOfWorkbook(file));
  }

  private async *rowsOfWorkbook({ fd }: FileHandle): AsyncGenerator<string[], void, undefined> {
    await turns.acquire(Infinity);
    let workbook: Workbook | null = null;
    try {
      workbook = await Workbook.open(fd, BOUNDS, this.terms.faults);
      yield* workbook.rows();
      this.sheet = workbook.sheet;
    } finally {
      turns.release();
      workbook?.close();
    }
  }
}

async function* rowsOf(
  bytes: AsyncIterable<Uint8Array>,
  separator: string,
  table: TableFaults,
  { longRow }: FileFaults,
): AsyncGenerator<string[], void, undefined> {
  const parser = parsed(separator);
  pipeline(bytes, parser, () => undefined); // the parser emits the fault
  try {
    yield* parser as AsyncIterable<string[]>;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // record 0 is the header
    const row = Number((error as { records?: unknown }).records ?? 0);
    throw error.code === SIZE_FAULT ? longRow(row) : table.quotes(row);
  }
}

/** @param isNamed the line that names the separator is an empty row, so that rows count as lines */
async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  separator: string | null,
  isNamed: boolean,
): AsyncGenerator<string[], void, undefined> {
  const lines = new TextLines(separator);
  if (isNamed) yield [];
  for await (const piece of bytes) yield* lines.push(Buffer.from(piece).toString('utf8'));
  yield* lines.end();
}

const parsed = (delimiter: string): Parser =>
  parse({
    delimiter,
    trim: true,
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: LARGEST_ROW,
  });
