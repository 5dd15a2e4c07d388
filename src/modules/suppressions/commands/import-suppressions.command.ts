import { Command } from '@nestjs/cqrs';
import type { CsvFault } from '../domain/csv-numbers.js';

/** What became of a file. */
export interface ImportReport {
  /** lines with something on them, the header left out */
  lines: number;
  added: number;
  /** on the list before, or twice in the file */
  already: number;
  /** lines without a number */
  invalid: number;
  /** the first hundred of those */
  errors: CsvFault[];
}

/**
 * Puts the numbers of a CSV file on an account's stop list while the file comes in, a few thousand at a time: what was
 * read before a fault stays.
 * @throws AppError too_large beyond 32 MB, invalid `At most <SUPPRESSIONS_PER_ACCOUNT> suppressions are allowed`, and whatever the source of the bytes throws
 */
export class ImportSuppressions extends Command<ImportReport> {
  constructor(
    readonly accountId: number,
    readonly bytes: AsyncIterable<Uint8Array>,
  ) {
    super();
  }
}
