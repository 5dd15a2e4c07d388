import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SendOutcome } from '../message-driver.js';
import { Circuit, GatedConnection, HALF_OPEN_MS, ILL, Throttle, UNREACHED, WELL } from './gated-connection.js';

const TAKEN: SendOutcome = { kind: 'accepted', providerMessageIds: ['id'] };
const TOO_FAST: SendOutcome = { kind: 'retry', afterMs: 1_000, code: 130429, text: 'slow down', throttled: true };
/** of one connection at once */
const PLACES = 200;

/** A connection to a carrier that answers as told, and how often it was asked. */
function connectionTo(answer: (attempt: number) => SendOutcome) {
  const asked = { times: 0 };
  const connection = new GatedConnection({
    title: 'Carrier',
    timeoutMs: 15_000,
    attempt: () => Promise.resolve(answer(++asked.times)),
  });
  const send = (count: number, withinMs = 60_000): Promise<SendOutcome[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        connection.send({ ref: `r-${index}`, to: '919812345678', text: 'x', notAfter: performance.now() + withinMs }),
      ),
    );
  return { connection, asked, send };
}

describe('a carrier that answers "too fast"', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('to a message now and then: that one alone is put off', async () => {
    const { send, asked } = connectionTo((attempt) => (attempt % 10 === 0 ? TOO_FAST : TAKEN));
    const outcomes = await send(1_000);
    expect(asked.times).toBe(1_000);
    expect(outcomes.filter(({ kind }) => kind === 'retry')).toHaveLength(100);
  });

  it('to everything: what is not under way waits for the end of the pause, and then leaves', async () => {
    const { send, asked } = connectionTo((attempt) => (attempt <= PLACES ? TOO_FAST : TAKEN));
    const sending = send(1_000);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.times).toBe(PLACES);
    await vi.advanceTimersByTimeAsync(200);
    const outcomes = await sending;
    expect(asked.times).toBe(1_000);
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(1_000 - PLACES);
  });

  it('for ever: it is asked ever more rarely, and what has no time to wait is put off unsent', async () => {
    const { send, asked } = connectionTo(() => TOO_FAST);
    const sending = send(3_000, 10_000);
    await vi.advanceTimersByTimeAsync(10_000);
    const outcomes = await sending;
    expect(asked.times).toBeLessThan(2_500);
    expect(outcomes.every((outcome) => outcome.kind === 'retry')).toBe(true);
  });

  it('does not hold up a stop', async () => {
    const { connection, send, asked } = connectionTo(() => TOO_FAST);
    const sending = send(PLACES + 1);
    await vi.advanceTimersByTimeAsync(0);
    const closing = connection.close();
    await vi.advanceTimersByTimeAsync(10_000);
    await closing;
    expect((await sending).every((outcome) => outcome.kind === 'retry')).toBe(true);
    expect(asked.times).toBe(PLACES);
  });
});

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

  it('opens after three attempts in a row that did not reach the carrier, and is broken until a try succeeds', async () => {
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

describe('a message that was stopped on its way', () => {
  it('says nothing of its carrier', async () => {
    const attempt = (): Promise<SendOutcome> => Promise.resolve({ kind: 'unsent', afterMs: 0, text: 'Held back' });
    const connection = new GatedConnection({ title: 'Carrier', timeoutMs: 15_000, attempt });
    let looks = 0;
    const send = (isStopped: boolean): Promise<SendOutcome> => {
      looks = 0;
      const hasStopped = (): boolean => isStopped && looks++ > 0;
      const message = { ref: 'r', to: '919812345678', text: 'x', notAfter: performance.now() + 60_000 };
      return connection.send({ ...message, hasStopped });
    };
    for (let times = 0; times < 5; times++) expect(await send(true)).toMatchObject({ text: 'Held back' });
    expect([connection.onTrial, connection.fault]).toEqual([false, null]);
    for (let times = 0; times < 3; times++) await send(false);
    expect([connection.onTrial, connection.fault]).toEqual([true, 'Held back']);
  });
});

describe('throttling of a connection', () => {
  it('puts off single messages alone while others are taken', () => {
    const throttle = new Throttle();
    for (let i = 0; i < 1_000; i++) {
      expect(throttle.throttled(false)).toBe(0);
      throttle.accepted();
    }
    expect(throttle.retryAfterMs()).toBeGreaterThan(0);
  });

  it('pauses after a streak, longer each time, and forgets with the first success', () => {
    const throttle = new Throttle();
    const pauses: number[] = [];
    while (pauses.length < 10) {
      const pause = throttle.throttled(false);
      if (pause > 0) pauses.push(pause);
    }
    expect(pauses[0]).toBeLessThan(pauses[4] as number);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(5_000 * 1.25);
    throttle.accepted();
    expect(throttle.retryAfterMs()).toBeLessThan(1_000);
  });

  it('begins no second pause while one lasts', () => {
    const throttle = new Throttle();
    for (let i = 0; i < 100; i++) expect(throttle.throttled(true)).toBe(0);
  });
});
