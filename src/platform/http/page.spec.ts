import { describe, expect, it } from 'vitest';
import { paged, readPage } from './page.js';

describe('readPage', () => {
  it.each([
    [{}, 1, 50],
    [{ page: '3', limit: '20' }, 3, 20],
    [{ page: '0', limit: '0' }, 1, 1],
    [{ page: '-5', limit: '-1' }, 1, 1],
    [{ page: '1.9', limit: '1001' }, 1, 1000],
    [{ page: 'x', limit: 'many' }, 1, 50],
    [{ page: '', limit: ' ' }, 1, 50],
    [{ page: ['2'], limit: { a: 1 } }, 1, 50],
    [{ page: 'Infinity', limit: '1e9' }, 1_000_000_000, 1000],
  ])('reads %o as page %d of %d', (query, page, limit) => {
    expect(readPage(query)).toEqual({ page, limit });
  });

  it('gives lists their common answer', () => {
    expect(paged(['a'], { page: 2, limit: 1 }, 3)).toEqual({ success: true, data: ['a'], page: 2, limit: 1, total: 3 });
  });
});
