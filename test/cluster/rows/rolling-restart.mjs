import { setTimeout as sleep } from 'node:timers/promises';
import { campaignDuring, shownGoal } from '../campaign.mjs';

const REST_MS = 5_000;

export const name = 'rolling-restart';
export const shown =
  'each database node is stopped (SIGTERM) and started, the writer last, in a campaign of 50,000 behind the proxy, the same asked meanwhile';
export const goal = shownGoal;
export const needs = ['cluster'];
export { environment } from '../campaign.mjs';

export function run(stage) {
  const { cluster } = stage;
  return campaignDuring(stage, { recipients: 50_000, seconds: 120 }, async ({ sent, strike }) => {
    await sent(0.05);
    for (const node of [...(await cluster.readers()), await cluster.writer()]) {
      await strike(`${node === (await cluster.writer()) ? 'the writer' : 'a reader'} is restarted`, async () => {
        await node.stop();
        await cluster.restart(node);
        await cluster.inStep(node);
      });
      await sleep(REST_MS);
    }
    await sent(0.9);
  });
}
