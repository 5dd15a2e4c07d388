import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline as pipe } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse, type Parser } from 'csv-parse';
import type { FileFormat, TextEncoding } from '../../kernel/text.js';
import { Semaphore } from '../concurrency/index.js';
import { FirstRows } from './separators.js';
import { TextBytes } from './text-bytes.js';
import type { WorkbookFaults } from './sheet-rows.js';
import { Workbook } from './workbook.js';

const KB = 1024;
const MB = 1024 * KB;
/** of one row, and of the header */
const LARGEST_ROW = 64 * KB;
/** A workbook waits on disk, which may be memory. */
export const LARGEST_WORKBOOK = 64 * MB;
export const LARGEST_UNPACKED = 256 * MB;
const LARGEST_TEXTS = 64 * MB;
const BOUNDS = { row: LARGEST_ROW, unpacked: LARGEST_UNPACKED, texts: LARGEST_TEXTS };
/** Their shared texts are in memory. */
const WORKBOOKS_AT_ONCE = 2;
const turns = new Semaphore(WORKBOOKS_AT_ONCE);

const ARCHIVE = Buffer.from('PK\x03\x04', 'latin1');
const SIZE_FAULT = 'CSV_MAX_RECORD_SIZE';

/** Makers of errors; row 0 is the header. */
export interface FileFaults extends WorkbookFaults {
  tooLarge: () => Error;
  noText: () => Error;
  empty: () => Error;
  longHeader: () => Error;
  quotes: (row: number) => Error;
}

export interface FileTerms {
  mostBytes: number;
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
    const { faults, isKnown } = this.terms;
    const text = new TextBytes(bytes, faults.noText);
    const pieces = text.read();
    try {
      const head = new FirstRows();
      for (;;) {
        const { done, value } = await pieces.next();
        if (done === true || head.push(value) || head.size > LARGEST_ROW) break;
      }
      if (head.size === 0) throw faults.empty();
      if (!head.hasHeader && head.size > LARGEST_ROW) throw faults.longHeader();
      const { separator, skipped } = head.separation(isKnown);
      const parser = parsed(separator);
      const all = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
        yield Buffer.concat(head.pushed).subarray(skipped);
        yield* pieces;
      };
      pipe(all(), parser, () => undefined); // the parser emits the fault
      yield* parser as AsyncIterable<string[]>;
    } catch (error) {
      throw error instanceof CsvError ? this.faultOf(error) : error;
    } finally {
      await pieces.return();
      this.encoding = text.encoding;
    }
  }

  /** Maps errors of the parser; record 0 is the header. */
  private faultOf(error: CsvError): Error {
    const row = Number((error as { records?: unknown }).records ?? 0);
    return error.code === SIZE_FAULT ? this.terms.faults.longRow(row) : this.terms.faults.quotes(row);
  }

  /** The directory of an archive is at its end: the file waits on disk, without a name once it is open. */
  private async *ofWorkbook(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void, undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'switchboard-file-'));
    const path = join(folder, 'workbook');
    let workbook: Workbook;
    try {
      await pipeline(bytes, createWriteStream(path, { mode: 0o600 }));
      workbook = await Workbook.open(path, BOUNDS, this.terms.faults);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    await turns.acquire(Infinity);
    try {
      yield* workbook.rows();
      this.sheet = workbook.sheet;
    } finally {
      turns.release();
      workbook.close();
    }
  }
}

const parsed = (delimiter: string): Parser =>
  parse({
    delimiter,
    trim: true,
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: LARGEST_ROW,
  });
