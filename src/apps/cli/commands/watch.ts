import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../../../kernel/clock.js';
import type { ApiClient } from '../api-client.js';
import { EXIT, Failure, Unanswered } from '../failure.js';
import { print, printJson, ProgressLine } from '../terminal.js';
import { Pace, spokenSeconds } from '../time-left.js';

const LOOK_EVERY_MS = 1_000;
/** The API may be away for so many looks in a row, as in a restart. */
const MOST_MISSES = 60;
/** A timer of more would ring at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const OPEN = new Set(['PP1', 'PENDING', 'SENT', 'INITIATED']);
const OVER = new Set(['completed', 'cancelled', 'rejected', 'failed']);

/** Options of `watch`. */
export interface WatchOptions {
  json?: boolean;
  /** milliseconds after which it ends, wherever the campaign is */
  timeout?: number;
}

interface Campaign {
  state: string;
  total_rows: number;
  status_counts: Record<string, number>;
}

/**
 * Follows a campaign to its end.
 * @throws Failure (3) when it ends otherwise than completed, (124) when the time is up
 */
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
  // one that is silent is waited for no longer than until the time is up
  const look = async (): Promise<Campaign | null> =>
    within(
      rest(),
      api.call<{ data: Campaign }>('GET', path).then(({ data }) => data),
    );
  try {
    let campaign = await look();
    if (campaign === null) throw new Failure('The time is up, and the API has not answered', EXIT.timedOut);
    for (let misses = 0; ;) {
      const { final, words } = standOf(campaign);
      pace.see({ at: now().getTime(), final });
      line.show(final, campaign.total_rows, `${campaign.state}${left(pace, campaign)}: ${words}`);
      if (OVER.has(campaign.state)) break;
      if (rest() <= 0) throw timedOut(requestId, campaign, json);
      await sleep(Math.min(LOOK_EVERY_MS, rest()));
      try {
        const seen = await look();
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

/** What comes of some work; null when the time is up first. */
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

function timedOut(requestId: string, campaign: Campaign, json: boolean): Failure {
  if (json) printJson(campaign);
  const text = `The time is up. ${requestId} is ${campaign.state}: ${standOf(campaign).words}`;
  return new Failure(text, EXIT.timedOut, `It goes on; \`watch ${requestId}\` follows it again`);
}

function left(pace: Pace, campaign: Campaign): string {
  const seconds = campaign.state === 'running' ? pace.secondsLeft(campaign.total_rows) : null;
  return seconds === null || seconds === 0 ? '' : `, ${spokenSeconds(seconds)} left`;
}

/** How many recipients are final, and how many stand where. */
function standOf({ status_counts }: Campaign): { final: number; words: string } {
  const counts = Object.entries(status_counts);
  return {
    final: counts.reduce((sum, [word, count]) => sum + (OPEN.has(word) ? 0 : count), 0),
    words: counts.map(([word, count]) => `${word} ${count}`).join(', '),
  };
}
