import type { ReactNode } from 'react';
import { problemOf } from '../api/problem.js';
import { Button } from './button.js';
import { Empty } from './empty.js';

/** What LoadState reads of a query of React Query. */
export interface Loaded<Data> {
  data: Data | undefined;
  error: unknown;
  isFetching: boolean;
  refetch: () => unknown;
}

/**
 * The first load of a page or a part: says that it runs, or that it failed and offers another try. Later failures leave
 * what is there; the bar then says "Out of date".
 */
export function LoadState<Data>({ query, children }: { query: Loaded<Data>; children: (data: Data) => ReactNode }) {
  const { data, error, isFetching, refetch } = query;
  if (data !== undefined) return children(data);
  if (error !== null && error !== undefined) return <Failed error={error} isBusy={isFetching} onRetry={refetch} />;
  return (
    <p className="loading" role="status">
      Loading…
    </p>
  );
}

/** A load that failed, in the API's words, and a button that tries again; what is not there is said as it is. */
export function Failed({ error, isBusy, onRetry }: { error: unknown; isBusy: boolean; onRetry: () => unknown }) {
  const { message, hint, status } = problemOf(error);
  if (status === 404) return <Empty title={message}>{hint}</Empty>;
  return (
    <div className="failed" role="alert">
      <p className="failed-title">This could not be loaded: {message}</p>
      {hint !== null && <p className="muted">{hint}</p>}
      <Button busy={isBusy} onClick={() => void onRetry()}>
        Try again
      </Button>
    </div>
  );
}
