import { describe, expect, it } from 'vitest';
import { PaceMemory } from './pace-memory.js';

describe('the pace of a campaign', () => {
  it('is unknown until five seconds have been seen, then that of the last minute', () => {
    const memory = new PaceMemory();
    expect(memory.note(1, 10_000, 0)).toBeNull();
    expect(memory.note(1, 9_800, 2_000)).toBeNull();
    expect(memory.note(1, 9_000, 10_000)).toBe(100);
    expect(memory.note(2, 9_000, 10_000)).toBeNull();
    // what is older than a minute does not count: 9,000 were left after ten seconds
    expect(memory.note(1, 6_000, 70_000)).toBe(50);
  });

  it('is none where nothing leaves, and begins again after a pause', () => {
    const memory = new PaceMemory();
    memory.note(1, 500, 0);
    expect(memory.note(1, 500, 6_000)).toBe(0);
    memory.forget(1);
    expect(memory.note(1, 500, 60_000)).toBeNull();
  });

  it('bears a clock that steps back', () => {
    const memory = new PaceMemory();
    memory.note(1, 500, 100_000);
    expect(memory.note(1, 400, 50_000)).toBeNull();
    expect(memory.note(1, 300, 60_000)).toBe(10);
  });
});
