import type { InvalidRow } from './csv-row.js';

/** A row of an upload, as it is shown. */
export interface SampleRow {
  row: number;
  to: string;
  variables: Record<string, string>;
}

/** What was found in a file. */
export interface UploadFacts {
  /** names of the variables, the number's column among them */
  columns: readonly string[];
  numberColumn: string;
  /** the first rows */
  sample: readonly SampleRow[];
  /** the first rows that were left out */
  invalid: readonly InvalidRow[];
  invalidCount: number;
  /** rows whose number stands in an earlier row too */
  duplicatesCount: number;
  /** the first numbers that stand in several rows; absent of files that an older version read */
  duplicates?: readonly string[];
}

/** An uploaded file that is ready to be sent to. */
export interface Upload extends UploadFacts {
  id: number;
  /** with a number */
  rows: number;
  /** who made it (`kernel/maker.ts`) */
  createdBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** A list of recipients. */
export interface RecipientList {
  id: number;
  name: string;
  members: number;
  /** null = its members may change */
  frozenAt: Date | null;
  /** who made it (`kernel/maker.ts`) */
  createdBy: string | null;
  createdAt: Date;
}

export const MOST_ROWS = 500_000;
/** Rows in which nothing stands, which spreadsheets like to leave behind. */
export const MOST_BLANK_ROWS = 100_000;
export const SAMPLE_ROWS = 5;
export const MOST_INVALID_SHOWN = 100;
export const MOST_DUPLICATES_SHOWN = 100;
export const DAYS_KEPT = 7;
export const MEMBERS_A_REQUEST = 10_000;
export const LONGEST_LIST_NAME = 100;
