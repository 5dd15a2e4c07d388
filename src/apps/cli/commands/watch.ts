import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../api-client.js';
import { EXIT, Failure, Unanswered } from '../failure.js';
import { print, ProgressLine } from '../terminal.js';

const LOOK_EVERY_MS = 1_000;
/** The API may be away for so many looks in a row, as in a restart. */
const MOST_MISSES = 60;
const OPEN = new Set(['PP1', 'PENDING', 'SENT', 'INITIATED']);
const OVER = new Set(['completed', 'cancelled', 'rejected', 'failed']);

interface Campaign {
  state: string;
  total_rows: number;
  status_counts: Record<string, number>;
}

/** Follows a campaign to its end. @throws Failure (3) when it ends otherwise than completed */
export async function watch(api: ApiClient, requestId: string): Promise<void> {
  const line = new ProgressLine();
  const path = `/v6/api/campaigns/${encodeURIComponent(requestId)}`;
  const look = async (): Promise<Campaign> => (await api.call<{ data: Campaign }>('GET', path)).data;
  try {
    let campaign = await look();
    for (let misses = 0; ;) {
      const { final, words } = standOf(campaign);
      line.show(final, campaign.total_rows, `${campaign.state}: ${words}`);
      if (OVER.has(campaign.state)) break;
      await sleep(LOOK_EVERY_MS);
      try {
        campaign = await look();
        misses = 0;
      } catch (error) {
        if (!(error instanceof Unanswered) || ++misses > MOST_MISSES) throw error;
      }
    }
    line.end();
    const text = `${requestId} is ${campaign.state}: ${standOf(campaign).words}`;
    if (campaign.state !== 'completed') throw new Failure(text, EXIT.notAsItShould);
    print(text);
  } finally {
    line.end();
  }
}

/** How many recipients are final, and how many stand where. */
function standOf({ status_counts }: Campaign): { final: number; words: string } {
  const counts = Object.entries(status_counts);
  return {
    final: counts.reduce((sum, [word, count]) => sum + (OPEN.has(word) ? 0 : count), 0),
    words: counts.map(([word, count]) => `${word} ${count}`).join(', '),
  };
}
