import { pipeline } from 'node:stream';
import { CsvError, parse, type Parser } from 'csv-parse';
import type { ReadNumber } from '../../kernel/phone-numbers.js';
import { BATCH } from '../../platform/database/index.js';
import {
  type CsvLayout,
  HeadScan,
  type InvalidRow,
  isInvalid,
  readHeader,
  RowReader,
  type UploadRow,
} from './domain/csv-rows.js';
import { MOST_BLANK_ROWS, MOST_INVALID_SHOWN, MOST_ROWS, SAMPLE_ROWS, type UploadFacts } from './domain/list-form.js';
import { uploadErrors } from './recipient-lists.errors.js';

/** Passes up to `most` bytes of UTF-8 text on; byte 0 is refused too, because only other encodings and archives contain it. */
async function* plainText(bytes: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): void => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw uploadErrors.notUtf8();
    }
  };
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.byteLength;
    if (size > most) throw uploadErrors.tooLarge();
    decode(chunk);
    if (chunk.includes(0)) throw uploadErrors.notUtf8();
    yield chunk;
  }
  decode();
}

export interface CsvTerms {
  mostBytes: number;
  /** null = find it in the header */
  numberColumn: string | null;
  readNumber: ReadNumber;
}

const LARGEST_ROW = 64 * 1024;
const SIZE_FAULT = 'CSV_MAX_RECORD_SIZE';

/** Parses a CSV stream in bounded memory (reference/recipient-lists#csv-files); `facts` is valid when `batches` has ended. */
export class CsvFile {
  private layout: CsvLayout | null = null;
  private reader: RowReader | null = null;
  private readonly sample: UploadRow[] = [];
  private readonly invalid: InvalidRow[] = [];
  private invalidCount = 0;
  private rows = 0;
  private blanks = 0;

  constructor(
    private readonly bytes: AsyncIterable<Uint8Array>,
    private readonly terms: CsvTerms,
  ) {}

  /** The rows with a number, some thousand per batch. @throws AppError one of `uploadErrors` */
  async *batches(): AsyncGenerator<readonly UploadRow[], void, undefined> {
    const parser = await this.open();
    let batch: UploadRow[] = [];
    let length = 0;
    try {
      for await (const cells of parser as AsyncIterable<string[]>) {
        const row = this.take(cells);
        if (!row) continue;
        batch.push(row);
        length += row.variables?.length ?? 0;
        if (batch.length < BATCH.rows && length < BATCH.length) continue;
        yield batch;
        [batch, length] = [[], 0];
      }
    } catch (error) {
      throw error instanceof CsvError ? faultOf(error) : error;
    }
    if (batch.length > 0) yield batch;
    this.assertUsable();
  }

  get facts(): Omit<UploadFacts, 'duplicatesCount' | 'duplicates'> {
    if (!this.layout) throw new Error('the file was not read');
    const { columns, numberAt } = this.layout;
    return {
      columns,
      numberColumn: columns[numberAt] as string,
      sample: this.sample.map(({ row, number, variables }) => ({
        row,
        to: number,
        variables: JSON.parse(variables ?? '{}') as Record<string, string>,
      })),
      invalid: this.invalid,
      invalidCount: this.invalidCount,
    };
  }

  /** Reads up to the end of the header, which decides the delimiter; the parser receives these bytes too. */
  private async open(): Promise<Parser> {
    const text = plainText(this.bytes, this.terms.mostBytes);
    const head: Uint8Array[] = [];
    const scan = new HeadScan();
    let size = 0;
    for (let hasEnded = false; !hasEnded;) {
      const { done, value } = await text.next();
      if (done) break;
      hasEnded = scan.push(value);
      head.push(value);
      size += value.byteLength;
      if (!hasEnded && size > LARGEST_ROW) {
        await text.return();
        throw uploadErrors.longHeader();
      }
    }
    if (size === 0) throw uploadErrors.empty();
    const parser = parse({
      delimiter: scan.delimiter,
      bom: true,
      trim: true,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: LARGEST_ROW,
    });
    const all = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        yield* head;
        yield* text;
      } finally {
        // also after a fault in the header: a body that is not read to its end holds the client's connection
        await text.return();
      }
    };
    pipeline(all(), parser, () => undefined); // the parser emits the fault
    return parser;
  }

  private take(cells: readonly string[]): UploadRow | null {
    if (!this.layout) {
      const layout = readHeader(cells, this.terms.numberColumn);
      if ('fault' in layout) throw headerFault(layout);
      this.layout = layout;
      this.reader = new RowReader(layout, this.terms.readNumber);
      return null;
    }
    const read = this.reader?.read(cells, this.rows + this.blanks + 1) ?? null;
    if (read) this.rows += 1;
    else this.blanks += 1;
    if (this.rows > MOST_ROWS || this.blanks > MOST_BLANK_ROWS) throw uploadErrors.tooManyRows();
    if (!read) return null;
    if (!isInvalid(read)) {
      if (this.sample.length < SAMPLE_ROWS) this.sample.push(read);
      return read;
    }
    this.invalidCount += 1;
    if (this.invalid.length < MOST_INVALID_SHOWN) this.invalid.push(read);
    return null;
  }

  private assertUsable(): void {
    if (!this.layout) throw uploadErrors.empty();
    const [first] = this.invalid;
    if (this.rows === 0) throw uploadErrors.noRows();
    if (first && this.invalidCount === this.rows) throw uploadErrors.noNumber(first.row, first.message);
  }
}

type Fault = Exclude<ReturnType<typeof readHeader>, CsvLayout>;

function headerFault(found: Fault): Error {
  if (found.fault === 'sameColumns') return uploadErrors.sameColumns(found.name);
  if ('column' in found) return uploadErrors[found.fault](found.column);
  return uploadErrors[found.fault]();
}

/** Maps errors of the parser to `uploadErrors`; record 0 is the header. */
function faultOf(error: CsvError): Error {
  const row = Number((error as { records?: unknown }).records ?? 0);
  return error.code === SIZE_FAULT ? uploadErrors.longRow(row) : uploadErrors.quotes(row);
}
