import { size } from '../../stage/figures.mjs';
import { campaignDuring, shownGoal } from '../campaign.mjs';

const RECIPIENTS = size('CLUSTER_CONTACTS', 100_000);

export const name = 'writer-killed';
export const shown =
  'SIGKILL of the database node that writes, and its return, in a campaign of 100,000 behind the proxy, with single requests, and report, list and export read from the others all the time';
export const goal = shownGoal;
export const needs = ['cluster'];
export { environment } from '../campaign.mjs';

export function run(stage) {
  const { cluster } = stage;
  return campaignDuring(stage, { recipients: RECIPIENTS, seconds: 60 }, async ({ sent, strike }) => {
    await sent(0.3);
    const writer = await cluster.writer();
    await strike('the writer is gone', () => writer.kill());
    await sent(0.5);
    await strike('it is back', () => cluster.restart(writer));
    await sent(0.9);
  });
}
