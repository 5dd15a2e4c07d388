import type { RowFault } from '../../../kernel/errors.js';
import { readId } from '../../../kernel/ids.js';
import { shownValue } from '../../../kernel/json-values.js';
import type { ReadNumber } from '../../../kernel/phone-numbers.js';
import { codePoints, type FileFormat, readText, type TextEncoding } from '../../../kernel/text.js';
import type { InvalidRow } from './file-rows.js';
import { type KeptRecipient, readMember } from './recipient.js';

export interface SampleRow {
  row: number;
  to: string;
  variables: Record<string, string>;
}

/** The result of reading a file. */
export interface UploadFacts {
  /** as the client named it; null = not named. This and how it was read is absent for files that older versions read */
  fileName?: string | null;
  format?: FileFormat;
  /** null = a workbook */
  encoding?: TextEncoding | null;
  /** of a workbook */
  sheet?: string | null;
  columns: readonly string[];
  numberColumn: string;
  sample: readonly SampleRow[];
  invalid: readonly Omit<InvalidRow, 'cells'>[];
  invalidCount: number;
  /** rows whose person an earlier row has too */
  duplicatesCount: number;
  /** the first numbers of persons who occur more than once; absent for files that older versions read */
  duplicates?: readonly string[];
}

/** An uploaded file that is ready for sends. */
export interface Upload extends UploadFacts {
  id: number;
  /** rows with a number */
  rows: number;
  createdBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export interface RecipientList {
  id: number;
  name: string;
  members: number;
  /** null = its members may change */
  frozenAt: Date | null;
  createdBy: string | null;
  createdAt: Date;
}

export const MOST_ROWS = 500_000;
/** Empty rows, which spreadsheets often append. */
export const MOST_BLANK_ROWS = 100_000;
export const SAMPLE_ROWS = 5;
export const MOST_INVALID_SHOWN = 100;
export const MOST_DUPLICATES_SHOWN = 100;
export const DAYS_KEPT = 7;
export const MEMBERS_A_REQUEST = 10_000;
export const LONGEST_LIST_NAME = 100;

export interface RawList {
  name?: unknown;
  from_list_id?: unknown;
}

export interface RawMembers {
  members?: unknown;
  upload_id?: unknown;
}

export type NameFault = 'nameRequired' | 'nameTooLong';

export function readListName(value: unknown): { name: string } | { fault: NameFault } {
  const read = readText(value);
  if (read.kind !== 'text') return { fault: 'nameRequired' };
  const name = read.value.trim();
  return codePoints(name) > LONGEST_LIST_NAME ? { fault: 'nameTooLong' } : { name };
}

/** Reads an id from JSON: a number, or its digits. @returns undefined for an invalid one; null when absent */
export function readGivenId(value: unknown): number | null | undefined {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' || typeof value === 'number' ? (readId(String(value)) ?? undefined) : undefined;
}

export type MembersFault = 'membersRequired' | 'noArray' | 'emptyArray' | 'tooManyAtOnce';

export type ReadMembers =
  { recipients: KeptRecipient[] } | { uploadId: number | undefined } | { fault: MembersFault } | { rows: RowFault[] };

/** Reads the members to add; `rows` lists the invalid entries, `uploadId` is undefined for an invalid id. */
export function readMembers({ members, upload_id }: RawMembers, readNumber: ReadNumber): ReadMembers {
  const uploadId = readGivenId(upload_id);
  const isGiven = members !== undefined && members !== null;
  if (isGiven === (uploadId !== null)) return { fault: 'membersRequired' };
  if (uploadId !== null) return { uploadId };
  if (!Array.isArray(members)) return { fault: 'noArray' };
  if (members.length === 0) return { fault: 'emptyArray' };
  if (members.length > MEMBERS_A_REQUEST) return { fault: 'tooManyAtOnce' };
  const recipients: KeptRecipient[] = [];
  const rows: RowFault[] = [];
  for (const [index, entry] of (members as unknown[]).entries()) {
    const read = readMember(entry, readNumber);
    if ('reason' in read) rows.push({ row: index + 1, ...shownNumber(entry), ...read });
    else recipients.push(read);
  }
  return rows.length > 0 ? { rows } : { recipients };
}

function shownNumber(entry: unknown): { value?: string } {
  const to: unknown = (entry as { to?: unknown } | null)?.to;
  return to === undefined || to === null ? {} : { value: shownValue(to) };
}
