/**
 * Rows as one JSON parameter for JSON_TABLE: the portable bulk way (MariaDB and MySQL), about as fast as LOAD DATA.
 * JSON_TABLE's text columns need a character set, else mixed collations raise errors.
 */
export const jsonRows = (rows: readonly unknown[]): string => JSON.stringify(rows);

/** A JSON array of digit strings; they need no escaping, so joining them is enough. */
export const jsonDigits = (digits: readonly string[]): string =>
  digits.length === 0 ? '[]' : `["${digits.join('","')}"]`;

/** What an INSERT or UPDATE answered. `insertId` also carries LAST_INSERT_ID(expr). */
export interface WriteResult {
  affectedRows: number;
  insertId: number;
}
