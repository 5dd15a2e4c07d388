import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readProfileChanges } from './profile-changes.js';

const TEXTS = ['about', 'address', 'description', 'email', 'vertical'] as const;

describe('reading the fields of a profile', () => {
  it('takes what was supplied and nothing else', () => {
    expect(readProfileChanges({})).toEqual({ changes: {} });
    expect(readProfileChanges({ about: 'Bread', channel: 'branded', other: 1 })).toEqual({
      changes: { about: 'Bread' },
    });
  });

  it.each(TEXTS)('%s: a number is its text, an empty value clears, anything else is at fault', (field) => {
    expect(readProfileChanges({ [field]: 1904 })).toEqual({ changes: { [field]: '1904' } });
    for (const empty of [null, '', '  '])
      expect(readProfileChanges({ [field]: empty })).toEqual({ changes: { [field]: '' } });
    expect(readProfileChanges({ [field]: undefined })).toEqual({ changes: {} });
    for (const wrong of [true, false, {}, [], ['x'], NaN, Infinity])
      expect(readProfileChanges({ [field]: wrong })).toEqual({ fault: field });
  });

  it('websites: a list of texts without its empty entries', () => {
    expect(readProfileChanges({ websites: ['https://a.example', '', null, 7] })).toEqual({
      changes: { websites: ['https://a.example', '7'] },
    });
    for (const empty of [null, [], ['', null]])
      expect(readProfileChanges({ websites: empty })).toEqual({ changes: { websites: [] } });
    for (const wrong of ['https://a.example', '', 7, {}, [true], [['x']], [{}]])
      expect(readProfileChanges({ websites: wrong })).toEqual({ fault: 'websites' });
  });

  it('tells the first fault in the order of the fields', () => {
    expect(readProfileChanges({ websites: 1, vertical: {}, email: [] })).toEqual({ fault: 'email' });
  });

  it('never throws, and what it lets through are texts of known fields', () => {
    const field = fc.constantFrom(...TEXTS, 'websites', 'channel', '__proto__');
    fc.assert(
      fc.property(fc.dictionary(field, fc.anything()), (body) => {
        const read = readProfileChanges(body);
        if ('fault' in read) {
          expect(body[read.fault]).not.toBeUndefined();
          return;
        }
        for (const [name, value] of Object.entries(read.changes)) {
          expect(Object.keys(body)).toContain(name);
          if (name === 'websites') expect((value as unknown[]).every((item) => typeof item === 'string')).toBe(true);
          else expect(TEXTS.includes(name as (typeof TEXTS)[number]) && typeof value === 'string').toBe(true);
        }
      }),
    );
  });
});
