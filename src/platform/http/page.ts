import { fieldErrors } from '../../kernel/errors.js';
import { type Listed, type Page, pageTooDeep, type Place, withTotalShown } from '../../kernel/lists.js';

/** The answer of every list of ours (reference/requests#lists). */
export interface Paged<T> {
  success: true;
  data: T[];
  page: number;
  limit: number;
  total: number;
  total_is_capped?: true;
  next_cursor: string | null;
}

/** A list whose cursors are no other's. */
export interface ListKind {
  readonly name: string;
  /** what its places are; texts are of ASCII, as their columns are */
  readonly places: 'ids' | 'texts';
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;
const MAX_PAGE = 1_000_000_000;
const TEXT_PLACE = /^[\x20-\x7e]{0,255}$/;

/** Reads `page` and `limit` of a query; odd values are clamped, never refused (reference/requests#lists). */
export function readPage(query: Record<string, unknown>): Omit<Page, 'after'> {
  return { page: clamp(query['page'], 1, MAX_PAGE), limit: clamp(query['limit'], DEFAULT_LIMIT, MAX_LIMIT) };
}

/** What is answered to a cursor that is none, and to pages too deep: the last rows of a list's error table. */
export const LIST_ERRORS = [
  fieldErrors.invalid.shown('cursor').because('not a `next_cursor` of this list'),
  pageTooDeep,
] as const;

/**
 * `page`, `limit` and `cursor` of a query; an empty cursor is none.
 * @throws AppError invalid `cursor is invalid`
 */
export function readListPage(kind: ListKind, query: Record<string, unknown>): Page {
  const { cursor } = query;
  const isGiven = cursor !== undefined && cursor !== '';
  const after = typeof cursor === 'string' && isGiven ? placeOf(kind, cursor) : null;
  if (isGiven && after === null) throw fieldErrors.invalid('cursor');
  return { ...readPage(query), after };
}

/** The answer that shows a part of a list. */
export const paged = <T>(kind: ListKind, page: Page, listed: Listed<T>): Paged<T> => ({
  success: true,
  data: listed.items,
  ...pageFoot(kind, page, withTotalShown(page, listed)),
});

/** What stands below the items. */
export const pageFoot = (
  kind: ListKind,
  { page, limit }: Page,
  { total, isCapped, next }: Omit<Listed<unknown>, 'items'>,
): Omit<Paged<unknown>, 'success' | 'data'> => ({
  page,
  limit,
  total,
  ...(isCapped && { total_is_capped: true as const }),
  next_cursor: next === null ? null : cursorOf(kind, next),
});

/**
 * A place as a client carries it. It is not signed: a place that a client makes up shows nothing but what the list shows
 * anyway.
 */
function cursorOf({ name }: ListKind, place: Place): string {
  return Buffer.from(JSON.stringify([name, place])).toString('base64url');
}

/** @returns null for what `cursorOf` never made of a place of this list */
function placeOf(kind: ListKind, cursor: string): Place | null {
  const parts = jsonOf(Buffer.from(cursor, 'base64url').toString());
  const place: unknown = Array.isArray(parts) ? parts[1] : null;
  const isPlace =
    kind.places === 'ids'
      ? Number.isSafeInteger(place) && (place as number) >= 0
      : typeof place === 'string' && TEXT_PLACE.test(place);
  return isPlace && cursorOf(kind, place as Place) === cursor ? (place as Place) : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function clamp(value: unknown, fallback: number, max: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Math.trunc(Number(value)) : Number.NaN;
  return Number.isNaN(number) ? fallback : Math.min(Math.max(number, 1), max);
}
