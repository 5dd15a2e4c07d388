import { setTimeout as sleep } from 'node:timers/promises';
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
