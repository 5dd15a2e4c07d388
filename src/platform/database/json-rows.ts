import { QuotedText } from './quoted-text.js';

const HALF_CHARACTER = /\p{Surrogate}/gu;

const wellFormed = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace(HALF_CHARACTER, '\uFFFD') : value;

/**
 * Rows as one JSON parameter for JSON_TABLE: the portable bulk way (MariaDB and MySQL), about as fast as LOAD DATA.
 * JSON_TABLE's text columns need a character set, else mixed collations raise errors. Half a surrogate pair, which an
 * upstream may send and JavaScript writes as `\ud83d`, is no JSON to the servers: one such text would refuse every row
 * of the statement, so it is replaced.
 */
export function jsonRows(rows: readonly unknown[]): QuotedText {
  const text = JSON.stringify(rows);
  return new QuotedText(text.includes('\\ud') ? JSON.stringify(rows, wellFormed) : text);
}

/**
 * What one statement takes at the most. `length` is that of long texts, in UTF-16 units, each of which takes four bytes at most
 * (a backslash of a JSON text within JSON within a literal): far below the packet of 16 MB that MariaDB takes.
 */
export const BATCH = { rows: 5_000, length: 1_000_000 } as const;

/** Rows, as many at a time as one statement takes, whatever they hold. @param lengthOf the long text of a row */
export function* batchesOf<Row>(
  rows: Iterable<Row>,
  lengthOf: (row: Row) => number,
): Generator<Row[], void, undefined> {
  let batch: Row[] = [];
  let length = 0;
  for (const row of rows) {
    const more = lengthOf(row);
    if (batch.length === BATCH.rows || (batch.length > 0 && length + more > BATCH.length)) {
      yield batch;
      [batch, length] = [[], 0];
    }
    batch.push(row);
    length += more;
  }
  if (batch.length > 0) yield batch;
}
