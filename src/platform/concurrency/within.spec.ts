import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { within } from './within.js';

it('gives the result, or the fault, that comes in time', async () => {
  expect(await within(60_000, Promise.resolve(1))).toBe(1);
  await expect(within(60_000, Promise.reject(new Error('fault')))).rejects.toThrow('fault');
});

it('gives null once the time is over, and drops what comes later', async () => {
  let fail = (_error: Error): void => undefined;
  const work = new Promise<number>((_, reject) => (fail = reject));
  expect(await within(1, work)).toBeNull();
  fail(new Error('late'));
  await sleep(0); // an unhandled rejection would fail the run
});

it('takes what came in time while the process itself was held up', async () => {
  const worker = new Worker(
    `require('node:worker_threads').parentPort.once('message', (gate) => {
    Atomics.store(gate, 0, 1), Atomics.notify(gate, 0); require('node:worker_threads').parentPort.postMessage('in time');
    Atomics.wait(gate, 1, 0, 20); Atomics.store(gate, 0, 2), Atomics.notify(gate, 0);
  })`,
    { eval: true },
  );
  await once(worker, 'online');
  await new Promise(setImmediate); // from here on in the phase that timers come after, and reading after them
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const answer = once(worker, 'message').then(([text]: unknown[]) => text);
  worker.postMessage(gate);
  const result = within(1, answer);
  Atomics.wait(gate, 0, 0); // until the worker has begun to answer,
  Atomics.wait(gate, 0, 1); // and long after
  expect(await result).toBe('in time');
  await worker.terminate();
});
