import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonRows, QuotedText } from '../../src/platform/database/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** Characters that mean something in SQL, in JSON or to a terminal, among all others. */
const HOSTILE = fc.constantFrom(
  ...'\'"\\\0\b\t\n\r\u001a%_;-#/*?:{}[]'.split(''),
  "'; DROP TABLE x; --",
  '\u{1F600}',
  'é',
);
const texts = fc
  .array(fc.oneof(HOSTILE, fc.string({ unit: 'grapheme' })), { maxLength: 20 })
  .map((some) => some.join(''));

describe('long texts as parameters', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('come to the server as they are, whatever stands in them', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const [row] = await database.dataSource.query<{ said: string; after: number }[]>(
          'SELECT ? AS said, ? AS after',
          [new QuotedText(text), 7],
        );
        expect(row).toEqual({ said: text, after: 7 });
      }),
      { numRuns: 200 },
    );
  });

  it('of rows are the same JSON there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 5 }), async (some) => {
        const rows = await database.dataSource.query<{ said: string }[]>(
          `SELECT j.said FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, said TEXT CHARACTER SET utf8mb4 PATH '$[0]')) j ORDER BY j.n`,
          [jsonRows(some.map((text) => [text]))],
        );
        expect(rows.map(({ said }) => said)).toEqual(some);
      }),
      { numRuns: 100 },
    );
  });
});
