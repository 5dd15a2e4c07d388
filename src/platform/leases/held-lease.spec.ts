import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HeldLease } from './held-lease.js';

const LEASE_MS = 6_000;

describe('a held lease', () => {
  let answers: (boolean | Error)[];
  let asked: number[];
  let events: string[];
  let begun: number;
  let lease: HeldLease;

  beforeEach(() => {
    vi.useFakeTimers();
    [answers, asked, events] = [[], [], []];
    begun = performance.now();
    lease = new HeldLease({
      leaseMs: LEASE_MS,
      claimedAt: begun,
      renew: () => {
        asked.push(performance.now() - begun);
        const answer = answers.shift() ?? true;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      onLost: () => events.push('lost'),
      onFault: (error) => events.push((error as Error).message),
    });
  });
  afterEach(() => {
    lease.end();
    vi.useRealTimers();
  });

  it('is renewed at every third, and counts from the moment of the question, less a sixth', async () => {
    expect(lease.sendUntil - begun).toBe(5_000);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(asked).toEqual([2_000, 4_000]);
    expect(lease.sendUntil - begun).toBe(9_000);
    expect(lease.maySend).toBe(true);
  });

  it('ends by itself while the database cannot be asked', async () => {
    answers = [new Error('away'), new Error('away')];
    await vi.advanceTimersByTimeAsync(4_999);
    expect(lease.maySend).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(lease.maySend).toBe(false);
    expect(events).toEqual(['away', 'away']);
    await vi.advanceTimersByTimeAsync(1_000); // the database is back, and no other worker was faster
    expect(lease.maySend).toBe(true);
  });

  it('is over at once, and for good, when another worker has the row', async () => {
    answers = [false];
    await vi.advanceTimersByTimeAsync(10_000);
    expect({ asked, events, sendUntil: lease.sendUntil }).toEqual({ asked: [2_000], events: ['lost'], sendUntil: 0 });
  });

  it('is renewed no more after its end', async () => {
    lease.end();
    await vi.advanceTimersByTimeAsync(10_000);
    expect({ asked, timers: vi.getTimerCount() }).toEqual({ asked: [], timers: 0 });
  });
});
