import { beforeEach, describe, expect, it, vi } from 'vitest';
import { firstJob, nextJob, type OnRouteJob, type RouteJob } from '../../platform/queues/index.js';
import type { Relay } from './dispatch/relay.js';
import type { Room, RouteJobEnd, RouteJobs } from './dispatch/route-job.js';
import type { ReceiptSweeper } from './receipts/receipt-sweeper.js';
import { RouteProcessor } from './route-job.processor.js';

const JOB = firstJob({ routeId: 7, single: true });
const IDLE: RouteJobEnd = { more: false, keeps: false, againMs: null, next: null, isIdle: true };
const nothing = (): Promise<void> => Promise.resolve();

describe('a route job', () => {
  let added: RouteJob[];
  let queries: number;
  let claim: (room: Room) => void;
  let end: ((end: RouteJobEnd) => void) | undefined;
  const begun = async (): Promise<(end: RouteJobEnd) => void> => vi.waitUntil(() => end);
  let processor: RouteProcessor;
  let isForHolders: boolean;
  let isServed: boolean;
  let takeHeld: OnRouteJob;
  let hasOwner: boolean;
  let isOwner: boolean;
  let handedOn: RouteJob[];

  beforeEach(async () => {
    added = [];
    queries = 0;
    end = undefined;
    isForHolders = false;
    isServed = false;
    [hasOwner, isOwner] = [false, false];
    handedOn = [];
    const jobs: Pick<RouteJobs, 'take' | 'isDue' | 'stop'> = {
      isDue: () => Promise.resolve((queries += 1) > 0),
      stop: () => undefined,
      take: (_route, onClaimed) => {
        claim = onClaimed;
        return new Promise((resolve) => (end = resolve));
      },
    };
    processor = new RouteProcessor(
      jobs as RouteJobs,
      { stop: nothing } as Relay,
      { stop: nothing } as ReceiptSweeper,
      { openAll: nothing, closeAll: nothing } as never,
      {
        names: ['sms'],
        served: [{ name: 'sms', routes: 'sms' }],
        start: nothing,
        stop: () => undefined,
        close: nothing,
      } as never,
      {
        isForHolders: () => Promise.resolve(isForHolders),
        add: (_name: string, jobs: RouteJob[]) => {
          added.push(...jobs);
          return nothing();
        },
        pass: (_name: string, job: RouteJob) => {
          added.push(job);
          return nothing();
        },
      } as never,
      { start: (take: typeof takeHeld) => (takeHeld = take), stop: () => undefined, isServed: () => isServed } as never,
      {
        handOn: (_channel: string, job: RouteJob) => {
          if (hasOwner) handedOn.push(job);
          return Promise.resolve(hasOwner);
        },
        isOwner: () => isOwner,
      } as never,
    );
    await processor.onApplicationBootstrap();
  });

  it('is over once the lanes are held, and what came until then is queried', async () => {
    const result = processor.take('sms', JOB);
    await begun();
    claim({ hasMore: false, forAnother: false });
    expect(await result).toBe('idle');
    processor.completed('sms', JOB, 'idle');
    await nothing();
    await nothing();
    expect([queries, added]).toEqual([1, [JOB]]);
  });

  it('is over with its run when that sends nothing', async () => {
    const result = processor.take('sms', JOB);
    await begun();
    end?.(IDLE);
    expect(await result).toBe('idle');
    end = undefined;
    const failed = processor.take('sms', JOB);
    (await begun())({ ...IDLE, isIdle: false });
    expect(await failed).toBe('more');
  });

  it('has a successor when its run ends and wants more, and another beside it where there is room', async () => {
    const result = processor.take('sms', JOB);
    await begun();
    claim({ hasMore: true, forAnother: true });
    expect(await result).toBe('more');
    expect(added).toEqual([{ ...JOB, slot: 1 }]);
    end?.({ ...IDLE, more: true, isIdle: false });
    await nothing();
    await nothing();
    expect(added).toEqual([{ ...JOB, slot: 1 }, nextJob(JOB)]);
  });

  it('is followed by runs without a job where the worker keeps the route, eight in a row', async () => {
    const more = { ...IDLE, more: true, keeps: true, isIdle: false };
    const taken = processor.take('sms', JOB);
    for (let run = 1; run <= 8; run++) {
      expect([run, added]).toEqual([run, []]);
      const finish = await begun();
      end = undefined;
      claim({ hasMore: true, forAnother: false });
      finish(more);
    }
    await vi.waitUntil(() => added.length > 0);
    await taken;
    expect(added).toEqual([nextJob(JOB)]);
  });

  it('is followed by a job where a run sent nothing, which has kept its permit all the while', async () => {
    const taken = processor.take('sms', JOB);
    (await begun())({ ...IDLE, more: true, keeps: true, isIdle: false });
    expect(await taken).toBe('more');
    expect(added).toEqual([nextJob(JOB)]);
  });

  it('is followed by a job when the worker stops, also where it keeps the route', async () => {
    const taken = processor.take('sms', JOB);
    const finish = await begun();
    const stopped = processor.beforeApplicationShutdown();
    claim({ hasMore: true, forAnother: false });
    finish({ ...IDLE, more: true, keeps: true, isIdle: false });
    await Promise.all([taken, stopped]);
    expect(added).toEqual([nextJob(JOB)]);
  });

  it('that is over has a run that a stop waits for', async () => {
    const result = processor.take('sms', JOB);
    await begun();
    claim({ hasMore: false, forAnother: false });
    await result;
    let hasStopped = false;
    const stopped = processor.beforeApplicationShutdown().then(() => (hasStopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasStopped).toBe(false);
    end?.(IDLE);
    await stopped;
  });

  it('of a route with binds is handed once to those who hold one', async () => {
    isForHolders = true;
    expect(await processor.take('sms', JOB)).toBe('more');
    expect(added).toEqual([JOB]);
    await takeHeld('sms', JOB, false);
    expect(added).toEqual([JOB, JOB]);
  });

  it('of a route of which this worker holds a bind is its own', async () => {
    [isForHolders, isServed] = [true, true];
    const taken = takeHeld('sms', JOB, false);
    (await begun())(IDLE);
    await taken;
    expect([queries, added]).toEqual([1, [JOB]]);
  });

  it('is handed on to the home of its route, and begins nothing here', async () => {
    hasOwner = true;
    expect(await processor.take('sms', JOB)).toBe('more');
    expect([handedOn, added, end]).toEqual([[JOB], [], undefined]);
  });

  it('that was handed on is taken, whichever worker is the home by then', async () => {
    hasOwner = true;
    const taken = takeHeld('sms', JOB, true);
    (await begun())(IDLE);
    await taken;
    expect(handedOn).toEqual([]);
  });

  it('that was handed on and cannot be taken is forgotten: the next query makes it again', async () => {
    isForHolders = true;
    await takeHeld('sms', JOB, true);
    expect([handedOn, added, end]).toEqual([[], [], undefined]);
  });

  it.each([true, false])('that has waited is taken here if the slots are of this worker (%s)', async (isOwn) => {
    isOwner = isOwn;
    const taken = processor.take('sms', JOB);
    const finish = await begun();
    end = undefined;
    finish({ ...IDLE, againMs: 1, isIdle: false });
    expect(await taken).toBe('more');
    await vi.waitUntil(() => (isOwn ? end : added.length > 0));
    expect(added).toEqual(isOwn ? [] : [nextJob(JOB)]);
  });
});
