import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonRecords } from '../../../kernel/json-records.js';
import { parseWithRecords } from '../../../kernel/parse-records.js';
import { readNumber } from '../../../kernel/phone-numbers.js';
import { type JsonRecipients, readJsonRecipients, repeatedNumbers } from './json-recipients.js';

const LONG = 'x'.repeat(64 * 1024);

/** Everything that was read, the variables of each with it. */
const all = ({ variablesOf, ...rest }: JsonRecipients) => ({
  ...rest,
  variables: rest.numbers.map((_, index) => variablesOf(index)),
});

const recordsOf = async (entries: readonly unknown[]): Promise<JsonRecords> => {
  const json = JSON.stringify({ recipients: entries, pad: LONG });
  const { recipients } = (await parseWithRecords(json, 'recipients', entries.length)) as { recipients: unknown };
  if (!(recipients instanceof JsonRecords)) throw new Error('the list was parsed');
  return recipients;
};

const number = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('919800000001', '+91 98000-00002', '919800000003', 919_800_000_004) },
  { weight: 1, arbitrary: fc.constantFrom('', null, 'x', '12', true, 2 ** 60, {}, ['919800000001'], '919\\"8') },
);
const value = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.double(), fc.boolean()) },
  { weight: 1, arbitrary: fc.constantFrom(null, '', ' \n', [], {}, 2 ** 60, 'x'.repeat(1_001), '😀'.repeat(1_000)) },
);
const names = fc.constantFrom('name', 'city', 'code', 'नाम', '1', 'constructor', '__proto__', 'a b', '');
const variables = fc.oneof(
  { weight: 8, arbitrary: fc.dictionary(names, value, { maxKeys: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom(null, 'x', 7, [], ['x']) },
  { weight: 1, arbitrary: fc.constantFrom(50, 51).map((count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, 'x']))) }, // prettier-ignore
);
const entry = fc.oneof(
  { weight: 8, arbitrary: fc.record({ to: number, variables, note: fc.string() }, { requiredKeys: ['to'] }) },
  { weight: 1, arbitrary: fc.record({ variables }) },
  { weight: 1, arbitrary: fc.constantFrom(null, 1, 'x', [], {}) },
);

describe('recipients of a body', () => {
  it('are the same, whether the list was long or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 12 }), async (given) => {
        // as a client's text has them: no undefined, no NaN
        const entries = JSON.parse(JSON.stringify(given)) as unknown[];
        const read = (some: readonly unknown[] | JsonRecords) => readJsonRecipients('recipients', some, readNumber);
        expect(all(await read(await recordsOf(entries)))).toEqual(all(await read(entries)));
      }),
      { numRuns: 1_000 },
    );
  });
});

/** As it reads: one text after the other. */
function oneByOne(numbers: readonly string[], most: number) {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  let duplicates = 0;
  for (const number of numbers) {
    if (seen.has(number)) {
      duplicates += 1;
      repeated.add(number);
    }
    seen.add(number);
  }
  return { repeated: [...repeated].slice(0, most), duplicates };
}

describe('repeated numbers', () => {
  it('are those that a set of texts finds, leading zeros, long numbers and user ids among them', () => {
    const digits = fc.stringMatching(/^[0-9]{1,20}$/);
    const near = fc.integer({ min: 0, max: 50 }).map((last) => `9198000000${String(last).padStart(2, '0')}`);
    const padded = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 9 }));
    const long = fc.integer({ min: 0, max: 5 }).map((last) => `1234567890123456${last}`);
    const number = fc.oneof(
      digits,
      near,
      long,
      padded.map(([zeros, last]) => `${'0'.repeat(zeros)}${last}`),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(number, { maxLength: 200 }), fc.integer({ min: 1, max: 20 }), (numbers, most) => {
        expect(repeatedNumbers(numbers, most)).toEqual(oneByOne(numbers, most));
      }),
    );
  });

  it('of fifteen digits and more are told apart to the last digit', () => {
    const numbers = ['999999999999999', '999999999999998', '9999999999999999', '9999999999999998'];
    expect(repeatedNumbers(numbers, 9)).toEqual({ repeated: [], duplicates: 0 });
    expect(repeatedNumbers([...numbers, ...numbers], 9)).toEqual({ repeated: numbers, duplicates: 4 });
  });
});
