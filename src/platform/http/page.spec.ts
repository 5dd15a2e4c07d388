import { describe, expect, it } from 'vitest';
import type { Page, ListPosition } from '../../kernel/lists.js';
import { type ListKind, paged, readListPage, readPage } from './page.js';

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
});

describe('the part of a list', () => {
  const ids: ListKind = { name: 'things', positions: 'ids' };
  const texts: ListKind = { name: 'names', positions: 'texts' };
  const page: Page = { page: 2, limit: 1, after: null };
  const cursorOf = (kind: ListKind, next: ListPosition): string =>
    paged(kind, page, { items: [], total: 3, isCapped: false, next }).next_cursor ?? '';

  it('is answered with what stands below it; a capped total says so', () => {
    expect(paged(ids, page, { items: ['a'], total: 3, isCapped: false, next: null })).toEqual({
      success: true,
      data: ['a'],
      page: 2,
      limit: 1,
      total: 3,
      next_cursor: null,
    });
    const capped = paged(ids, page, { items: ['a'], total: 10_000, isCapped: true, next: 7 });
    expect(capped).toMatchObject({ total: 10_000, total_is_capped: true, next_cursor: expect.any(String) as string });
  });

  it.each([
    [{ page: 1, limit: 5, after: null }, 1, null, 0, 1],
    [{ page: 3, limit: 5, after: null }, 2, null, 11, 12],
    [{ page: 3, limit: 5, after: null }, 5, 15, 15, 16],
    [{ page: 9, limit: 5, after: 4 }, 5, 15, 0, 6],
    [{ page: 2, limit: 5, after: null }, 0, null, 4, 4],
    [{ page: 1, limit: 5, after: null }, 1, null, 7, 7],
    [{ page: 300, limit: 50, after: null }, 50, 9, 10_000, 10_000],
  ])(
    'has a total that is never smaller than %o with %d items, next %s: %d becomes %d',
    (asked, shown, next, total, said) => {
      const items = Array.from({ length: shown }, (_, index) => index);
      expect(paged(ids, asked, { items, total, isCapped: false, next }).total).toBe(said);
    },
  );

  it.each<[ListKind, ListPosition]>([
    [ids, 0],
    [ids, Number.MAX_SAFE_INTEGER],
    [texts, ''],
    [texts, 'a "quoted" ~'],
  ])('is found again by its cursor: %o %s', (kind, position) => {
    const cursor = cursorOf(kind, position);
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(readListPage(kind, { cursor, page: '9', limit: '5' })).toEqual({ page: 9, limit: 5, after: position });
  });

  it('begins by page without a cursor', () => {
    for (const query of [{}, { cursor: '' }]) expect(readListPage(ids, query)).toMatchObject({ page: 1, after: null });
  });

  it.each([
    ['x'],
    ['%%%'],
    [{ a: 1 }],
    [[cursorOf(ids, 1), cursorOf(ids, 2)]],
    [cursorOf(ids, 5) + '='],
    [` ${cursorOf(ids, 5)}`],
    [cursorOf(texts, 'a')],
    [cursorOf({ name: 'others', positions: 'ids' }, 5)],
    [Buffer.from('["things","5"]').toString('base64url')],
    [Buffer.from('["things",-5]').toString('base64url')],
    [Buffer.from('["things",1.5]').toString('base64url')],
    [Buffer.from('["things",9007199254740993]').toString('base64url')],
    [Buffer.from('["things",5,6]').toString('base64url')],
    [Buffer.from('{"1":5}').toString('base64url')],
    ['A'.repeat(100_000)],
  ])('refuses the cursor %o', (cursor) => {
    expect(() => readListPage(ids, { cursor })).toThrow('cursor is invalid');
  });

  it.each(['Zoë', '\u0000', '٣', '😀', '9'.repeat(256)])(
    'refuses the place %j, which no column can have',
    (position) => {
      expect(() => readListPage(texts, { cursor: cursorOf(texts, position) })).toThrow('cursor is invalid');
    },
  );
});
