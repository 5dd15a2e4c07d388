export { type FileFaults, FileRows, LARGEST_UNPACKED, LARGEST_WORKBOOK, type TableFaults } from './file-rows.js';
export { fileErrors, FILE_FAULTS } from './file.errors.js';
export { workbookSpool } from './workbook-spool.js';
