export { jsonRows } from '../../../platform/database/index.js';

/** A JSON array of digit strings; they need no escaping, so joining them is enough. */
export const jsonDigits = (digits: readonly string[]): string =>
  digits.length === 0 ? '[]' : `["${digits.join('","')}"]`;

/** What an INSERT or UPDATE answered. `insertId` also carries LAST_INSERT_ID(expr). */
export interface WriteResult {
  affectedRows: number;
  insertId: number;
}
