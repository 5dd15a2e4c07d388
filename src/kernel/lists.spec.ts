import { describe, expect, it } from 'vitest';
import { offsetOf, type Page, partOf } from './lists.js';

const names = ['a', 'b', 'c', 'd', 'e'];
const part = (page: Page) => partOf(names, (name) => name, page);

describe('a part of a list in memory', () => {
  it('is a page, and tells where it ended while more follows', () => {
    expect(part({ page: 1, limit: 2, after: null })).toEqual({
      items: ['a', 'b'],
      total: 5,
      isCapped: false,
      next: 'b',
    });
    expect(part({ page: 3, limit: 2, after: null })).toMatchObject({ items: ['e'], next: null });
    expect(part({ page: 9, limit: 2, after: null })).toMatchObject({ items: [], total: 5, next: null });
  });

  it('goes on behind a place, also one that has gone; the page counts no more', () => {
    expect(part({ page: 7, limit: 2, after: 'b' })).toMatchObject({ items: ['c', 'd'], total: 5, next: 'd' });
    expect(part({ page: 1, limit: 2, after: 'bb' })).toMatchObject({ items: ['c', 'd'] });
    expect(part({ page: 1, limit: 2, after: 'd' })).toMatchObject({ items: ['e'], next: null });
    expect(part({ page: 1, limit: 2, after: 'e' })).toMatchObject({ items: [], next: null });
  });

  it('has what stands before it passed over by its page alone', () => {
    expect([offsetOf({ page: 3, limit: 50, after: null }), offsetOf({ page: 3, limit: 50, after: 7 })]).toEqual([
      100, 0,
    ]);
  });
});
