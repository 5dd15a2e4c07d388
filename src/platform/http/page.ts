import { fieldErrors } from '../../kernel/errors.js';
import { type Listed, type Page, pageTooDeep, type ListPosition, withTotalShown } from '../../kernel/lists.js';

/** The answer of every list (reference/requests#lists). */
export interface Paged<T> {
  success: true;
  data: T[];
  page: number;
  limit: number;
  total: number;
  total_is_capped?: true;
  next_cursor: string | null;
}

/** A list with its own cursors. */
export interface ListKind {
  readonly name: string;
  /** type of its positions; texts are ASCII, like their columns */
  readonly positions: 'ids' | 'texts';
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;
const MAX_PAGE = 1_000_000_000;
const TEXT_POSITION = /^[\x20-\x7e]{0,255}$/;

/** Reads `page` and `limit` of a query; clamps invalid values (reference/requests#lists). */
export function readPage(query: Record<string, unknown>): Omit<Page, 'after'> {
  return { page: clamp(query['page'], 1, MAX_PAGE), limit: clamp(query['limit'], DEFAULT_LIMIT, MAX_LIMIT) };
}

/** Errors of invalid cursors and deep pages: the last rows of a list's error table. */
export const LIST_ERRORS = [
  fieldErrors.invalid.shown('cursor').because('not a `next_cursor` of this list'),
  pageTooDeep,
] as const;

/** Reads `page`, `limit` and `cursor`; an empty cursor is none. @throws AppError invalid `cursor is invalid` */
export function readListPage(kind: ListKind, query: Record<string, unknown>): Page {
  const { cursor } = query;
  const isGiven = cursor !== undefined && cursor !== '';
  const after = typeof cursor === 'string' && isGiven ? positionOf(kind, cursor) : null;
  if (isGiven && after === null) throw fieldErrors.invalid('cursor');
  return { ...readPage(query), after };
}

export const paged = <T>(kind: ListKind, page: Page, listed: Listed<T>): Paged<T> => ({
  success: true,
  data: listed.items,
  ...pageFoot(kind, page, withTotalShown(page, listed)),
});

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

/** A position for clients. Unsigned: an invented position reveals nothing beyond the list. */
function cursorOf({ name }: ListKind, position: ListPosition): string {
  return Buffer.from(JSON.stringify([name, position])).toString('base64url');
}

/** @returns null for text that is not a cursor of this list */
function positionOf(kind: ListKind, cursor: string): ListPosition | null {
  const parts = jsonOf(Buffer.from(cursor, 'base64url').toString());
  const position: unknown = Array.isArray(parts) ? parts[1] : null;
  const isPosition =
    kind.positions === 'ids'
      ? Number.isSafeInteger(position) && (position as number) >= 0
      : typeof position === 'string' && TEXT_POSITION.test(position);
  return isPosition && cursorOf(kind, position as ListPosition) === cursor ? (position as ListPosition) : null;
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
