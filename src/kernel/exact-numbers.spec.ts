import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepInexact, refuseInexact, refuseInexactIn } from './exact-numbers.js';

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
    expect(JSON.parse(refuseInexact(text))).toEqual({ a: [[{}], 1], b: [{}] });
    expect(JSON.parse(keepInexact(text))).toEqual({ a: [number, 1], b: number });
    const bytes = Buffer.from(`{"é":"ü","a":${number}}`);
    refuseInexactIn(bytes);
    expect(JSON.parse(bytes.toString())).toEqual({ é: 'ü', a: [{}] });
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

  it('takes a time in line with the length of what it reads', () => {
    const hostile = [`[${'1'.repeat(2_000_000)}]`, `["${'\\"'.repeat(1_000_000)}",1e9]`, '-1e5,'.repeat(400_000)];
    const begun = performance.now();
    for (const text of hostile) refuseInexact(text);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
