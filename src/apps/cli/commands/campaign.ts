import type { ApiClient } from '../api-client.js';
import { type Cell, print, printJson, sheet } from '../terminal.js';
import { spokenSeconds } from '../time-left.js';
import { watch, type WatchOptions } from './watch.js';

const pathOf = (requestId: string): string => `/v6/api/campaigns/${encodeURIComponent(requestId)}`;

interface Campaign {
  request_id: string;
  status_counts: Record<string, number>;
  routes: string[];
  text: string | null;
  template: { name: string; language: string } | null;
  messages_per_second: number | null;
  seconds_left?: number | null;
  failure_reasons?: { error_code: number | null; message: string | null; count: number }[];
  [field: string]: unknown;
}

/** What the detail says in one value, under the names of the API. */
const FACTS = [
  'request_id',
  'channel',
  'broadcast_name',
  'state',
  'status',
  'total_rows',
  'credits',
  'retry_of',
  'scheduled_at',
  'created_at',
  'sent_at',
  'completed_at',
] as const;

/** Shows one campaign: where it stands, and why recipients failed. */
export async function showCampaign(
  api: ApiClient,
  requestId: string,
  { json = false }: { json?: boolean },
): Promise<void> {
  const { data } = await api.call<{ data: Campaign }>('GET', pathOf(requestId));
  if (json) return printJson(data);
  const counts = Object.entries(data.status_counts).map(([word, count]) => `${word} ${count}`);
  const facts: [string, Cell][] = FACTS.map((name) => [name.replace('_', ' '), data[name] as Cell]);
  const { routes, text, template, messages_per_second: pace } = data;
  facts.push(['route', routes.length === 0 ? null : routes.join(', then ')]);
  if (template) facts.push(['template', `${template.name} (${template.language})`]);
  if (text !== null) facts.push(['text', text]);
  facts.push(['pace', pace === null ? 'no limit' : `${pace} messages a second at most`]);
  facts.push(['statuses', counts.join(', ')]);
  const { seconds_left: seconds, failure_reasons: reasons = [] } = data;
  if (typeof seconds === 'number') facts.push(['time left', spokenSeconds(seconds)]);
  for (const { error_code: code, message, count } of reasons) {
    facts.push(['failed', `${count}: ${message ?? 'no reason given'}${code === null ? '' : ` (${code})`}`]);
  }
  print(sheet(facts));
}

/** Pauses, resumes or cancels a campaign. */
export async function changeCampaign(
  api: ApiClient,
  change: 'pause' | 'resume' | 'cancel',
  requestId: string,
  { json = false }: { json?: boolean },
): Promise<void> {
  const { data } = await api.call<{ data: { state: string } }>('POST', `${pathOf(requestId)}/${change}`, {});
  if (json) printJson(data);
  else print(`${requestId} is ${data.state}`);
}

/** Sends again to the recipients that failed, as a campaign of its own. */
export async function retryCampaign(
  api: ApiClient,
  requestId: string,
  options: WatchOptions & { watch: boolean },
): Promise<void> {
  const { data } = await api.call<{ data: { request_id: string; total_rows: number; credits: number } }>(
    'POST',
    `${pathOf(requestId)}/retry-failed`,
    {},
  );
  if (options.json) printJson(data);
  else print(`${data.request_id}: accepted for ${data.total_rows} contacts, ${data.credits} credits`);
  if (options.watch) await watch(api, data.request_id, options);
}
