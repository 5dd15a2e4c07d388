import { MutationCache, QueryClient } from '@tanstack/react-query';
import { problemOf } from '../api/problem.js';

/** What pages know of the API. A refusal is an answer; only silence is asked again, once, and then by the next look. */
export const queryClient = new QueryClient({
  mutationCache: new MutationCache({
    // what was done may show anywhere
    onSuccess: () => void queryClient.invalidateQueries(),
  }),
  defaultOptions: {
    queries: {
      networkMode: 'always',
      retry: (count, error) => count < 1 && problemOf(error).isSilence,
      retryDelay: 500,
      staleTime: 1_000,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
