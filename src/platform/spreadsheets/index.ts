export { type FileFaults, FileRows, LARGEST_UNPACKED, LARGEST_WORKBOOK } from './file-rows.js';
