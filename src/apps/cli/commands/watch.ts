import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../api-client.js';
import { EXIT, Failure } from '../failure.js';
import { print, ProgressLine } from '../terminal.js';

const LOOK_EVERY_MS = 1_000;
const OPEN = new Set(['PP1', 'PENDING', 'SENT', 'INITIATED']);
const OVER = new Set(['completed', 'cancelled', 'rejected', 'failed']);

interface Campaign {
  broadcast_name: string;
  state: string;
  total_rows: number;
  status_counts: Record<string, number>;
}

/** Follows a campaign to its end. @throws Failure (3) when it ends otherwise than completed */
export async function watch(api: ApiClient, requestId: string): Promise<void> {
  const line = new ProgressLine();
  const path = `/v6/api/campaigns/${encodeURIComponent(requestId)}`;
  for (;;) {
    const { data } = await api.call<{ data: Campaign }>('GET', path);
    const counts = Object.entries(data.status_counts);
    const words = counts.map(([word, count]) => `${word} ${count}`).join(', ');
    const final = counts.reduce((sum, [word, count]) => sum + (OPEN.has(word) ? 0 : count), 0);
    line.show(final, data.total_rows, `${data.state}: ${words}`);
    if (OVER.has(data.state)) {
      line.end();
      if (data.state !== 'completed') throw new Failure(`${requestId} is ${data.state}: ${words}`, EXIT.notAsItShould);
      print(`${requestId} is completed: ${words}`);
      return;
    }
    await sleep(LOOK_EVERY_MS);
  }
}
