import type { RowFault } from '../../../kernel/app-error.js';
import { cutCodePoints } from '../../../kernel/text.js';
import type { CsvLayout } from './csv-header.js';
import { isTooLarge, type KeptRecipient, readNumber, VARIABLE_REASONS, valueText } from './recipient.js';

/** A row of a file that has a number. */
export interface UploadRow extends KeptRecipient {
  /** 1 = the first below the header */
  row: number;
}

/** A row that is left out. */
export type InvalidRow = Required<Pick<RowFault, 'row' | 'value' | 'reason' | 'message'>>;

const LONGEST_SHOWN = 64;

/** Reads the rows below a header. */
export class RowReader {
  /** of each variable, its name as a key of JSON; null = the number */
  private readonly keys: readonly (string | null)[];

  constructor(private readonly layout: CsvLayout) {
    const { columns, numberAt } = layout;
    this.keys = columns.map((name, at) => (at === numberAt ? null : `${JSON.stringify(name)}:`));
  }

  /** @returns null for a row in which nothing stands */
  read(cells: readonly string[], row: number): UploadRow | InvalidRow | null {
    const { columns, numberAt } = this.layout;
    const given = cells[numberAt] ?? '';
    if (given === '' && cells.every((cell) => cell === '')) return null;
    const leftOut = (reason: string, message: string): InvalidRow => ({
      row,
      value: cutCodePoints(given, LONGEST_SHOWN),
      reason,
      message,
    });
    if (cells.length !== columns.length)
      return leftOut('cells_differ', `${cells.length} cells, the header has ${columns.length}`);
    const read = readNumber(given);
    if ('reason' in read) return leftOut('number_invalid', read.reason);
    if (columns.length === 1) return { row, number: read.number, variables: null };
    let variables = '';
    for (const [at, key] of this.keys.entries()) {
      const cell = cells[at] as string;
      if (key === null || cell === '') continue;
      const text = valueText(cell);
      if (text === null) return leftOut('variables_invalid', VARIABLE_REASONS.tooLong(columns[at] as string));
      variables += (variables === '' ? '' : ',') + key + text;
    }
    variables = `{${variables}}`;
    return isTooLarge(variables)
      ? leftOut('variables_invalid', VARIABLE_REASONS.tooLarge)
      : { row, number: read.number, variables };
  }
}

/** Whether a row is left out. */
export const isInvalid = (read: UploadRow | InvalidRow): read is InvalidRow => 'reason' in read;
