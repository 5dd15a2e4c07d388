import { conflict, defineError, invalid, notFound, tooLarge, atMost, fieldErrors } from '../../kernel/errors.js';
import { LONGEST_VARIABLE_NAME, MOST_VARIABLES } from '../../kernel/message-template.js';
import { bodyErrors } from '../../platform/http/index.js';
import { fileErrors, LARGEST_WORKBOOK } from '../../platform/spreadsheets/index.js';
import { storageErrors } from '../quotas/index.js';
import { LONGEST_LIST_NAME, MEMBERS_A_REQUEST, MOST_ROWS } from './domain/list-form.js';

const MB = 1024 * 1024;
/** Retry-After for a client with too many uploads or copies under way. */
const BUSY_SECONDS = 5;
export const UPLOADS_AT_ONCE = 4;
export const LISTS_AT_ONCE = 4;

/** Errors of uploads (reference/recipient-lists#files). */
export const uploadErrors = {
  ...fileErrors,
  notFound: notFound('upload_unknown', 'Upload not found', 'none of yours, removed, or older than seven days').with({
    field: 'upload_id',
    hint: 'Uploads are kept for seven days: upload the file again.',
  }),
  tooLarge: bodyErrors.tooLarge.because(`a file over UPLOAD_LIMIT, an .xlsx over ${LARGEST_WORKBOOK / MB} MB`),
  numberColumn: fieldErrors.invalid.shown('number_column').because('given twice'),
  tooMany: invalid(
    'too_many_uploads',
    (most: number) => atMost(most, 'uploads'),
    'UPLOADS_PER_ACCOUNT; removed ones count until their rows are gone',
  )
    .with({
      hint: 'Remove uploads that are no longer needed, or wait: they go after seven days. A large one counts until its rows are gone.',
    })
    .shown(100),
  atOnce: defineError(
    'too_many',
    'uploads_at_once',
    `At most ${UPLOADS_AT_ONCE} uploads at the same time are allowed`,
    'of one account',
    () => BUSY_SECONDS,
  ).with({ hint: 'Wait for one of them to end.' }),
  empty: invalid('file_empty', 'File is empty', 'no byte, or only a byte order mark').with({ field: 'file' }),
  noRows: invalid('file_no_rows', 'File has no row below its header', 'a header only, or nothing but empty rows').with({
    field: 'file',
    hint: 'The first row names the columns; recipients stand below it.',
  }),
  noNumber: invalid(
    'file_no_number',
    (row: number, reason: string) => `No row of the file has a number that can be kept, row ${row}: ${reason}`,
    'every row is invalid',
  )
    .with({
      field: 'file',
      hint: 'See that the column of the numbers is the right one (`number_column`), and that numbers have their country code.',
    })
    .shown(1, 'number is missing'),
  tooManyRows: tooLarge(
    'file_too_many_rows',
    `File must have at most ${MOST_ROWS} rows`,
    '100,000 empty ones besides',
  ).with({ field: 'file', hint: 'Split the file.' }),
  tooManyColumns: invalid('file_too_many_columns', `File must have at most ${MOST_VARIABLES + 1} columns`).with({
    field: 'file',
    hint: 'Leave out columns that the text does not name.',
  }),
  quotes: invalid(
    'file_quotes',
    (row: number) => `Row ${row} of the file has a quote that opens or closes in the wrong place`,
    'row 0 is the header',
  )
    .with({
      field: 'file',
      hint: 'Put a value with a comma, a quote or a line break into double quotes, and double each quote in it.',
    })
    .shown(17),
  longHeader: invalid('file_long_header', 'Header of the file is larger than 64 KB').with({
    field: 'file',
    hint: 'See that the file is CSV whose first row names the columns.',
  }),
  unnamedColumn: invalid('file_unnamed_column', (column: number) => `Column ${column} of the file has no name`)
    .with({ field: 'file', hint: 'Name the column in the first row, or remove it.' })
    .shown(3),
  longColumn: invalid(
    'file_long_column',
    (column: number) => `Column ${column} of the file has a name of more than ${LONGEST_VARIABLE_NAME} characters`,
  )
    .with({ field: 'file', hint: 'Shorten its name; names of columns are the names of variables.' })
    .shown(3),
  sameColumns: invalid('file_same_columns', (name: string) => `Columns of the file must differ: ${name}`)
    .with({ field: 'file', hint: 'Rename one of them: spaces and signs count as one and the same.' })
    .shown('name'),
  noNumberColumn: invalid(
    'file_no_number_column',
    'File has no column of a known name for the number: name it by number_column',
  ).with({ field: 'number_column', hint: 'Add `?number_column=` with the name of the column that holds the numbers.' }),
  severalNumberColumns: invalid(
    'file_several_number_columns',
    'File has several columns that may hold the number: name it by number_column',
  ).with({ field: 'number_column', hint: 'Add `?number_column=` with the name of the column that holds the numbers.' }),
  unknownNumberColumn: invalid('file_unknown_number_column', 'number_column is not in the header of the file').with({
    field: 'number_column',
    hint: 'Write it as the first row of the file has it.',
  }),
};

