import { describe, expect, it } from 'vitest';
import { QuotedText } from './quoted-text.js';

describe('a text that quotes itself', () => {
  it.each([
    ['["919800000001"]', `'["919800000001"]'`],
    ["it's", "'it''s'"],
    ['a\\n"b"', `'a\\\\n"b"'`],
    ["\\'", "'\\\\'''"],
    ['', "''"],
  ])('writes %j as %s', (text, literal) => {
    expect(new QuotedText(text).toSqlString()).toBe(literal);
  });
});
