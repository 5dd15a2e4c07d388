import { setTimeout as sleep } from 'node:timers/promises';
import { campaignDuring, shownGoal } from '../campaign.mjs';

/** longer than any node waits for another */
const STALL_MS = 25_000;

export const name = 'node-stalled';
export const shown =
  'SIGSTOP of a database node that only reads, for 25 s, then of the one that writes, in a campaign of 50,000 behind the proxy, the same asked meanwhile';
export const goal = shownGoal;
export const needs = ['cluster'];
export { environment } from '../campaign.mjs';

export function run(stage) {
  const { cluster } = stage;
  return campaignDuring(stage, { recipients: 50_000, seconds: 120 }, async ({ sent, strike }) => {
    await sent(0.05);
    for (const [what, node] of [
      ['a reader', async () => (await cluster.readers())[0]],
      ['the writer', () => cluster.writer()],
    ]) {
      const stalled = await node();
      await strike(`${what} stands still`, () => stalled.freeze());
      await sleep(STALL_MS);
      await strike('it goes on', () => stalled.thaw());
      await cluster.inStep(stalled);
      await sleep(STALL_MS / 5);
    }
    await sent(0.9);
  });
}