/** Errors of lists (reference/recipient-lists#lists). */
export const listErrors = {
  notFound: notFound('list_unknown', 'List not found', 'none of yours, or removed').with({
    field: 'list_id',
    hint: '`GET /v6/api/lists` shows those of the account.',
  }),
  tooMany: invalid(
    'too_many_lists',
    (most: number) => atMost(most, 'lists'),
    'LISTS_PER_ACCOUNT; removed ones count until their members are gone',
  )
    .with({ hint: 'Remove lists that are no longer needed. A large one counts until its members are gone.' })
    .shown(1_000),
  busy: defineError(
    'too_many',
    'lists_at_once',
    `At most ${LISTS_AT_ONCE} copies and added uploads at the same time are allowed`,
    'of one account',
    () => BUSY_SECONDS,
  ).with({ hint: 'Wait for one of them to end.' }),
  nameRequired: fieldErrors.required.shown('name'),
  nameTooLong: fieldErrors.tooLong.shown('name', LONGEST_LIST_NAME),
  sourceInvalid: fieldErrors.invalid.shown('from_list_id').because('not an id'),
  frozen: conflict('list_frozen', 'List is frozen', 'a campaign was sent to it').with({
    hint: 'A list that was sent to stays as it was: make a new one from it with `from_list_id`.',
  }),
  changing: conflict('list_changing', 'List is being changed', 'by another request at this moment').with({
    hint: 'Send it again when the other request is answered.',
  }),
  empty: invalid('list_empty', 'List has no members', 'at a send').with({
    field: 'list_id',
    hint: 'Add members first.',
  }),
  membersRequired: invalid('members_required', 'members or upload_id is required', 'neither, or both').with({
    field: 'members',
    hint: 'Give exactly one of them.',
  }),
  noArray: fieldErrors.noArray.shown('members'),
  emptyArray: fieldErrors.emptyArray.shown('members'),
  tooManyAtOnce: invalid('too_many_members_at_once', `members must have at most ${MEMBERS_A_REQUEST} entries`).with({
    field: 'members',
    hint: 'Send several requests, or an upload.',
  }),
  faulty: invalid('members_invalid', 'members has entries that cannot be kept', 'their rows stand in `errors`').with({
    field: 'members',
    hint: '`errors` names the rows and what is wrong with each; nothing was kept.',
  }),
  tooManyMembers: invalid(
    'too_many_members',
    (most: number) => `At most ${most} members of a list are allowed`,
    'MEMBERS_PER_LIST',
  )
    .with({ field: 'members', hint: 'Make a second list.' })
    .shown(1_000_000),
  memberNotFound: notFound('member_unknown', 'Member not found', 'the number is not on the list'),
  searchDigits: fieldErrors.invalid.shown('number').because('not 1 to 30 digits'),
  unreadable: invalid(
    'recipients_unreadable',
    'Recipients have numbers that the channel does not take',
    'their rows stand in `errors`',
  ).with({ hint: '`errors` names the rows: the numbers have too few or too many digits for this channel.' }),
};

export const listFaults = {
  nameRequired: () => fieldErrors.required('name'),
  nameTooLong: () => fieldErrors.tooLong('name', LONGEST_LIST_NAME),
  sourceInvalid: () => fieldErrors.invalid('from_list_id'),
  membersRequired: () => listErrors.membersRequired(),
  noArray: () => fieldErrors.noArray('members'),
  emptyArray: () => fieldErrors.emptyArray('members'),
  tooManyAtOnce: () => listErrors.tooManyAtOnce(),
  searchDigits: () => fieldErrors.invalid('number'),
};

/** Errors of an upload, in the order of validation. */
export const UPLOAD_ERRORS = [
  bodyErrors.fileRequired,
  bodyErrors.malformedMultipart,
  uploadErrors.numberColumn,
  uploadErrors.atOnce,
  uploadErrors.tooMany,
  bodyErrors.unreadable,
  uploadErrors.tooLarge,
  uploadErrors.noText,
  uploadErrors.noWorkbook,
  uploadErrors.unpacked,
  uploadErrors.busy,
  uploadErrors.empty,
  uploadErrors.longHeader,
  uploadErrors.tooManyColumns,
  uploadErrors.unnamedColumn,
  uploadErrors.longColumn,
  uploadErrors.sameColumns,
  uploadErrors.unknownNumberColumn,
  uploadErrors.noNumberColumn,
  uploadErrors.severalNumberColumns,
  uploadErrors.quotes,
  uploadErrors.longRow,
  uploadErrors.tooManyRows,
  uploadErrors.noRows,
  uploadErrors.noNumber,
  storageErrors.full,
] as const;
