import { $api, api, type Schema } from '../api/client.js';
import type { Loaded } from '../ui/index.js';

/**
 * Whose things a part of a page shows: null = the own account's, else those of an account that one manages. The parts
 * (ledger, keys, people, stop list, webhooks) are the same for both; this file alone knows the two ways to the data.
 */
export type Whose = string | null;

const pathOf = (whose: Whose) => ({ username: whose ?? '' });

export function useBalances(whose: Whose): Loaded<Schema<'BalancesAnswer'>> {
  const own = $api.useQuery('get', '/v6/api/account/credits', {}, { enabled: whose === null });
  const theirs = $api.useQuery(
    'get',
    '/v6/api/admin/accounts/{username}/credits',
    { params: { path: pathOf(whose) } },
    { enabled: whose !== null },
  );
  return whose === null ? own : theirs;
}

export function useLedger(whose: Whose, query: object): Loaded<Schema<'LedgerPageAnswer'>> {
  const own = $api.useQuery(
    'get',
    '/v6/api/account/credits/ledger',
    { params: { query } },
    { enabled: whose === null },
  );
  const theirs = $api.useQuery(
    'get',
    '/v6/api/admin/accounts/{username}/credits/ledger',
    { params: { path: pathOf(whose), query } },
    { enabled: whose !== null },
  );
  return whose === null ? own : theirs;
}

export function useKeys(whose: Whose, query: object): Loaded<Schema<'ApiKeyPageAnswer'>> {
  const own = $api.useQuery('get', '/v6/api/account/api-keys', { params: { query } }, { enabled: whose === null });
  const theirs = $api.useQuery(
    'get',
    '/v6/api/admin/accounts/{username}/api-keys',
    { params: { path: pathOf(whose), query } },
    { enabled: whose !== null },
  );
  return whose === null ? own : theirs;
}

/** @param withMade what the key made ends with it */
export function revokeKey(whose: Whose, id: number, withMade: boolean): Promise<unknown> {
  const query = { revoke: withMade ? ('true' as const) : ('false' as const) };
  return whose === null
    ? api.DELETE('/v6/api/account/api-keys/{id}', { params: { path: { id }, query } })
    : api.DELETE('/v6/api/admin/accounts/{username}/api-keys/{id}', {
        params: { path: { username: whose, id }, query },
      });
}

export function usePeople(whose: Whose, query: object): Loaded<Schema<'UserPageAnswer'>> {
  const own = $api.useQuery('get', '/v6/api/account/users', { params: { query } }, { enabled: whose === null });
  const theirs = $api.useQuery(
    'get',
    '/v6/api/admin/accounts/{username}/users',
    { params: { path: pathOf(whose), query } },
    { enabled: whose !== null },
  );
  return whose === null ? own : theirs;
}

interface Invited {
  username: string;
  email: string;
  role: Schema<'UserAnswerData'>['role'];
  current_password: string;
}

export async function inviteTo(whose: Whose, body: Invited): Promise<Schema<'LinkAnswerData'>> {
  const { data } =
    whose === null
      ? await api.POST('/v6/api/account/users/invitations', { body })
      : await api.POST('/v6/api/admin/accounts/{username}/users', { params: { path: { username: whose } }, body });
  return (data as Schema<'InvitedUserAnswer'>).data;
}

/** @param id of the person; null: of the login of the account, for its managers */
export async function linkFor(
  whose: Whose,
  id: number | null,
  body: { current_password: string },
): Promise<Schema<'LinkAnswerData'>> {
  const path = { username: whose ?? '', id: id ?? 0 };
  const { data } =
    whose === null
      ? await api.POST('/v6/api/account/users/{id}/link', { params: { path }, body })
      : id === null
        ? await api.POST('/v6/api/admin/accounts/{username}/link', { params: { path }, body })
        : await api.POST('/v6/api/admin/accounts/{username}/users/{id}/link', { params: { path }, body });
  return (data as Schema<'LinkAnswer'>).data;
}

export function useStopList(whose: Whose, query: object): Loaded<Schema<'SuppressionPageAnswer'>> {
  const own = $api.useQuery('get', '/v6/api/suppressions', { params: { query } }, { enabled: whose === null });
  const theirs = $api.useQuery(
    'get',
    '/v6/api/admin/accounts/{username}/suppressions',
    { params: { path: pathOf(whose), query } },
    { enabled: whose !== null },
  );
  return whose === null ? own : theirs;
}

export async function stopNumbers(whose: Whose, numbers: string[]): Promise<Schema<'AddedData'>> {
  const body = { numbers };
  const { data } =
    whose === null
      ? await api.POST('/v6/api/suppressions', { body })
      : await api.POST('/v6/api/admin/accounts/{username}/suppressions', {
          params: { path: { username: whose } },
          body,
        });
  return (data as Schema<'AddedAnswer'>).data;
}

export const freeNumber = (whose: Whose, number: string): Promise<unknown> =>
  whose === null
    ? api.DELETE('/v6/api/suppressions', { body: { number } })
    : api.DELETE('/v6/api/admin/accounts/{username}/suppressions', {
        params: { path: { username: whose } },
        body: { number },
      });

/** Usage as both see it; the account itself sees what it stores, too. */
export type AnyUsage = Schema<'UsagePageAnswer'> & Partial<Pick<Schema<'OwnUsagePageAnswer'>, 'storage'>>;

export function useUsage(whose: Whose, query: object): Loaded<AnyUsage> {
  const own = $api.useQuery('get', '/v6/api/account/usage', { params: { query } }, { enabled: whose === null });
  const theirs = $api.useQuery(
    'get',
    '/v6/api/admin/usage',
    { params: { query: { ...query, account: whose ?? '' } } },
    { enabled: whose !== null },
  );
  // the same route answers text as well, where a file is asked for
  return (whose === null ? own : theirs) as Loaded<AnyUsage>;
}

/** Address of the whole usage as a file. */
export function usageFile(whose: Whose, query: Record<string, string>): string {
  const wanted = new URLSearchParams({ ...query, ...(whose === null ? {} : { account: whose }), format: 'csv' });
  return `/v6/api/${whose === null ? 'account' : 'admin'}/usage?${wanted.toString()}`;
}

/** A webhook as both see it; staff see how it does, too. */
export type AnyWebhook = Schema<'WebhookData'> & Partial<Schema<'StaffWebhookData'>>;

/** Tries are looked at while they are made. */
const TRIES_MS = 5_000;

export function useAttempts(side: 'owner' | 'staff', id: number, query: object): Loaded<Schema<'AttemptPageAnswer'>> {
  const init = { params: { path: { id }, query } };
  const own = $api.useQuery('get', '/v6/api/webhooks/{id}/attempts', init, {
    enabled: side === 'owner',
    refetchInterval: TRIES_MS,
  });
  const theirs = $api.useQuery('get', '/v6/api/admin/webhooks/{id}/attempts', init, {
    enabled: side === 'staff',
    refetchInterval: TRIES_MS,
  });
  return side === 'owner' ? own : theirs;
}

export const replayEvent = (side: 'owner' | 'staff', event_id: string): Promise<unknown> => {
  const init = { params: { path: { event_id } } };
  return side === 'owner'
    ? api.POST('/v6/api/webhooks/events/{event_id}/replay', init)
    : api.POST('/v6/api/admin/webhooks/events/{event_id}/replay', init);
};
