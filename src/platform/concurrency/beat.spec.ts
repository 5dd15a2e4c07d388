import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Beat } from './beat.js';

describe('a beat', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('wakes those who came since the last one together, and rests while none is asked for', async () => {
    const beat = new Beat(40);
    const heard: string[] = [];
    const wait = (name: string): void => void beat.heard().then(() => heard.push(name));
    wait('first');
    await vi.advanceTimersByTimeAsync(39);
    wait('second');
    expect([heard, vi.getTimerCount()]).toEqual([[], 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect([heard, vi.getTimerCount()]).toEqual([['first', 'second'], 0]);
    wait('third');
    await vi.advanceTimersByTimeAsync(40);
    expect(heard).toEqual(['first', 'second', 'third']);
  });
});
