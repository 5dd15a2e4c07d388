import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { dateTime } from '../../kernel/clock.js';
import { readId } from '../../kernel/ids.js';
import { makerForOwner } from '../../kernel/maker.js';
import { cutCodePoints, type FileFormat, type TextEncoding } from '../../kernel/text.js';
import {
  AnswerOf,
  type AnswerWarning,
  LocalTime,
  MadeBy,
  type MakerData,
  PageOf,
  RowFaultData,
  WARNINGS_PROPERTY,
} from '../../platform/http/index.js';
import type { InvalidRow } from './domain/file-rows.js';
import {
  LONGEST_LIST_NAME,
  MEMBERS_A_REQUEST,
  MOST_DUPLICATES_SHOWN,
  MOST_INVALID_SHOWN,
  type RecipientList,
  SAMPLE_ROWS,
  type Upload,
} from './domain/list-form.js';
import { listErrors, uploadErrors } from './recipient-lists.errors.js';

const ID = 301_234_567_890_124;

export class ListBody {
  @ApiProperty({ example: 'Diwali customers', maxLength: LONGEST_LIST_NAME })
  name!: string;

  @ApiPropertyOptional({ type: 'integer', example: ID, description: 'A list whose members are copied, frozen or not' })
  from_list_id?: number;
}

export class ListNameBody {
  @ApiProperty({ example: 'Diwali customers', maxLength: LONGEST_LIST_NAME })
  name!: string;
}

export class MemberBody {
  @ApiProperty({ example: '+91 98765 43210' })
  to!: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'string' }, example: { name: 'Asha' } })
  variables?: Record<string, string>;
}

export class MembersBody {
  @ApiPropertyOptional({ type: [MemberBody], maxItems: MEMBERS_A_REQUEST })
  members?: MemberBody[];

  @ApiPropertyOptional({ type: 'integer', example: 301_234_567_890_123 })
  upload_id?: number;
}

export class ListData {
  @ApiProperty({ type: 'integer', example: ID })
  list_id!: number;

  @ApiProperty({ example: 'Diwali customers' })
  name!: string;

  @ApiProperty({ type: 'integer', example: 2 })
  members!: number;

  @ApiProperty({ example: false, description: 'A campaign was sent to it: its members cannot change any more' })
  frozen!: boolean;

  @LocalTime({ nullable: true, example: null, description: 'When it was first sent to; null: never' })
  frozen_at!: string | null;

  @MadeBy()
  created_by!: MakerData | null;

  @LocalTime()
  created_at!: string;
}

export const listData = (list: RecipientList, zone: string): ListData => ({
  list_id: list.id,
  name: list.name,
  members: list.members,
  frozen: list.frozenAt !== null,
  frozen_at: list.frozenAt && dateTime(list.frozenAt, zone),
  created_by: makerForOwner(list.createdBy),
  created_at: dateTime(list.createdAt, zone),
});

export class MemberData {
  @ApiProperty({ example: '919876543210' })
  to!: string;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { name: 'Asha' } })
  variables!: Record<string, string>;
}

export const memberData = ({ number, variables }: { number: string; variables: string | null }): MemberData => ({
  to: number,
  variables: JSON.parse(variables ?? '{}') as Record<string, string>,
});

export class AddedMembersData {
  @ApiProperty({ type: 'integer', example: 1 })
  added!: number;

  @ApiProperty({ type: 'integer', example: 1, description: 'On the list before, or given before' })
  duplicates_count!: number;

  @ApiProperty({ type: [String], maxItems: MOST_DUPLICATES_SHOWN, example: ['919876543210'] })
  duplicates!: string[];
}

/** Reads a list id from a path. @throws AppError not_found when invalid */
export function readListId(text: string): number {
  const id = readId(text);
  if (id === null) throw listErrors.notFound();
  return id;
}

export class ListAnswer extends AnswerOf(ListData) {}

export class ListPageAnswer extends PageOf(ListData) {}

export class MemberPageAnswer extends PageOf(MemberData) {}

export class CreatedListAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'List created successfully' })
  message!: string;

  @ApiProperty({ type: ListData })
  data!: ListData;
}

export class ChangedListAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'List updated successfully' })
  message!: string;

  @ApiProperty({ type: ListData })
  data!: ListData;
}

export class RemovedListAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'List deleted successfully' })
  message!: string;
}

export class AddedMembersAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Members saved successfully' })
  message!: string;

  @ApiProperty({ type: AddedMembersData })
  data!: AddedMembersData;
}

export class RemovedMemberAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Member removed successfully' })
  message!: string;
}

const UPLOAD_ID = 301_234_567_890_123;

export class UploadFileBody {
  @ApiProperty({
    type: 'string',
    format: 'binary',
    example: 'phone,name,amount\n919876543210,Asha,1500\n919876543211,,275\n',
    description: 'CSV or the first sheet of an .xlsx, with a header, at most UPLOAD_LIMIT',
  })
  file!: unknown;
}

export class UploadSampleData {
  @ApiProperty({ example: 1, description: '1 = the first below the header' })
  row!: number;

