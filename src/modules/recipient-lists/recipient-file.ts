import type { ReadNumber } from '../../kernel/phone-numbers.js';
import { BATCH } from '../../platform/database/index.js';
import { FILE_FAULTS, type FileFaults, FileRows, type TableFaults } from '../../platform/spreadsheets/index.js';
import {
  type FileLayout,
  type InvalidRow,
  isInvalid,
  isNumberColumn,
  readHeader,
  RowReader,
  type UploadRow,
} from './domain/file-rows.js';
import { MOST_BLANK_ROWS, MOST_INVALID_SHOWN, MOST_ROWS, SAMPLE_ROWS, type UploadFacts } from './domain/list-form.js';
import { uploadErrors } from './recipient-lists.errors.js';

export interface FileTerms {
  mostBytes: number;
  /** null = find it in the header */
  numberColumn: string | null;
  readNumber: ReadNumber;
}

const FAULTS: FileFaults = { ...FILE_FAULTS, tooLarge: () => uploadErrors.tooLarge() };
const TABLE_FAULTS: TableFaults = {
  empty: () => uploadErrors.empty(),
  longHeader: () => uploadErrors.longHeader(),
  quotes: (row) => uploadErrors.quotes(row),
};

type FileFacts = Omit<UploadFacts, 'duplicatesCount' | 'duplicates' | 'fileName'>;

/** Reads a file of recipients in bounded memory (reference/recipient-lists#files); `facts` is valid when `batches` has ended. */
export class RecipientFile {
  private readonly file: FileRows;
  private layout: FileLayout | null = null;
  private reader: RowReader | null = null;
  private readonly sample: UploadRow[] = [];
  private readonly invalid: InvalidRow[] = [];
  private invalidCount = 0;
  private rows = 0;
  private blanks = 0;

  constructor(
    bytes: AsyncIterable<Uint8Array>,
    private readonly terms: FileTerms,
  ) {
    const isKnown = (cell: string): boolean => isNumberColumn(cell, terms.numberColumn);
    this.file = new FileRows(bytes, { mostBytes: terms.mostBytes, isKnown, faults: FAULTS, table: TABLE_FAULTS });
  }

  /** The rows, some thousand per batch, those that were left out too. @throws AppError one of `uploadErrors` */
  async *batches(): AsyncGenerator<readonly (UploadRow | InvalidRow)[], void, undefined> {
    let batch: (UploadRow | InvalidRow)[] = [];
    let length = 0;
    for await (const cells of this.file.read()) {
      const row = this.take(cells);
      if (!row) continue;
      batch.push(row);
      length += isInvalid(row) ? row.cells.join('').length : (row.variables?.length ?? 0);
      if (batch.length < BATCH.rows && length < BATCH.length) continue;
      yield batch;
      [batch, length] = [[], 0];
    }
    if (batch.length > 0) yield batch;
    this.assertUsable();
  }

  get facts(): FileFacts {
    if (!this.layout) throw new Error('the file was not read');
    const { columns, numberAt } = this.layout;
    const { format, encoding, sheet } = this.file;
    return {
      format,
      encoding,
      sheet,
      columns,
      numberColumn: columns[numberAt] as string,
      sample: this.sample.map(({ row, number, variables }) => ({
        row,
        to: number,
        variables: JSON.parse(variables ?? '{}') as Record<string, string>,
      })),
      invalid: this.invalid.map(({ row, value, reason, message }) => ({ row, value, reason, message })),
      invalidCount: this.invalidCount,
    };
  }

  private take(cells: readonly string[]): UploadRow | InvalidRow | null {
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
    return read;
  }

  private assertUsable(): void {
    if (!this.layout) throw uploadErrors.empty();
    const [first] = this.invalid;
    if (this.rows === 0) throw uploadErrors.noRows();
    if (first && this.invalidCount === this.rows) throw uploadErrors.noNumber(first.row, first.message);
  }
}

type Fault = Exclude<ReturnType<typeof readHeader>, FileLayout>;

function headerFault(found: Fault): Error {
  if (found.fault === 'sameColumns') return uploadErrors.sameColumns(found.name);
  if ('column' in found) return uploadErrors[found.fault](found.column);
  return uploadErrors[found.fault]();
}
