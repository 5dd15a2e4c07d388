import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Circuit, HALF_OPEN_MS, ILL, UNREACHED, WELL } from './circuit.js';

const weigh = (result: string): number => (result === 'fault' ? ILL : result === 'unreached' ? UNREACHED : WELL);

describe('a circuit', () => {
  let circuit: Circuit;
  let calls: number;

  const run = (result: string): Promise<string | null> =>
    circuit.run(() => {
      calls += 1;
      return Promise.resolve(result);
    }, weigh);
  const repeat = async (times: number, result: string): Promise<void> => {
    for (let time = 0; time < times; time++) await run(result);
  };

  beforeEach(() => {
    vi.useFakeTimers();
    circuit = new Circuit();
    calls = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('opens after 20 faults in a row, not before, and lets nothing through for 2 s', async () => {
    await repeat(19, 'fault');
    expect(await run('fine')).toBe('fine');
    await repeat(19, 'fault');
    expect(circuit.isOpen).toBe(false);
    expect(await run('fault')).toBe('fault');
    expect(circuit.isOpen).toBe(true);
    vi.advanceTimersByTime(HALF_OPEN_MS - 1);
    calls = 0;
    expect(await run('fine')).toBeNull();
    expect(calls).toBe(0);
  });

  it('opens after three attempts in a row that did not reach the upstream, and is broken until a try succeeds', async () => {
    await repeat(2, 'unreached');
    expect(await run('fine')).toBe('fine');
    await repeat(2, 'unreached');
    expect(circuit.isBroken()).toBe(false);
    await run('unreached');
    expect([circuit.isOpen, circuit.isBroken()]).toEqual([true, true]);
    vi.advanceTimersByTime(HALF_OPEN_MS);
    expect([circuit.isOpen, circuit.isBroken()]).toEqual([false, true]);
    await run('unreached');
    expect([circuit.isOpen, circuit.isBroken()]).toEqual([true, true]);
    vi.advanceTimersByTime(HALF_OPEN_MS);
    await run('fine');
    expect([circuit.isOpen, circuit.isBroken()]).toEqual([false, false]);
  });

  it('tries once after that: all who came meanwhile go as the try goes', async () => {
    await repeat(20, 'fault');
    vi.advanceTimersByTime(HALF_OPEN_MS);
    expect(circuit.isOpen).toBe(false);
    calls = 0;
    expect(await Promise.all([run('fault'), run('fine'), run('fine')])).toEqual(['fault', null, null]);
    expect(calls).toBe(1);
    expect(circuit.isOpen).toBe(true);

    vi.advanceTimersByTime(HALF_OPEN_MS);
    calls = 0;
    expect(await Promise.all([run('fine'), run('fine'), run('fault')])).toEqual(['fine', 'fine', 'fault']);
    expect(calls).toBe(3);
    expect(circuit.isOpen).toBe(false);
    await repeat(18, 'fault');
    expect(circuit.isOpen).toBe(false);
    await run('fault');
    expect(circuit.isOpen).toBe(true);
  });

  it('faults of calls that were under way when it opened do not keep it open longer', async () => {
    const answers: ((result: string) => void)[] = [];
    const late = Promise.all(
      Array.from({ length: 5 }, () =>
        circuit.run(() => new Promise<string>((resolve) => answers.push(resolve)), weigh),
      ),
    );
    await repeat(20, 'fault');
    vi.advanceTimersByTime(HALF_OPEN_MS - 1);
    for (const answer of answers) answer('fault');
    await late;
    vi.advanceTimersByTime(1);
    expect(circuit.isOpen).toBe(false);
  });
});
