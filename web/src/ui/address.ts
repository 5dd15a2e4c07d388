import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Search } from '../app/page-definition.js';

/** A part of the page's path: `/campaigns/$id` → `useParam('id')`. */
export function useParam(name: string): string {
  const values: Record<string, string | undefined> = useParams({ strict: false });
  return values[name] ?? '';
}

/** What the page keeps in its address, such as filters; every value is a text. */
export function useAddress(): readonly [
  values: Search,
  change: (values: Search, options?: { push?: boolean }) => void,
] {
  const values: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (next: Search, { push = false } = {}) => {
      void navigate({
        to: '.',
        search: (former: Search) => ({ ...former, ...next }),
        replace: !push,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return [values, change];
}

/** Query of a list of the API: what the address says, without what is empty. */
export function listQuery(values: Search, ...names: readonly string[]): Record<string, string> {
  const wanted = [...names, 'cursor', 'limit'];
  return Object.fromEntries(
    wanted.flatMap((name) => {
      const value = values[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}