  @ApiProperty({ example: '919876543210' })
  to!: string;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { name: 'Asha', city: 'Pune' } })
  variables!: Record<string, string>;
}

export class UploadSummary {
  @ApiProperty({ type: 'integer', example: UPLOAD_ID })
  upload_id!: number;

  @ApiProperty({ type: 'integer', example: 1, description: 'Rows with a number: what a send would be sent to' })
  rows!: number;

  @ApiProperty({ type: String, nullable: true, example: 'customers.xlsx', description: 'null: not named' })
  file_name!: string | null;

  @ApiProperty({ enum: ['csv', 'xlsx'], example: 'xlsx' })
  format!: FileFormat;

  @ApiProperty({
    enum: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', null],
    type: String,
    nullable: true,
    example: null,
    description: 'How the text was read; null: a spreadsheet. What is no UTF-8 or UTF-16 is read as Windows-1252',
  })
  encoding!: TextEncoding | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Sheet1',
    description: 'The sheet that was read; null: a text',
  })
  sheet!: string | null;

  @ApiProperty({ type: [String], example: ['phone', 'name', 'city'] })
  columns!: string[];

  @ApiProperty({ example: 'phone' })
  number_column!: string;

  @ApiProperty({ type: 'integer', example: 0, description: 'Rows that were left out; `skipped.csv` has them' })
  invalid_count!: number;

  @ApiProperty({ type: 'integer', example: 0, description: 'Rows whose person stands in an earlier row too' })
  duplicates_count!: number;

  @MadeBy()
  created_by!: MakerData | null;

  @LocalTime()
  created_at!: string;

  @LocalTime({ example: '2026-11-28 09:30:00' })
  expires_at!: string;
}

export class UploadData extends UploadSummary {
  @ApiProperty({ type: [UploadSampleData], maxItems: SAMPLE_ROWS, description: 'The first rows with a number' })
  sample!: UploadSampleData[];

  @ApiProperty({ type: [RowFaultData], maxItems: MOST_INVALID_SHOWN, description: 'The first rows left out' })
  invalid!: RowFaultData[];

  @ApiProperty({
    type: [String],
    maxItems: MOST_DUPLICATES_SHOWN,
    example: [],
    description: 'The first numbers of several rows',
  })
  duplicates!: string[];
}

const facts = (upload: Upload, zone: string) => ({
  upload_id: upload.id,
  rows: upload.rows,
  file_name: upload.fileName ?? null,
  format: upload.format ?? 'csv',
  encoding: upload.encoding === undefined ? 'utf-8' : upload.encoding,
  sheet: upload.sheet ?? null,
  columns: [...upload.columns],
  number_column: upload.numberColumn,
  invalid_count: upload.invalidCount,
  duplicates_count: upload.duplicatesCount,
  created_by: makerForOwner(upload.createdBy),
  created_at: dateTime(upload.createdAt, zone),
  expires_at: dateTime(upload.expiresAt, zone),
});

export const uploadSummary = (upload: Upload, zone: string): UploadSummary => facts(upload, zone);

export const uploadData = (upload: Upload, zone: string): UploadData => ({
  ...facts(upload, zone),
  sample: upload.sample.map(({ row, to, variables }) => ({ row, to, variables })),
  invalid: upload.invalid.map(faultOf),
  duplicates: [...(upload.duplicates ?? [])],
});

/** Files that older versions read have the message as the reason. */
function faultOf({
  row,
  value,
  reason,
  message,
}: Omit<InvalidRow, 'message' | 'cells'> & { message?: string }): RowFaultData {
  if (message !== undefined) return { row, value, reason, message };
  return { row, value, reason: 'number_invalid', message: reason };
}

const LONGEST_FILE_NAME = 200;

/** The name of a file without its folders and without characters that show nothing; null = none. */
export function readFileName(given: unknown): string | null {
  if (typeof given !== 'string') return null;
  const name = given
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  return name === '' ? null : cutCodePoints(name, LONGEST_FILE_NAME);
}

/** Reads an upload id from a path. @throws AppError not_found when invalid */
export function readUploadId(text: string): number {
  const id = readId(text);
  if (id === null) throw uploadErrors.notFound();
  return id;
}

export class UploadAnswer extends AnswerOf(UploadData) {}

export class UploadPageAnswer extends PageOf(UploadSummary) {}

export class TakenUploadAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Upload saved successfully' })
  message!: string;

  @ApiProperty({ type: UploadData })
  data!: UploadData;

  @ApiPropertyOptional(WARNINGS_PROPERTY)
  warnings?: AnswerWarning[];
}

/** @returns the hint that a text is no UTF-8 */
export const encodingWarnings = ({ encoding }: UploadData): AnswerWarning[] =>
  encoding === 'windows-1252'
    ? [
        {
          code: 'file_windows_1252',
          field: 'file',
          message: 'The file is no UTF-8 and was read as Windows-1252: look at `sample`',
        },
      ]
    : [];

export class RemovedUploadAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Upload deleted successfully' })
  message!: string;
}
