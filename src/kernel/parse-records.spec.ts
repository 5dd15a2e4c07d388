import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TooMuchJson } from './json-text.js';
import { JsonRecords } from './json-records.js';
import { parseWithRecords } from './parse-records.js';

const FIELD = 'recipients';
/** More than a text has that is parsed at once. */
const LONG = 'x'.repeat(64 * 1024);

/** What a text is, with an object of every item. */
async function read(text: string, most = 100_000): Promise<unknown> {
  const parsed = (await parseWithRecords(text, FIELD, most)) as Record<string, unknown> | null;
  const list = parsed?.[FIELD];
  return list instanceof JsonRecords ? { ...parsed, [FIELD]: [...list] } : parsed;
}

/** What a text is, or that it is none. */
const outcome = async (parse: () => unknown): Promise<unknown> => {
  try {
    return { parsed: await parse() };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return 'no JSON';
  }
};

const records = async (items: readonly unknown[], most = 100_000): Promise<JsonRecords> => {
  const parsed = await parseWithRecords(JSON.stringify({ pad: LONG, [FIELD]: items }), FIELD, most);
  const list = (parsed as Record<string, unknown>)[FIELD];
  if (!(list instanceof JsonRecords)) throw new Error('the list was parsed');
  return list;
};

const name = fc.oneof(
  fc.constantFrom('to', 'variables', 'name', 'city', '__proto__', 'constructor', '1', 'a"b', 'नाम', FIELD),
  fc.string(),
);
const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('', ' ', '\\', '"', '\n', '919'));
const scalar = fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null));
const fields = fc.dictionary(name, scalar, { maxKeys: 6 });
const item = fc.oneof(
  { weight: 6, arbitrary: fc.record({ to: text, variables: fields }) },
  { weight: 3, arbitrary: fc.dictionary(name, fc.oneof(scalar, fields), { maxKeys: 5 }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const body = fc
  .tuple(fc.dictionary(name, fc.jsonValue(), { maxKeys: 3 }), fc.array(item, { maxLength: 8 }), fc.boolean())
  .map(([others, items, isFirst]) =>
    isFirst ? { [FIELD]: items, ...others, pad: LONG } : { ...others, pad: LONG, [FIELD]: items },
  );
/** With spaces between, and letters beyond ASCII written as such or as escapes. */
const written = fc.tuple(body, fc.constantFrom(0, 1, '\t'), fc.boolean()).map(([value, space, isEscaped]) => {
  const json = JSON.stringify(value, null, space);
  return isEscaped
    ? json.replace(/[^\x20-\x7e\s]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;
});

describe('a long list within a JSON text', () => {
  it('is what JSON.parse makes of it', async () => {
    await fc.assert(
      fc.asyncProperty(written, async (json) => {
        expect(await read(json)).toEqual(JSON.parse(json));
      }),
      { numRuns: 400 },
    );
  });

  it('is no JSON where JSON.parse says so, and otherwise the same, whatever was damaged', async () => {
    const damage = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(2),
      fc.constantFrom('', '"', ',', ':', '{', '}', '[', ']', '\\', '0', '-', 'e', '.', 't', ' ', '\u0000', '[]', '{}'),
    );
    await fc.assert(
      fc.asyncProperty(written, fc.array(damage, { minLength: 1, maxLength: 3 }), async (json, damages) => {
        // where the padding stands a damage would seldom hit anything
        const at = json.indexOf(LONG);
        let short = json.slice(0, at) + json.slice(at + LONG.length);
        for (const [share, cut, put] of damages) {
          const place = Math.floor(share * short.length);
          short = short.slice(0, place) + put + short.slice(place + cut);
        }
        const long = short.replace('"pad": "', '"pad":"').replace('"pad":"', () => `"pad":"${LONG}`);
        expect(await outcome(() => read(long))).toEqual(await outcome(() => JSON.parse(long)));
      }),
      { numRuns: 1_500 },
    );
  });

  it.each([
    ['a list that comes twice', `{"recipients":[{"to":"1"}],"recipients":[{"to":"2"}],"pad":"${LONG}"}`],
    ['a name that is written with an escape', `{"recipients":[{"to":"1"}],"r\\u0065cipients":[2],"pad":"${LONG}"}`],
    ['a field that comes twice', `{"recipients":[{"to":"1","to":"2","v":{"a":"x","a":"y"}}],"pad":"${LONG}"}`],
    ['an item that is no object', `{"recipients":[1,"x",null,[{"to":"1"}],{}],"pad":"${LONG}"}`],
    ['no items', `{"recipients":[ ],"pad":"${LONG}"}`],
    ['a value that is no list', `{"recipients":{"to":"1"},"pad":"${LONG}"}`],
    ['a list in a list', `{"x":{"recipients":[1]},"recipients":[{"to":"1"}],"pad":"${LONG}"}`],
    ['a list as the whole text', `[{"recipients":[1]},"${LONG}"]`],
    ['a text alone', `"${LONG}"`],
    ['a short text', '{"recipients":[{"to":"1"}]}'],
  ])('%s is read as ever', async (_, json) => {
    expect(await read(json)).toEqual(JSON.parse(json));
  });

  it.each([
    ['a comma at the end', `{"recipients":[{"to":"1"},],"pad":"${LONG}"}`],
    ['a comma in an item', `{"recipients":[{"to":"1",}],"pad":"${LONG}"}`],
    ['a control character', `{"recipients":[{"to":"1\u0001"}],"pad":"${LONG}"}`],
    ['a number that begins with 0', `{"recipients":[{"to":"1","v":{"a":01}}],"pad":"${LONG}"}`],
    ['an unknown escape', `{"recipients":[{"to":"1\\x"}],"pad":"${LONG}"}`],
    ['a list without an end', `{"pad":"${LONG}","recipients":[{"to":"1"}`],
    ['something behind the end', `{"recipients":[{"to":"1"}],"pad":"${LONG}"}}`],
  ])('%s is no JSON', async (_, json) => {
    await expect(read(json)).rejects.toThrow(SyntaxError);
  });

  it('tells what stands in the fields of an item', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 8 }), async (items) => {
        const list = await records(items);
        expect(list.length).toBe(items.length);
        const given = JSON.parse(JSON.stringify(items)) as unknown[];
        for (const [index, each] of given.entries()) {
          expect(list.item(index)).toEqual(each);
          if (!list.isPlain(index)) continue;
          for (const [field, value] of Object.entries(each as Record<string, unknown>)) {
            if (typeof value !== 'object' || value === null) {
              expect(list.valueOf(index, list.field(field))).toEqual(value);
              continue;
            }
            const inner = Object.entries(value);
            const told: [string, unknown][] = [];
            expect(list.valueOf(index, list.field(field))).toBeUndefined();
            const own = list.field(field);
            const asking = { text: () => false, value: (...one: [string, unknown]) => told.push(one) > 0 };
            expect(list.hasFields(index, own, inner.length, asking)).toBe(true);
            expect(Object.fromEntries(told)).toEqual(value);
            expect(list.hasFields(index, own, inner.length - 1, asking)).toBe(inner.length === 0);
            const telling = {
              text: (name: string, length: number, first: number) => {
                const text = (value as Record<string, unknown>)[name] as string;
                return length === text.length && first === text.charCodeAt(0);
              },
              // an empty one, one with escapes, and what is none
              value: (_: string, one: unknown) =>
                typeof one !== 'string' || one === '' || JSON.stringify(one).includes('\\'),
            };
            expect(list.hasFields(index, own, inner.length, telling)).toBe(true);
            const texts = Object.fromEntries(inner.map(([key, one]) => [key, String(one)]));
            expect(list.textsOf(index, list.field(field))).toEqual(inner.length === 0 ? undefined : texts);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('counts the items that are more than are looked at, and keeps none of them', async () => {
    const list = await records(
      Array.from({ length: 7 }, (_, index) => ({ to: String(index) })),
      5,
    );
    expect(list.length).toBe(7);
    expect([...list]).toEqual([0, 1, 2, 3, 4].map((index) => ({ to: String(index) })));
  });

  it('takes texts with escapes that are longer than a stack is deep', async () => {
    const name = '\n'.repeat(3_000_000);
    const list = await records([{ to: '1', v: { name } }]);
    expect(list.textsOf(0, list.field('v'))).toEqual({ name });
  });

  it('is plain whatever its inner names are, and however many', async () => {
    const inner = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`n${index}`, 'x']));
    const list = await records([{ v: inner, to: '1' }]);
    expect([list.isPlain(0), list.valueOf(0, list.field('to'))]).toEqual([true, '1']);
  });

  it('has no item that it has not kept', async () => {
    const list = await records([{ to: '1' }, { to: '2' }], 1);
    expect(() => list.item(1)).toThrow(RangeError);
  });

  it('knows how deep its items are', async () => {
    expect((await records([])).deepest).toBe(0);
    expect((await records([1])).deepest).toBe(0);
    expect((await records([{ to: '1' }])).deepest).toBe(1);
    expect((await records([{ to: '1' }, { variables: {} }])).deepest).toBe(2);
    expect((await records([{ to: { a: [{ b: [] }] } }])).deepest).toBe(5);
    expect((await records([[[[]]], {}])).deepest).toBe(3);
    const twice = `{"recipients":[{"to":"1","v":[[[[1]]]],"v":1}],"pad":"${LONG}"}`;
    const parsed = (await parseWithRecords(twice, FIELD, 9)) as Record<string, JsonRecords>;
    expect(parsed[FIELD]?.deepest).toBe(1);
  });
});

describe('what a long text may ask of the parser', () => {
  const MOST = 500_000;
  const MOST_VALUES = 1_000_000;
  const times = (unit: string, count: number): string => `${`${unit},`.repeat(count - 1)}${unit}`;

  it.each([
    ['objects beside the list', `{"contacts":[${times('{}', MOST)}],"recipients":[{"to":"1"}]}`],
    ['objects without the list', `{"contacts":[${times('{}', MOST)}]}`],
    ['lists one within the other', `{"x":${'['.repeat(MOST)}${']'.repeat(MOST)}}`],
    ['lists in a list', `[${times('[]', MOST)}]`],
    ['a list that comes twice', `{"recipients":[${times('{}', MOST / 2)}],"recipients":[${times('{}', MOST / 2)}]}`],
    ['objects in one item', `{"recipients":[[${times('{}', MOST)}]]}`],
    ['items that the parser reads', `{"recipients":[${times('1', MOST + 1)}]}`],
    ['items that are plain', `{"recipients":[${times('{}', MOST + 1)}]}`],
    ['items and what stands before', `{"x":[${times('{}', MOST / 2)}],"recipients":[${times('[]', MOST / 2)}]}`],
    ['items and what stands behind', `{"recipients":[${times('[]', MOST / 2)}],"x":[${times('{}', MOST / 2)}]}`],
    ['what is no JSON', `{"x":[${'{'.repeat(MOST)}`],
    ['numbers', `{"contacts":[${times('1', MOST_VALUES + 1)}]}`],
    ['texts', `["${times('","', MOST_VALUES + 1)}"]`],
    ['fields', `{"x":{${times('"a":1', MOST_VALUES + 1)}}}`],
    ['numbers before and behind the list', `{"x":[${times('1', MOST)}],"recipients":[],"y":[${times('1', MOST)}]}`],
    ['numbers in one item', `{"recipients":[[${times('1', MOST_VALUES + 1)}]]}`],
  ])('is refused for too many: %s', async (_, json) => {
    await expect(parseWithRecords(json, FIELD, 5)).rejects.toThrow(TooMuchJson);
  });

  it.each([
    ['as many as may be', `{"contacts":[${times('{}', MOST - 2)}]}`],
    ['as many numbers', `{"contacts":[${times('1', MOST_VALUES)}]}`],
    ['as many numbers in one item', `{"recipients":[[${times('1', MOST_VALUES)}]]}`],
    ['brackets in texts', `{"x":"${'[{'.repeat(MOST)}","y":"\\"${'{'.repeat(MOST)}"}`],
    ['items that are looked through first', `{"recipients":[${times('[]', MOST * 0.6)}],"r\\u0065cipients":1}`],
  ])('is enough for %s', async (_, json) => {
    // not by `toEqual`, which would take minutes to print what differs
    expect(JSON.stringify(await read(json)) === JSON.stringify(JSON.parse(json))).toBe(true);
  });

  it('is enough for a hundred thousand recipients, plain or not', async () => {
    for (const more of [{}, { tags: ['x'], more: {} }]) {
      const one = JSON.stringify({ to: '1', variables: { name: 'x' }, ...more });
      const json = `{"recipients":[${times(one, 100_000)}]}`;
      expect(await parseWithRecords(json, FIELD, 100_000)).toMatchObject({ recipients: { length: 100_000 } });
    }
  });

  it('is enough for more values than may be, item by item, whatever the names beside them are', async () => {
    const variables = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`v${index}`, 'x']));
    const count = MOST_VALUES / 50 + 1;
    for (const more of [{}, { tags: ['x'] }]) {
      const json = `{"n\\u0061me":1,"recipients":[${times(JSON.stringify({ to: '1', variables, ...more }), count)}]}`;
      expect(await parseWithRecords(json, FIELD, 100_000)).toMatchObject({ name: 1, recipients: { length: count } });
    }
  });

  it('is found out while others have their turn', async () => {
    let ticks = 0;
    setImmediate(() => (ticks += 1));
    await parseWithRecords(`{"contacts":[${times('123456789012', 50_000)}]}`, FIELD, 5);
    expect(ticks).toBe(1);
  });
});
