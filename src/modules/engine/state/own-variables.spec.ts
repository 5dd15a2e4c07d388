import { describe, expect, it } from 'vitest';
import { blockText, readBlock } from './own-variables.js';

describe('a block of variables', () => {
  it('is read as it was written, whatever the values hold', () => {
    const some = [
      { name: 'Ann, "the" first; or so', 城市: 'Rome' },
      undefined,
      { name: '1;2,3;\n\\\u0000\u001f' },
      { 城市: '😀 مدينة', name: "O'Hara" },
      Object.fromEntries([['__proto__', 'x']]),
    ];
    const text = blockText(some) ?? '';
    const read = readBlock(text);
    expect(read).toHaveLength(some.length);
    expect(read.map((each) => each && Object.entries(each).sort())).toEqual(
      some.map((each) => each && Object.entries(each).sort()),
    );
  });

  it('has the names once, and the lengths before the values', () => {
    expect(blockText([{ name: 'Ann', city: 'Rome' }, { name: 'Marie' }])).toBe('name,city;3,4,5,0;AnnRomeMarie');
  });

  it('takes an empty value for none', () => {
    expect(readBlock(blockText([{ a: '', b: 'x' }, { a: '' }]) ?? '')).toEqual([{ b: 'x' }, undefined]);
  });

  it('is not there where none of the recipients has any', () => {
    expect(blockText([undefined, {}])).toBeNull();
  });

  it('refuses names that it could not be read by', () => {
    expect(() => blockText([{ 'a,b': 'x' }])).toThrow(RangeError);
  });
});
