import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SendOutcome } from '../ports/message-driver.js';
import { GatedConnection } from './gated-connection.js';

const TAKEN: SendOutcome = { kind: 'accepted', providerMessageIds: ['id'] };
const TOO_FAST: SendOutcome = { kind: 'retry', afterMs: 1_000, code: 130429, text: 'slow down', throttled: true };
/** of one connection at once */
const PLACES = 200;

/** A connection to an upstream that answers as told, and how often it was asked. */
function connectionTo(answer: (attempt: number) => SendOutcome) {
  const asked = { times: 0 };
  const connection = new GatedConnection({
    title: 'Upstream',
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

describe('an upstream that answers "too fast"', () => {
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
