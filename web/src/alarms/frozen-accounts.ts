import { $api } from '../api/client.js';
import { SHOWN } from './active-alarms.js';

/** What the guard has frozen at this moment. */
export const useFreezes = () =>
  $api.useQuery(
    'get',
    '/v6/api/admin/freezes',
    { params: { query: { status: 'active', limit: SHOWN } } },
    { refetchInterval: 15_000 },
  );

/** The accounts of freezes, each once. */
export const frozenNames = (freezes: readonly { username: string }[]): string[] => [
  ...new Set(freezes.map(({ username }) => username)),
];
