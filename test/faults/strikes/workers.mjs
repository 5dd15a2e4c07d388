import { setTimeout as sleep } from 'node:timers/promises';
import { atSmsc, claimsLanes, holdStatement, marksUnknown, writesResults } from '../moments.mjs';

/** Beyond the lease, which is two seconds there. */
const PAST_THE_LEASE_MS = [3_000, 4_500];
/** A worker is killed so long after it was chosen, at the most. */
const AT_RANDOM_MS = 400;

/** Kills the worker at the moment of a statement of its own. */
async function killAtStatement(worker, what, matches, which) {
  await holdStatement(worker.ways.database, what, matches, which);
  await worker.kill();
}

export default [
  {
    name: 'worker-killed',
    shown: 'SIGKILL of a worker at a random moment',
    strike: async (scene, seed) => {
      const worker = seed.pick(scene.workers);
      await sleep(seed.between(0, AT_RANDOM_MS));
      await worker.kill();
      return () => worker.start();
    },
  },
  {
    name: 'worker-killed-before-send',
    shown: 'SIGKILL of a worker that has claimed a batch, before anything leaves',
    strike: async (scene, seed) => {
      const worker = seed.pick(scene.workers);
      await killAtStatement(worker, 'a claim', claimsLanes, 'answer');
      return () => worker.start();
    },
  },
  {
    name: 'worker-killed-after-send',
    shown: 'SIGKILL of a worker whose messages have been taken, before it writes that down',
    strike: async (scene, seed) => {
      const worker = seed.pick(scene.workers);
      await killAtStatement(worker, 'results', writesResults, 'statement');
      return () => worker.start();
    },
  },
  {
    name: 'workers-killed-on-wire',
    shown: 'SIGKILL of both workers while messages are on the way to the carrier, which never has them',
    strike: async (scene) => {
      const line = await atSmsc(scene.carriers.smsc.way, 'submit', { hold: true });
      await Promise.all(scene.workers.map((worker) => worker.kill()));
      line.destroy();
      return () => Promise.all(scene.workers.map((worker) => worker.start()));
    },
  },
  {
    name: 'workers-killed-on-answer',
    shown: 'SIGKILL of both workers while answers of the carrier are on the way to them',
    strike: async (scene) => {
      const line = await atSmsc(scene.carriers.smsc.way, 'answer', { hold: true });
      await Promise.all(scene.workers.map((worker) => worker.kill()));
      line.destroy();
      return () => Promise.all(scene.workers.map((worker) => worker.start()));
    },
  },
  {
    name: 'worker-killed-twice',
    shown: 'SIGKILL of a worker after the send, and of the one that takes its batch over',
    strike: async (scene, seed) => {
      const [first, second] = seed.shuffle(scene.workers);
      const takenOver = holdStatement(second.ways.database, 'marks of unknown outcome', marksUnknown, 'answer');
      takenOver.catch(() => undefined);
      await killAtStatement(first, 'results', writesResults, 'statement');
      await takenOver;
      await second.kill();
      return () => Promise.all([first.start(), second.start()]);
    },
  },
  {
    name: 'worker-frozen',
    shown: 'SIGSTOP of a worker past its lease, then SIGCONT',
    holdMs: PAST_THE_LEASE_MS,
    strike: async (scene, seed) => {
      const worker = seed.pick(scene.workers);
      await atSmsc(scene.carriers.smsc.way, 'submit', { hold: false });
      worker.freeze();
      return () => worker.thaw();
    },
  },
  {
    name: 'rolling-restart',
    shown: 'SIGTERM of every process in turn, each started again',
    strict: true,
    holdMs: [0, 0],
    strike: async (scene, _seed, { say }) => {
      for (const app of [...scene.workers, ...scene.apis]) {
        const began = Date.now();
        const code = await app.stop('SIGTERM');
        const took = Date.now() - began;
        say(`${app.name} ended ${took} ms after SIGTERM`);
        if (code !== 0) throw new Error(`${app.name} ended with ${code}, ${took} ms after SIGTERM`);
        await app.start();
      }
    },
  },
];
