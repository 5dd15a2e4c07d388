import { afterAll, describe, expect, it, vi } from 'vitest';
import { SPOKEN_VOICES } from '../spoken-text.js';
import { SpeechPool } from './speech.js';

// a busy machine takes its time to load an engine
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const pools: SpeechPool[] = [];
function poolOf(threads: number): SpeechPool {
  const pool = new SpeechPool({ SPEECH_THREADS: threads });
  pools.push(pool);
  return pool;
}
afterAll(() => Promise.all(pools.map((pool) => pool.onApplicationShutdown())));

const LONG = 'The quick brown fox jumps over the lazy dog. '.repeat(100);

describe('speech threads', () => {
  const pool = poolOf(2);

  it('speak, in every voice that a language can give', async () => {
    const mute: string[] = [];
    const next = SPOKEN_VOICES.values();
    const speaker = async (): Promise<void> => {
      for (const voice of next) if ((await pool.speak(voice, '1 a салам', 120_000)).kind !== 'spoken') mute.push(voice);
    };
    await Promise.all([speaker(), speaker(), speaker()]);
    expect(mute).toEqual([]);
  });

  it('stop as soon as the sound is too long', async () => {
    expect((await pool.speak('en', LONG, 120_000)).kind).toBe('too_long');
    expect((await pool.speak('en', 'one two three', 100)).kind).toBe('too_long');
    expect((await pool.speak('en', 'one two three', 10_000)).kind).toBe('spoken');
  });

  it('say when there is nothing to say', async () => {
    for (const text of ['', ' ', '...', '\n'])
      expect([text, (await pool.speak('en', text, 120_000)).kind]).toEqual([text, 'silent']);
  });

  it('leave the event loop free, and a short text is not held up by a long one', async () => {
    const order: string[] = [];
    const long = pool.speak('en', LONG, 3_600_000).then(() => order.push('long'));
    const timer = setInterval(() => order.push('tick'), 1);
    await pool.speak('en', 'short', 120_000).then(() => order.push('short'));
    await long;
    clearInterval(timer);
    // a short text may be spoken within a millisecond, the long one takes hundreds
    expect(order.indexOf('tick')).toBeLessThan(order.indexOf('long'));
    expect(order.filter((word) => word !== 'tick')).toEqual(['short', 'long']);
  });
});

describe('a speech thread that breaks', () => {
  it('is replaced; its text is tried once more and then fails, the others are spoken', async () => {
    const pool = poolOf(1);
    // what the engine cannot take ends its thread
    const broken = pool.speak('en', 1n as unknown as string, 120_000);
    const fine = pool.speak('en', 'fine', 120_000);
    await expect(broken).rejects.toMatchObject({
      kind: 'failed',
      code: 'speech_failed',
      message: 'Internal server error',
    });
    expect((await fine).kind).toBe('spoken');
  });

  it('names a voice that the engine does not have', async () => {
    expect(await poolOf(1).speak('no-such-language', 'x', 120_000)).toMatchObject({ kind: 'failed' });
  });
});

describe('the queue', () => {
  it('is bounded: beyond it 429', async () => {
    const pool = poolOf(1);
    const all = Array.from({ length: 80 }, () => pool.speak('en', 'hello', 120_000));
    const settled = await Promise.allSettled(all);
    const refused = settled.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(16);
    for (const { reason } of refused) expect(reason).toMatchObject({ kind: 'too_many', retryAfterSeconds: 5 });
  });

  it('is refused when the service ends', async () => {
    const pool = poolOf(1);
    const all = Array.from({ length: 5 }, () => pool.speak('en', LONG, 3_600_000));
    const settled = Promise.allSettled(all);
    await pool.onApplicationShutdown();
    expect((await settled).map((result) => result.status)).toEqual(Array(5).fill('rejected'));
  });
});
