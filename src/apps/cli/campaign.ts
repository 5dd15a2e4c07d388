import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../../kernel/clock.js';
import type { ApiClient } from './api-client.js';
import {
  type Cell,
  EXIT,
  Failure,
  Pace,
  print,
  printJson,
  ProgressLine,
  sheet,
  spokenSeconds,
  Unanswered,
} from './terminal.js';

const POLL_EVERY_MS = 1_000;
// polls in a row without an answer, as in a restart
const MOST_MISSES = 60;
// setTimeout fires immediately above this limit
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const OPEN = new Set(['PP1', 'PENDING', 'SENT', 'INITIATED']);
const OVER = new Set(['completed', 'cancelled', 'rejected', 'failed']);

export interface WatchOptions {
  json?: boolean;
  /** milliseconds until it gives up */
  timeout?: number;
}

interface WatchedCampaign {
  state: string;
  total_rows: number;
  status_counts: Record<string, number>;
}

/** Follows a campaign to its end. Throws Failure 3 if that is not `completed`, 124 on timeout. */
export async function watch(
  api: ApiClient,
  requestId: string,
  { json = false, timeout = Infinity }: WatchOptions = {},
): Promise<void> {
  const line = new ProgressLine();
  const pace = new Pace();
  const path = `/v6/api/campaigns/${encodeURIComponent(requestId)}`;
  const ends = performance.now() + timeout;
  const rest = (): number => ends - performance.now();
  // the timeout also limits a silent API
  const read = async (): Promise<WatchedCampaign | null> =>
    within(
      rest(),
      api.call<{ data: WatchedCampaign }>('GET', path).then(({ data }) => data),
    );
  try {
    let campaign = await read();
    if (campaign === null) throw new Failure('The time is up, and the API has not answered', EXIT.timedOut);
    for (let misses = 0; ;) {
      const { final, words } = standOf(campaign);
      pace.see({ at: now().getTime(), final });
      line.show(final, campaign.total_rows, `${campaign.state}${left(pace, campaign)}: ${words}`);
      if (OVER.has(campaign.state)) break;
      if (rest() <= 0) throw timedOut(requestId, campaign, json);
      await sleep(Math.min(POLL_EVERY_MS, rest()));
      try {
        const seen = await read();
        if (seen === null) throw timedOut(requestId, campaign, json);
        campaign = seen;
        misses = 0;
      } catch (error) {
        if (!(error instanceof Unanswered) || ++misses > MOST_MISSES) throw error;
      }
    }
    line.end();
    if (json) printJson(campaign);
    const text = `${requestId} is ${campaign.state}: ${standOf(campaign).words}`;
    if (campaign.state !== 'completed') throw new Failure(text, EXIT.notAsItShould);
    if (!json) print(text);
  } finally {
    line.end();
  }
}

// null = timeout
async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result | null> {
  if (milliseconds > LONGEST_TIMER_MS) return work;
  const answered = new AbortController();
  const up = sleep(Math.max(milliseconds, 0), null, { signal: answered.signal }).catch(() => null);
  try {
    return await Promise.race([work, up]);
  } finally {
    answered.abort();
  }
}

function timedOut(requestId: string, campaign: WatchedCampaign, json: boolean): Failure {
  if (json) printJson(campaign);
  const text = `The time is up. ${requestId} is ${campaign.state}: ${standOf(campaign).words}`;
  return new Failure(text, EXIT.timedOut, `It goes on; \`watch ${requestId}\` follows it again`);
}

function left(pace: Pace, campaign: WatchedCampaign): string {
  const seconds = campaign.state === 'running' ? pace.secondsLeft(campaign.total_rows) : null;
  return seconds === null || seconds === 0 ? '' : `, ${spokenSeconds(seconds)} left`;
}

function standOf({ status_counts }: WatchedCampaign): { final: number; words: string } {
  const counts = Object.entries(status_counts);
  return {
    final: counts.reduce((sum, [word, count]) => sum + (OPEN.has(word) ? 0 : count), 0),
    words: counts.map(([word, count]) => `${word} ${count}`).join(', '),
  };
}

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

/** Shows one campaign with its status and the failure reasons of recipients. */
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

export interface RetryOptions extends WatchOptions {
  watch: boolean;
  include?: string;
  quote?: boolean;
}

interface RetryAnswer {
  total_rows: number;
  credits: number;
  reasons: readonly { reason: string; count: number; retried: boolean }[];
}

/** Sends again to the failed recipients and watches the new campaign, or says what that would cost. */
export async function retryCampaign(api: ApiClient, requestId: string, options: RetryOptions): Promise<void> {
  const { include = '', quote = false, json } = options;
  const path = `${pathOf(requestId)}/retry-failed`;
  if (quote) {
    const { data } = await api.call<{ data: RetryAnswer }>('GET', `${path}?include=${encodeURIComponent(include)}`);
    if (json) return printJson(data);
    return print(`${data.total_rows} contacts, ${data.credits} credits${reasonsOf(data)}`);
  }
  const body = include === '' ? {} : { include };
  const { data } = await api.call<{ data: RetryAnswer & { request_id: string } }>('POST', path, body);
  if (json) printJson(data);
  else print(`${data.request_id}: accepted for ${data.total_rows} contacts, ${data.credits} credits${reasonsOf(data)}`);
  if (options.watch) await watch(api, data.request_id, options);
}

const reasonsOf = ({ reasons }: RetryAnswer): string =>
  reasons.map(({ reason, count, retried }) => `\n  ${reason}: ${count}${retried ? '' : ', left out'}`).join('');
