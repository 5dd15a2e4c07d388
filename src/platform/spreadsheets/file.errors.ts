import { defineError, invalid, tooLarge } from '../../kernel/errors.js';
import { type FileFaults, LARGEST_UNPACKED } from './file-rows.js';

const MB = 1024 * 1024;
/** Retry-After of a file that finds no room. */
const BUSY_SECONDS = 5;

/** Errors of every file of rows, beside that of its size (reference/recipient-lists#files). */
export const fileErrors = {
  noText: invalid(
    'file_not_readable',
    'File is neither a text nor a spreadsheet (.xlsx)',
    'another encoding or another kind of file',
  ).with({ field: 'file', hint: 'Save the sheet as .xlsx, or as CSV in UTF-8.' }),
  noWorkbook: invalid(
    'file_no_workbook',
    'File is no spreadsheet that can be read (.xlsx)',
    'another archive, or one that is broken or has a password',
  ).with({ field: 'file', hint: 'Open it in the spreadsheet program and save it as .xlsx without a password.' }),
  unpacked: tooLarge(
    'file_unpacked_too_large',
    `File must have at most ${LARGEST_UNPACKED / MB} MB when it is unpacked`,
    'of an .xlsx file what is read of it, 64 MB of them shared texts',
  ).with({ field: 'file', hint: 'Split the file, or leave out columns that the text does not name.' }),
  busy: defineError(
    'too_many',
    'spreadsheets_at_once',
    'Too many spreadsheets are being read',
    'of all accounts: .xlsx files of 256 MB together',
    () => BUSY_SECONDS,
  ).with({ hint: 'Send it again in some seconds, or as CSV.' }),
  longRow: invalid('file_long_row', (row: number) => `Row ${row} of the file is larger than 64 KB`)
    .with({ field: 'file', hint: 'A quote that is never closed takes in all rows after it.' })
    .shown(17),
};

export const FILE_FAULTS: Omit<FileFaults, 'tooLarge'> = {
  noText: () => fileErrors.noText(),
  noWorkbook: () => fileErrors.noWorkbook(),
  unpacked: () => fileErrors.unpacked(),
  busy: () => fileErrors.busy(),
  longRow: (row) => fileErrors.longRow(row),
};
