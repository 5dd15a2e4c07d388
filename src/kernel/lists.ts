import { invalid } from './errors.js';

/** Key of the last row of a page: an id or a text. */
export type ListPosition = number | string;

/** The requested page of a list. */
export interface Page {
  /** from 1; ignored with `after` */
  page: number;
  limit: number;
  /** cursor: only rows behind this key; null = use `page` */
  after: ListPosition | null;
}

/** A page of a list. */
export interface Listed<T> {
  items: T[];
  /** rows of the whole list, at most `MOST_COUNTED` */
  total: number;
  /** true if there may be more rows than `total` */
  isCapped: boolean;
  /** cursor of the next page; null = none */
  next: ListPosition | null;
}

/** Counting stops here, so that a total has a bounded cost. */
export const MOST_COUNTED = 10_000;

export const NOTHING_LISTED = { items: [], total: 0, isCapped: false, next: null } satisfies Listed<never>;

/** Deepest offset of a page; a cursor reaches further. */
export const MOST_PASSED_OVER = 1_000_000;

export const pageTooDeep = invalid(
  'page_too_deep',
  'page is too deep: go on with cursor',
  `over ${MOST_PASSED_OVER.toLocaleString('en')} entries before it, and that many there are`,
);

/** The page of a single row. */
export const ONE: Page = { page: 1, limit: 1, after: null };

export const offsetOf = ({ page, limit, after }: Page): number => (after === null ? (page - 1) * limit : 0);

// Count and page are two statements: rows inserted between them would exceed the total.
export function withTotalShown<T>(page: Page, listed: Listed<T>): Listed<T> {
  const { items, total, next } = listed;
  if (items.length === 0) return listed;
  const shown = offsetOf(page) + items.length + (next === null ? 0 : 1);
  return { ...listed, total: Math.max(total, Math.min(MOST_COUNTED, shown)) };
}

export const shown = <T, S>(listed: Listed<T>, show: (item: T) => S): Listed<S> => ({
  ...listed,
  items: listed.items.map(show),
});

/** A page of a list in memory, ascending by its key. */
export function partOf<T>(all: readonly T[], keyOf: (item: T) => ListPosition, page: Page): Listed<T> {
  const { after, limit } = page;
  const rest = after === null ? all : all.filter((item) => keyOf(item) > after);
  const from = offsetOf(page);
  const items = rest.slice(from, from + limit);
  const last = items.at(-1);
  const next = last !== undefined && rest.length > from + limit ? keyOf(last) : null;
  return { items, total: all.length, isCapped: false, next };
}
