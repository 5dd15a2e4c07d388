import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { problemOf } from '../api/problem.js';

/** Says so when what is shown could not be asked for again; what failed at the first look says it in its own place. */
export function OutOfDate() {
  const text = useStaleness();
  return (
    <div role="status" className={text === null ? 'stale' : 'stale shown'}>
      {text === null ? '' : `Out of date: ${text}`}
    </div>
  );
}

function useStaleness(): string | null {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => {
      for (const query of cache.findAll({ type: 'active' })) {
        const { data, error, fetchFailureReason } = query.state;
        const fault = error ?? fetchFailureReason;
        if (data !== undefined && fault !== null && problemOf(fault).isSilence) return problemOf(fault).message;
      }
      return null;
    },
  );
}
