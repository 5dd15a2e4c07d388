import { Seed } from '../../faults/seed.mjs';
import { openScene } from '../../faults/scene.mjs';
import { runStrike } from '../../faults/strike.mjs';
import { size } from '../../stage/figures.mjs';

const SECONDS = size('CLUSTER_SECONDS', 10);
/** how much of it ends in time is the machine's; that all of it ends is what is shown */
const WITHIN_MS = 600_000;
const SHOWN = 8;
const nothing = { name: 'several writers', strict: true, withinMs: WITHIN_MS, strike: async () => undefined };

export const name = 'every-channel';
export const shown =
  'five accounts sending over every channel, APIs and workers on three nodes that all write, everything checked';
export const goal = 'every invariant holds, no 5xx';
export const needs = ['galera-distant'];

export async function run(stage) {
  const seed = new Seed(size('CLUSTER_SEED', 21));
  const scene = await openScene(seed.of('scene'), (environment) => stage.spread(3, 3, environment));
  const before = await stage.conflicts();
  const own = { number: 1, seconds: SECONDS, say: stage.say };
  const { violations, figures } = await runStrike(scene, nothing, seed.of('traffic'), own);
  const after = await stage.conflicts();
  for (const { invariant, text, number, requestId } of violations.slice(0, SHOWN)) {
    stage.say(`${invariant} ${text} (${number ?? ''} ${requestId ?? ''})`);
  }
  return {
    figure: `${violations.length} violations in ${figures.messages} messages of ${figures.requests} requests`,
    ok: violations.length === 0,
    text: `${after.refused - before.refused} of ${after.commits - before.commits} writes were refused by the cluster and run again; ${figures.doubled} doubled, ${figures.lost} lost, ${figures.unknown} unknown`,
  };
}
