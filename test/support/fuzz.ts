import fc from 'fast-check';

/**
 * What all fuzzing of a run begins with: the same for every run where `FUZZ_SEED` says nothing else (.config/vitest.config.ts;
 * `random` takes a new one and prints it). `FUZZ_TIMES` makes a run so many times as long.
 */
export const FUZZ_SEED = Number(process.env['FUZZ_SEED']);
const TIMES = Number(process.env['FUZZ_TIMES'] ?? 1);

/** Values of this run's seed. */
export function samples<T>(arbitrary: fc.Arbitrary<T>, count: number): T[] {
  say();
  return fc.sample(arbitrary, { seed: FUZZ_SEED, numRuns: count * TIMES });
}

/** Tries a property so many times, one after another; what is stored meanwhile stays, so a fault is not made smaller. */
export async function fuzz<T>(
  arbitrary: fc.Arbitrary<T>,
  count: number,
  property: (value: T) => Promise<void>,
): Promise<void> {
  say();
  const settings = { seed: FUZZ_SEED, numRuns: count * TIMES, endOnFailure: true, interruptAfterTimeLimit: 90_000 };
  await fc.assert(fc.asyncProperty(arbitrary, property), settings);
}

let isSaid = false;

function say(): void {
  if (!isSaid) process.stdout.write(`Fuzzing with FUZZ_SEED=${FUZZ_SEED}\n`);
  isSaid = true;
}

/** Names that every object has in JavaScript, and a table of names must not answer to. */
export const PROTOTYPE_KEYS = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf', 'isPrototypeOf'];

/** Texts that have broken something somewhere. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...PROTOTYPE_KEYS),
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e9',
    'NaN',
    'null',
    '\0',
    'a\0b',
    '\ud800',
    '\udfff x',
    '\u202e',
    '\ufeff',
    "' OR 1=1 -- ",
  ),
  fc.constantFrom('id:', 'stat:DELIVRD', 'id:1 stat:DELIVRD', '%', '_', '\\', '"', '[]', '{}', '$[*]', '😀'.repeat(70)),
  fc.integer({ min: 60, max: 2_000 }).map((length) => 'x'.repeat(length)),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ maxLength: 200 }),
);

/** JSON values of all kinds. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      2 ** 53,
      -(2 ** 63),
      1e308,
      [],
      {},
      [[]],
      [null],
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...PROTOTYPE_KEYS, 'id', 'a'), fc.jsonValue({ maxDepth: 1 })) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 10, max: 30 })
      .map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown),
  },
);
