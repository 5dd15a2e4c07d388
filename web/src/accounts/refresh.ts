import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { notify, notifyFault } from '../ui/index.js';

/** Does something at the API, says what came of it, and asks again for what the page shows. */
export function useChange(): (work: () => Promise<unknown>, done: string) => Promise<boolean> {
  const client = useQueryClient();
  return useCallback(
    async (work, done) => {
      try {
        await work();
      } catch (error) {
        notifyFault(error);
        return false;
      }
      notify(done);
      await client.invalidateQueries();
      return true;
    },
    [client],
  );
}

/** Asks again for what the page shows, after a form has been taken. */
export function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(() => client.invalidateQueries(), [client]);
}
