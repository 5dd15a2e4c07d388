/** Which part of a list is asked for; `page` counts from 1. */
export interface Page {
  page: number;
  limit: number;
}

/** The answer of every list of ours. */
export interface Paged<T> {
  success: true;
  data: T[];
  page: number;
  limit: number;
  total: number;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;
const MAX_PAGE = 1_000_000_000;

/** Reads `page` and `limit` of a query; odd values are clamped, never refused (reference/requests#lists). */
export function readPage(query: Record<string, unknown>): Page {
  return { page: clamp(query['page'], 1, MAX_PAGE), limit: clamp(query['limit'], DEFAULT_LIMIT, MAX_LIMIT) };
}

export const paged = <T>(data: T[], page: Page, total: number): Paged<T> => ({
  success: true,
  data,
  page: page.page,
  limit: page.limit,
  total,
});

function clamp(value: unknown, fallback: number, max: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Math.trunc(Number(value)) : Number.NaN;
  return Number.isNaN(number) ? fallback : Math.min(Math.max(number, 1), max);
}
