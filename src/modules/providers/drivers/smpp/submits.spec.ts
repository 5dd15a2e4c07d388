import { beforeEach, describe, expect, it } from 'vitest';
import { type Submit, Unanswered } from './submits.js';

describe('submits without an answer', () => {
  let unanswered: Unanswered;
  const submit = (to: string): Submit => ({ to, sequence: 0 }) as Submit;
  const written = (sequence: number, to = String(sequence)): void => unanswered.add(sequence, submit(to));

  beforeEach(() => (unanswered = new Unanswered(4)));

  it('are found by their number, once', () => {
    written(1);
    written(2);
    expect(unanswered.size).toBe(2);
    expect(unanswered.take(2)).toMatchObject({ to: '2', sequence: 2 });
    expect(unanswered.take(2)).toBeNull();
    expect(unanswered.size).toBe(1);
  });

  it('are no others whose number shares the slot', () => {
    written(3);
    expect(unanswered.take(3 + 8)).toBeNull();
    expect(unanswered.take(0xffffffff)).toBeNull();
    expect(unanswered.take(3)).toMatchObject({ to: '3' });
  });

  it('keep their slot while others come and go', () => {
    written(1, 'silent');
    for (let sequence = 2; sequence < 1_000; sequence++) {
      if (!unanswered.isFree(sequence)) {
        expect(sequence % 8).toBe(1);
        continue;
      }
      written(sequence);
      expect(unanswered.take(sequence)).toMatchObject({ to: String(sequence) });
    }
    expect(unanswered.take(1)).toMatchObject({ to: 'silent' });
  });

  it('take the highest sequence number and the lowest after it', () => {
    written(0x7fffffff);
    written(1);
    expect(unanswered.take(0x7fffffff)).toMatchObject({ to: String(0x7fffffff) });
    expect(unanswered.take(1)).toMatchObject({ to: '1' });
  });

  it('leave slots for as many as may be on their way', () => {
    for (const most of [1, 3, 100, 10_000]) {
      unanswered = new Unanswered(most);
      for (let sequence = 1; sequence <= most; sequence++) {
        expect(unanswered.isFree(sequence)).toBe(true);
        written(sequence);
      }
      expect(unanswered.size).toBe(most);
    }
  });

  it('go when their time is over, and leave the others', () => {
    for (const sequence of [1, 2, 3]) written(sequence);
    expect(unanswered.remove(({ to }) => to !== '2').map(({ to }) => to)).toEqual(['1', '3']);
    expect(unanswered.size).toBe(1);
    expect(unanswered.take(1)).toBeNull();
    expect(unanswered.take(2)).toMatchObject({ to: '2' });
  });
});
