import { invalid } from './errors.js';

/** Where a part of a list ended: the key of its last row, an id or a text. */
export type Place = number | string;

/** Which part of a list is asked for. */
export interface Page {
  /** counts from 1; without meaning beside `after` */
  page: number;
  limit: number;
  /** only what comes behind this place; null = the part is told by `page` */
  after: Place | null;
}

/** A part of a list. */
export interface Listed<T> {
  items: T[];
  /** of the whole list, `MOST_COUNTED` at the most */
  total: number;
  /** true when there are, or may be, more than `total` */
  isCapped: boolean;
  /** behind which the list goes on; null = nothing follows */
  next: Place | null;
}

/** Rows of a list are counted up to here, so that a total costs the same however long the list is. */
export const MOST_COUNTED = 10_000;

/** The list that has nothing. */
export const NOTHING_LISTED = { items: [], total: 0, isCapped: false, next: null } satisfies Listed<never>;

/** A list is passed over by pages up to here; a cursor reaches everything. */
export const MOST_PASSED_OVER = 1_000_000;

export const pageTooDeep = invalid(
  'page_too_deep',
  'page is too deep: go on with cursor',
  `over ${MOST_PASSED_OVER.toLocaleString('en')} entries before it, and that many there are`,
);

/** The page of a list that has one entry. */
export const ONE: Page = { page: 1, limit: 1, after: null };

/** Entries before a page. */
export const offsetOf = ({ page, limit, after }: Page): number => (after === null ? (page - 1) * limit : 0);

/**
 * The part with a total that is never smaller than what it shows: rows are counted by a statement of their own, and some may have come
 * between that one and the next.
 */
export function withTotalShown<T>(page: Page, listed: Listed<T>): Listed<T> {
  const { items, total, next } = listed;
  if (items.length === 0) return listed;
  const shown = offsetOf(page) + items.length + (next === null ? 0 : 1);
  return { ...listed, total: Math.max(total, Math.min(MOST_COUNTED, shown)) };
}

/** The same part, its items shown otherwise. */
export const shown = <T, S>(listed: Listed<T>, show: (item: T) => S): Listed<S> => ({
  ...listed,
  items: listed.items.map(show),
});

/** The part of a list that is in memory, ascending by its key. */
export function partOf<T>(all: readonly T[], keyOf: (item: T) => Place, page: Page): Listed<T> {
  const { after, limit } = page;
  const rest = after === null ? all : all.filter((item) => keyOf(item) > after);
  const from = offsetOf(page);
  const items = rest.slice(from, from + limit);
  const last = items.at(-1);
  const next = last !== undefined && rest.length > from + limit ? keyOf(last) : null;
  return { items, total: all.length, isCapped: false, next };
}
