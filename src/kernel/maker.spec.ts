import { describe, expect, it } from 'vitest';
import { LONGEST_MAKER, type Maker, makerForOwner, makerText, readMaker } from './maker.js';
import { codePoints } from './text.js';

describe('a maker', () => {
  it('comes back from its text, whatever its name', () => {
    const makers: Maker[] = [
      { kind: 'account', id: 1, name: 'jane' },
      { kind: 'person', id: 373_662_154_973_185, name: 'a.b-c' },
      { kind: 'key', id: 3, name: 'Shop: back\nend' },
      { kind: 'staff', id: 4, name: '' },
    ];
    for (const maker of makers) expect(readMaker(makerText(maker))).toEqual(maker);
  });

  it('fits its column, by whole characters', () => {
    const text = makerText({ kind: 'key', id: 3, name: '\u{1F600}'.repeat(200) });
    expect(codePoints(text)).toBe(LONGEST_MAKER);
    expect(readMaker(text)?.name).toMatch(/^\u{1F600}+$/u);
  });

  it('is unknown of things of the past, and of odd texts', () => {
    for (const text of [null, '', 'person', 'king:1:x', 'key:x:y']) expect(readMaker(text)).toBeNull();
  });

  it('of staff is not named to owners', () => {
    expect(makerForOwner('staff:4:root')).toEqual({ kind: 'staff', id: null, name: null });
    expect(makerForOwner('person:4:ann')).toEqual({ kind: 'person', id: 4, name: 'ann' });
    expect(makerForOwner(null)).toBeNull();
  });
});
