import { describe, expect, it } from 'vitest';
import { readSender } from './index.js';

describe('the sender of a text', () => {
  it.each([
    ['+44 (0)7911 000012', 'international', null, '447911000012'],
    ['447911000012', 'international', 'IN', '447911000012'],
    ['9812345678', 'international', 'IN', '9812345678'],
    ['9812345678', 'national', 'IN', '919812345678'],
    ['+447911000012', 'national', 'IN', '447911000012'],
    ['09812345678', 'open', 'IN', '919812345678'],
    ['57575', 'international', null, '57575'],
    ['919812345678@s.example', 'open', null, '919812345678'],
    ['SHOP', 'name', 'IN', 'SHOP'],
  ] as const)('%s (%s, %s) is %s', (written, form, country, read) => {
    expect(readSender(written, form, country)).toBe(read);
  });
});
