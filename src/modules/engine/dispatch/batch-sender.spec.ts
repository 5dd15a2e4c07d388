import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RouteConnection, SendOutcome } from '../../providers/index.js';
import type { DueRecipient } from '../attempts.js';
import type { Channel } from '../channel.js';
import type { BatchResult } from '../settle/recipient-change.js';
import { isPatient, submitBatch } from './batch-sender.js';
import { SubmitLog } from './submit-log.js';

const BEAT_MS = 40;
const refused = Object.assign(new Error('Data too long'), { errno: 1406 });
const away = Object.assign(new Error('Server has gone away'), { errno: 2006 });

describe('a batch under way', () => {
  /** what the carrier has been handed, by its reference */
  let answers: Map<string, (outcome: SendOutcome) => void>;
  let flushes: number[][];
  let ends: ((error?: Error) => void)[];
  const passed = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);
  const seqsOf = (results: readonly BatchResult[]): number[] => results.map(({ recipient }) => recipient.seq);
  const recipient = (seq: number): DueRecipient =>
    ({ lane: { campaignId: 1, content: {} }, seq, number: '4915112345678', attempt: 1 }) as DueRecipient;

  beforeEach(() => {
    vi.useFakeTimers();
    [answers, flushes, ends] = [new Map(), [], []];
  });
  afterEach(async () => {
    // The beat is one for the process: none is left behind for the next test.
    await passed(BEAT_MS);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  /** @returns the results that it leaves for the last write; null while it is under way */
  const begin = (total: number, isPatientWindow = false): { readonly last: number[] | null } => {
    const state: { last: number[] | null } = { last: null };
    const batch = {
      channel: { compose: () => ({ text: 'hello' }) } as unknown as Channel,
      connection: {
        send: ({ ref }) => new Promise((resolve) => answers.set(ref, resolve)),
      } as RouteConnection,
      deduplicated: false,
      opened: (content: object) => content as never,
      recipients: Array.from({ length: total }, (_, index) => recipient(index + 1)),
      log: new SubmitLog(null),
      urgent: false,
      pacer: null,
      isPatient: isPatientWindow,
      notAfter: () => Infinity,
      heldOutcome: () => null,
    };
    void submitBatch(batch, (results) => {
      flushes.push(seqsOf(results));
      return new Promise((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
    }).then((results) => (state.last = seqsOf(results)));
    return state;
  };
  const taken = async (...seqs: number[]): Promise<void> => {
    for (const seq of seqs) answers.get(`1-${seq}`)?.({ kind: 'accepted', providerMessageIds: [`id-${seq}`] });
    await passed(0);
  };
  const end = async (error?: Error): Promise<void> => {
    ends.shift()?.(error);
    await passed(0);
  };

  it('hands over on a beat what has come, and leaves the rest for the last write', async () => {
    const batch = begin(4);
    await taken(2, 1);
    await passed(BEAT_MS - 1);
    expect(flushes).toEqual([]);
    await passed(1);
    expect(flushes).toEqual([[2, 1]]);
    await end();
    await taken(4, 3);
    expect([batch.last, flushes]).toEqual([[4, 3], [[2, 1]]]);
  });

  it('flushes once at a time, and ends when what is being written is', async () => {
    const batch = begin(3);
    await taken(1);
    await passed(BEAT_MS);
    await taken(2);
    await passed(2 * BEAT_MS);
    expect(flushes).toEqual([[1]]);
    await taken(3);
    expect(batch.last).toBeNull();
    await end();
    expect([batch.last, flushes]).toEqual([[2, 3], [[1]]]);
  });

  it('hands over again, in front of what has come since, what the database was away for', async () => {
    const batch = begin(4);
    await taken(1);
    await passed(BEAT_MS);
    await taken(2);
    await end(away);
    await passed(BEAT_MS);
    expect(flushes).toEqual([[1], [1, 2]]);
    await taken(3, 4);
    await end(away);
    expect(batch.last).toEqual([1, 2, 3, 4]);
  });

  it('keeps for the last write what the database refuses', async () => {
    const batch = begin(3);
    await taken(1);
    await passed(BEAT_MS);
    await end(refused);
    await taken(2);
    await passed(3 * BEAT_MS);
    expect(flushes).toEqual([[1]]);
    await taken(3);
    expect(batch.last).toEqual([1, 2, 3]);
  });

  it('ends at once, and on the beat where it is patient', async () => {
    const quick = begin(1);
    await taken(1);
    expect([quick.last, vi.getTimerCount()]).toEqual([[1], 0]);
    const patient = begin(1, true);
    await taken(1);
    await passed(BEAT_MS - 1);
    expect(patient.last).toBeNull();
    await passed(1);
    expect([patient.last, flushes]).toEqual([[1], []]);
  });

  it('does not wait for the beat with nothing to write', async () => {
    const batch = begin(0, true);
    await passed(0);
    expect([batch.last, vi.getTimerCount()]).toEqual([[], 0]);
  });

  it('is patient on a route whose slots are a beat apart or more', () => {
    expect([null, 0.5, 25, 26].map(isPatient)).toEqual([false, true, true, false]);
  });
});
