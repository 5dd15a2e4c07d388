import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isObject,
  keepInexact,
  objectOrEmpty,
  objectOrNull,
  readJsonObject,
  refusedDigits,
  refuseInexact,
  refuseInexactIn,
  shownValue,
} from './json-values.js';

describe('an object of JSON', () => {
  it.each([[{}], [{ a: 1 }], [Object.create(null)]])('is %j', (value: unknown) => {
    expect(isObject(value)).toBe(true);
    expect(objectOrNull(value)).toBe(value);
    expect(objectOrEmpty(value)).toBe(value);
  });

  it.each([[null], [undefined], [[]], [[{}]], ['{}'], [1], [true]])('is not %j', (value) => {
    expect(isObject(value)).toBe(false);
    expect(objectOrNull(value)).toBeNull();
    expect(objectOrEmpty(value)).toEqual({});
  });

  it.each([
    ['{"a":1}', { a: 1 }],
    ['[1]', null],
    ['null', null],
    ['{', null],
    ['', null],
  ])('is read of %j', (text, expected) => expect(readJsonObject(text)).toEqual(expected));
});

describe('numbers of JSON that a double does not hold', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '9007199254740992',
    '919800000000000000789',
    '9.007199254740993e15',
    '90071992547409930e-1',
    '9.198e30',
    '1e16',
    '1e400',
    '-1E+400',
    '4503599627370497.3',
    '1e-400',
    `1${'0'.repeat(400)}`,
  ])('%s is refused from clients, and kept from gateways', (number) => {
    const text = `{"a":[${number} ,1],"b": ${number}\n}`;
    const refused = JSON.parse(refuseInexact(text)) as { a: unknown[]; b: unknown };
    expect(refused).toEqual({ a: [[{ '': number }], 1], b: [{ '': number }] });
    expect([refusedDigits(refused.b), shownValue(refused.b)]).toEqual([number, number.slice(0, 64)]);
    expect(JSON.parse(keepInexact(text))).toEqual({ a: [number, 1], b: number });
    const bytes = Buffer.from(`{"é":"ü","a":${number}}`);
    expect(JSON.parse(refuseInexactIn(bytes).toString())).toEqual({ é: 'ü', a: [{ '': number }] });
  });

  it.each([
    '9007199254740991',
    '-9007199254740991',
    '919812345678',
    '9.198e11',
    '9.19812345678E+11',
    '1000e-2',
    '10.000000000000000000',
    '0.35',
    '0.1234567890123456789',
    '0e999',
    '0',
    '-0',
  ])('%s is taken', (number) => {
    const text = `{"a":${number}}`;
    expect([refuseInexact(text), keepInexact(text)]).toEqual([text, text]);
  });

  it.each([
    '"9007199254740993"',
    '{"9007199254740993":"1e400 \\" 9007199254740993 \\\\"}',
    '["\\\\\\"9007199254740993"]',
    '{"a":"9007199254740993',
    '09007199254740993x',
  ])('texts, and what is no JSON, stay as they are: %s', (text) => {
    const result = refuseInexact(text);
    if (text.startsWith('0')) expect(() => JSON.parse(result) as unknown).toThrow(SyntaxError);
    else expect(result).toBe(text);
  });

  it('a body of nothing else becomes no much longer one: the first thousand have their digits', () => {
    const text = `[${'1e16,'.repeat(5_000)}1]`;
    const refusing = refuseInexact(text);
    const refused = JSON.parse(refusing) as unknown[];
    expect(refused).toHaveLength(5_001);
    expect(refused.filter((value) => refusedDigits(value) === '1e16')).toHaveLength(1_000);
    expect(refused.filter((value) => JSON.stringify(value) === '[{}]')).toHaveLength(4_000);
    expect(refusing.length).toBe(text.length + 9 * 1_000);
  });

  it('and no other value is taken for such a number', () => {
    const others = [[], [{}], [[]], [null], [{ '': 1 }], [{ '': '1' }, 1], ['1'], { '': '1' }, null, 1, '1'];
    expect(others.map(refusedDigits)).toEqual(others.map(() => null));
  });

  it('changes no JSON of safe numbers', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.boolean(), (text, isSpaced) => {
        const parsed: unknown = JSON.parse(text);
        const written = JSON.stringify(parsed, null, isSpaced ? 2 : 0);
        const isSafe = (value: unknown): boolean =>
          typeof value === 'number'
            ? !Number.isInteger(value) || Number.isSafeInteger(value)
            : typeof value !== 'object' || value === null || Object.values(value).every(isSafe);
        if (isSafe(parsed)) expect(JSON.parse(refuseInexact(written))).toEqual(parsed);
        else expect(JSON.parse(keepInexact(written))).not.toEqual(parsed);
      }),
    );
  });

  it.each([
    ['digits', (length: number) => `[${'1'.repeat(length)}]`],
    ['quotes in a text', (length: number) => `["${'\\"'.repeat(length / 2)}",1e9]`],
    ['numbers', (length: number) => '-1e5,'.repeat(length / 5)],
    ['numbers that are refused', (length: number) => '1e16,'.repeat(length / 5)],
  ])('takes a time in line with the length of what it reads: %s', (_, textOf) => {
    /** milliseconds, the best of several: what other processes do only adds to them */
    const best = (text: string): number =>
      Math.min(
        ...Array.from({ length: 7 }, () => {
          const begun = performance.now();
          refuseInexact(text);
          return performance.now() - begun;
        }),
      );
    const [short, long] = [textOf(25_000), textOf(1_600_000)];
    // 64 times the length; a time that grows with its square would be 4,096 times as long
    expect(best(long)).toBeLessThan(2_048 * best(short));
  });
});
