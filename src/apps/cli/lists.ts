import type { ApiClient } from './api-client.js';
import { type Cell, print, printJson, sheet, table } from './terminal.js';

export interface ListOptions {
  json?: boolean;
  limit?: number;
  cursor?: string;
}

export interface CampaignListOptions extends ListOptions {
  test?: boolean;
  state?: string;
  channel?: string;
  search?: string;
  from?: string;
  to?: string;
  all?: boolean;
  username?: string;
}

interface Page<Row> {
  data: Row[];
  next_cursor: string | null;
}

interface CampaignRow {
  request_id: string;
  username?: string;
  channel: string;
  state: string;
  test: boolean;
  total_rows: number;
  credits: number;
  created_at: string;
  broadcast_name: string;
}

interface RouteRow {
  name: string;
  channel: string;
  driver: string;
  is_default: boolean;
  messages_per_second: number | null;
  health: string;
  last_error: string | null;
}

interface AccountRow {
  username: string;
  user_type: string | null;
  is_active: boolean;
  parent_username: string | null;
  rate_plan: string | null;
  expires_at: string | null;
}

interface PlanRow {
  name: string;
  revision: number;
  rates: number;
  updated_at: string;
}

interface Plan extends Omit<PlanRow, 'rates'> {
  accounts: number;
  rates: { channel: string; prefix: string; credits_per_segment: number }[];
}

/** Lists campaigns of the account, or of all accounts, newest first. */
export async function listCampaigns(api: ApiClient, options: CampaignListOptions): Promise<void> {
  const { all = false, test, username, state, channel, search, from, to } = options;
  const isStaffs = all || username !== undefined;
  const path = isStaffs ? '/v6/api/admin/campaigns' : '/v6/api/campaigns';
  const filters = { state, channel, search, from, to, username, ...(test && { test: 'true' }) };
  await list<CampaignRow>(api, path, filters, options, {
    'request id': (row) => row.request_id,
    ...(isStaffs ? { account: (row) => row.username } : {}),
    channel: (row) => row.channel,
    state: (row) => (row.test ? `${row.state} (test)` : row.state),
    recipients: (row) => row.total_rows,
    credits: (row) => row.credits,
    created: (row) => row.created_at,
    name: (row) => row.broadcast_name,
  });
}

/** Lists routes with their status (staff). */
export async function listRoutes(api: ApiClient, options: ListOptions): Promise<void> {
  await list<RouteRow>(api, '/v6/api/admin/routes', {}, options, {
    name: (row) => row.name,
    channel: (row) => row.channel,
    driver: (row) => row.driver,
    default: (row) => (row.is_default ? 'yes' : ''),
    'per second': (row) => row.messages_per_second,
    health: (row) => row.health,
    'last error': (row) => row.last_error,
  });
}

/** Lists accounts whose name, e-mail or mobile number contains the text (staff and resellers). */
export async function listAccounts(api: ApiClient, search: string | undefined, options: ListOptions): Promise<void> {
  await list<AccountRow>(api, '/v6/api/admin/accounts', { search }, options, {
    username: (row) => row.username,
    type: (row) => row.user_type,
    active: (row) => (row.is_active ? 'yes' : 'no'),
    parent: (row) => row.parent_username,
    'rate plan': (row) => row.rate_plan,
    expires: (row) => row.expires_at,
  });
}

/** Lists rate plans, or the rates of one plan (staff). */
export async function showRates(api: ApiClient, plan: string | undefined, options: ListOptions): Promise<void> {
  if (plan === undefined) {
    return list<PlanRow>(api, '/v6/api/admin/rates', {}, options, {
      plan: (row) => row.name,
      revision: (row) => row.revision,
      rates: (row) => row.rates,
      changed: (row) => row.updated_at,
    });
  }
  const answer = await api.call<{ data: Plan }>('GET', `/v6/api/admin/rates/${encodeURIComponent(plan)}`);
  if (options.json) return printJson(answer.data);
  const { name, revision, accounts, rates } = answer.data;
  print(
    sheet([
      ['plan', name],
      ['revision', revision],
      ['accounts', accounts],
    ]),
  );
  const rows = rates.map(({ channel, prefix, credits_per_segment: credits }) => [channel, prefix || 'any', credits]);
  print(table(['channel', 'prefix', 'credits a segment'], rows));
}

/** Prints a page of a list of the API as a table. @param columns what each shows of a row, by its heading */
export async function list<Row>(
  api: ApiClient,
  path: string,
  filters: Record<string, string | undefined>,
  { json = false, limit, cursor }: ListOptions,
  columns: Record<string, (row: Row) => Cell>,
): Promise<void> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...filters, limit, cursor })) {
    if (value !== undefined) query.set(name, String(value));
  }
  const answer = await api.call<Page<Row>>('GET', `${path}?${query.toString()}`);
  if (json) return printJson(answer);
  const cells = answer.data.map((row) => Object.values(columns).map((cell) => cell(row)));
  print(answer.data.length === 0 ? 'None' : table(Object.keys(columns), cells));
  if (answer.next_cursor !== null) process.stderr.write(`There are more: --cursor ${answer.next_cursor}\n`);
}
