import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestingModule } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clockTime } from '../../src/kernel/clock.js';
import {
  type DueSessionMessage,
  ScheduledMessageStore,
} from '../../src/modules/session-messages/scheduled-messages.store.js';
import { GraphUpstream } from '../support/graph-upstream.js';
import { until } from '../support/processes.js';
import { type ChatMember, openSessions, type Sessions } from '../support/sessions.js';

const TO = '919812345678';
const V6 = { messaging_product: 'chat', to: TO, type: 'text', text: { body: 'Hello' } };
const MINUTE_MS = 60_000;

let sessions: Sessions;
const workers: TestingModule[] = [];

beforeAll(async () => {
  sessions = await openSessions();
});
afterAll(() => sessions.stop());
beforeEach(() => sessions.upstream.answer(null));
afterEach(async () => {
  await sessions.dataSource.query('UPDATE session_messages SET due_at = NULL');
  sessions.upstream.answer(null);
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});

const startWorker = async (): Promise<void> => void workers.push(await sessions.startWorker());
const status = (id: string, word: string, ref: string): Record<string, unknown> => ({
  id,
  status: word,
  timestamp: '1700000000',
  recipient_id: TO,
  biz_opaque_callback_data: ref,
});
const refOf = async (who: ChatMember): Promise<string> => `session-${(await sessions.stored(who))[0]?.id ?? 0}`;
const textsSeen = (): unknown[] =>
  sessions.upstream.calls.map(({ body }) => (body['text'] as { body?: string } | undefined)?.body);
/** All messages of the account have one of these statuses. */
const settled = (who: ChatMember, ...words: string[]): Promise<void> =>
  until(
    words.join(' or '),
    async () => (await sessions.stored(who)).every(({ status: word }) => words.includes(word)),
    20_000,
  );

const store = (): ScheduledMessageStore => sessions.api.app.get(ScheduledMessageStore, { strict: false });
const claim = (): Promise<DueSessionMessage[]> => store().claim({ most: 50, mostOfOne: 10, except: [] });

/** As a worker does right before it sends. */
async function begin(): Promise<DueSessionMessage[]> {
  const claimed = await claim();
  for (const message of claimed) expect(await store().begin(message)).toBe(true);
  return claimed;
}

/** Stores messages that are due now; each says `<label> <n>`. */
async function schedule(who: ChatMember, label: string, count = 1): Promise<void> {
  await sessions.openWindow(who, TO);
  const later = clockTime(new Date(Date.now() + 60 * MINUTE_MS), 'UTC');
  for (let index = 0; index < count; index++) {
    const body = { contacts: TO, broadcast_message: `${label} ${index}`, schedule_time: later };
    expect((await sessions.v5(who, body)).status).toBe(200);
  }
  await sessions.makeDue(who);
}

describe('a send whose answer is lost', () => {
  it('is settled by the statuses that give our reference back, and never by another account’s', async () => {
    const [who, other] = [await sessions.member(), await sessions.member()];
    sessions.upstream.answer('silence');
    expect((await sessions.v6(who, V6)).status).toBe(502);
    const ref = await refOf(who);
    expect(sessions.upstream.last.body['biz_opaque_callback_data']).toBe(ref);
    expect(await sessions.callback(other, [status('wamid.LOST', 'delivered', ref)])).toBe(200);
    expect(await sessions.stored(who)).toMatchObject([{ status: 'Unknown' }]);
    for (const [word, expected] of [
      ['sent', 'Submitted'],
      ['delivered', 'Delivered'],
      ['sent', 'Delivered'],
      ['read', 'Read'],
    ] as const) {
      expect(await sessions.callback(who, [status('wamid.LOST', word, ref)])).toBe(200);
      expect(await sessions.stored(who), word).toMatchObject([{ status: expected }]);
    }
  });

  it('a status may be faster than the answer: the answer takes nothing back', async () => {
    const who = await sessions.member();
    sessions.upstream.answer('hold');
    const sending = sessions.v6(who, V6);
    await until('the message to be stored', async () => (await sessions.stored(who)).length === 1);
    await until('the message to arrive', () => Promise.resolve(sessions.upstream.calls.length > 0));
    const ref = await refOf(who);
    await until('the message to leave', () =>
      Promise.resolve(sessions.upstream.calls.some(({ body }) => body['biz_opaque_callback_data'] === ref)),
    );
    await sessions.callback(who, [status('wamid.FAST', 'delivered', ref)]);
    expect(await sessions.stored(who)).toMatchObject([{ status: 'Delivered' }]);
    sessions.upstream.answer(null);
    expect((await sending).status).toBe(200);
    expect(await sessions.stored(who)).toMatchObject([{ status: 'Delivered' }]);
  });

  it('references that are none of ours are unmatched as any unknown receipt', async () => {
    const who = await sessions.member();
    const refs = ['session-', 'session-0', 'session-12x', 'session-99999999999999999999', '7-1', 'x'.repeat(600)];
    expect(
      await sessions.callback(
        who,
        refs.map((ref, index) => status(`wamid.ODD${index}`, 'delivered', ref)),
      ),
    ).toBe(200);
    const unmatched = await sessions.dataSource.query<unknown[]>('SELECT id FROM parked_receipts WHERE route_id = ?', [
      who.routeId,
    ]);
    expect(unmatched).toHaveLength(refs.length);
  });
});

describe('a send that never left', () => {
  it('has failed, and is known to have', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const who = await sessions.member({ url: `http://127.0.0.1:${port}/v21.0/106540352242922` });
    const answer = await sessions.v6(who, V6);
    expect([answer.status, answer.body.message]).toEqual([502, 'Provider did not answer']);
    expect(await sessions.stored(who)).toMatchObject([{ status: 'Failed', errorMessage: 'Provider did not answer' }]);
  });

  it('20 faults in a row open the circuit of this account alone', async () => {
    const [who, other] = [await sessions.member(), await sessions.member()];
    sessions.upstream.answer('silence');
    for (let count = 0; count < 20; count++) await sessions.v6(who, V6);
    sessions.upstream.answer(null);
    const calls = sessions.upstream.calls.length;
    expect((await sessions.v6(who, V6)).status).toBe(502);
    expect(sessions.upstream.calls).toHaveLength(calls);
    expect((await sessions.stored(who)).at(-1)).toMatchObject({ status: 'Failed' });
    expect((await sessions.v6(other, V6)).status).toBe(200);
  });
});

describe('a scheduled message', () => {
  it('that a worker died with is never sent again', async () => {
    const who = await sessions.member();
    await schedule(who, 'dead');
    expect(await begin()).toMatchObject([{ to: TO }]);
    const other = await sessions.member();
    await schedule(other, 'alive');
    await startWorker();
    await settled(other, 'Submitted');
    expect(textsSeen()).not.toContain('dead 0');
    expect(await sessions.stored(who)).toMatchObject([{ status: 'Unknown', dueAt: null }]);
  });

  it('that a worker died with before the intent to send it leaves once its claim is void', async () => {
    const who = await sessions.member();
    await schedule(who, 'claimed');
    const [claimed] = await claim();
    expect(await claim()).toEqual([]);
    expect(await sessions.stored(who)).toMatchObject([{ status: 'Pending' }]);
    const dueAt = (await sessions.stored(who))[0]?.dueAt?.getTime() ?? 0;
    expect(dueAt).toBeLessThan(Date.now() + MINUTE_MS);
    await startWorker();
    await sessions.makeDue(who);
    await settled(who, 'Submitted');
    expect(textsSeen().filter((text) => text === 'claimed 0')).toHaveLength(1);
    // The dead wakes up: his claim counts no more.
    expect(claimed && (await store().begin(claimed))).toBe(false);
    if (claimed) await store().putBack(claimed, 0);
    expect(await sessions.stored(who)).toMatchObject([{ status: 'Submitted', dueAt: null }]);
  });

  it('whose intent was recorded but not confirmed may be begun again by the same claim alone', async () => {
    const who = await sessions.member();
    await schedule(who, 'twice');
    const [message] = await begin();
    expect(message && (await store().begin(message))).toBe(true);
    expect(message && (await store().begin({ ...message, claim: randomUUID() }))).toBe(false);
    if (message) await store().putBack(message, 0);
    await startWorker();
    await settled(who, 'Submitted');
    expect(textsSeen().filter((text) => text === 'twice 0')).toHaveLength(1);
  });

  it('whose answer is lost is not sent again either', async () => {
    const who = await sessions.member();
    sessions.upstream.answer('silence');
    await schedule(who, 'lost');
    await startWorker();
    await until('it to leave', () => Promise.resolve(textsSeen().includes('lost 0')), 20_000);
    sessions.upstream.answer(null);
    const other = await sessions.member();
    await schedule(other, 'next');
    await settled(other, 'Submitted');
    expect(textsSeen().filter((text) => text === 'lost 0')).toHaveLength(1);
    expect(await sessions.stored(who)).toMatchObject([{ status: 'Unknown', dueAt: null }]);
  });

  it('leaves later when the provider is busy or away, and only once', async () => {
    const orders = [
      { status: 429, body: { error: { message: 'Rate limit hit', code: 130429 } } },
      { status: 503, body: { error: { message: 'Down', code: 131016 } } },
    ];
    for (const [index, order] of orders.entries()) {
      const who = await sessions.member();
      sessions.upstream.answer(order);
      await schedule(who, `busy${index}`);
      if (workers.length === 0) await startWorker();
      await until('it to be tried', () => Promise.resolve(textsSeen().includes(`busy${index} 0`)), 20_000);
      await settled(who, 'Pending');
      expect((await sessions.stored(who))[0]?.dueAt?.getTime()).toBeGreaterThan(Date.now() - MINUTE_MS);
      sessions.upstream.answer(null);
      const before = textsSeen().length;
      await sessions.makeDue(who);
      await settled(who, 'Submitted');
      expect(textsSeen().slice(before)).toEqual([`busy${index} 0`]);
    }
  });

  it('waits no longer than the window is open', async () => {
    const who = await sessions.member();
    sessions.upstream.answer({ status: 429, body: { error: { message: 'Rate limit hit', code: 130429 } } });
    await schedule(who, 'closing');
    await startWorker();
    await until('it to be tried', () => Promise.resolve(textsSeen().includes('closing 0')), 20_000);
    await sessions.dataSource.query('UPDATE chat_windows SET open_until = UTC_TIMESTAMP(3) WHERE route_id = ?', [
      who.routeId,
    ]);
    await settled(who, 'Failed');
    expect(await sessions.stored(who)).toMatchObject([{ errorMessage: 'Ticket Expired', dueAt: null }]);
  });

  it('that left although it was put off does not leave again', async () => {
    const who = await sessions.member();
    sessions.upstream.answer({ status: 503, body: { error: { message: 'Down', code: 131016 } } });
    await schedule(who, 'liar');
    await startWorker();
    await until('it to be tried', () => Promise.resolve(textsSeen().includes('liar 0')), 20_000);
    await settled(who, 'Pending');
    await sessions.callback(who, [status('wamid.LIAR', 'delivered', await refOf(who))]);
    expect(await sessions.stored(who)).toMatchObject([{ status: 'Delivered', dueAt: null }]);
  });

  it('that the provider refuses has failed with its code and text', async () => {
    const who = await sessions.member();
    sessions.upstream.answer({ status: 400, body: { error: { message: '(#131047) Re-engagement', code: 131047 } } });
    await schedule(who, 'refused');
    await startWorker();
    await settled(who, 'Failed');
    expect(await sessions.stored(who)).toMatchObject([{ errorCode: 131047, errorMessage: '(#131047) Re-engagement' }]);
  });

  it('of one account does not wait for the slow provider of another', async () => {
    const slow = await GraphUpstream.open();
    slow.answer('hold');
    try {
      const [sleepy, who] = [await sessions.member({ url: slow.accountUrl }), await sessions.member()];
      await schedule(sleepy, 'slow', 25);
      await schedule(who, 'quick', 12);
      await startWorker();
      await settled(who, 'Submitted');
      expect(slow.calls.length).toBeLessThanOrEqual(10);
      slow.answer(null);
      await settled(sleepy, 'Submitted');
      expect(new Set(slow.calls.map(({ body }) => body['biz_opaque_callback_data'])).size).toBe(25);
      expect(slow.calls).toHaveLength(25);
    } finally {
      await slow.stop();
    }
  });

  it('leaves once, with two workers side by side; and what is under way is settled at a stop', async () => {
    const who = await sessions.member();
    await schedule(who, 'pair', 24);
    await startWorker();
    await startWorker();
    await settled(who, 'Submitted');
    const texts = textsSeen().filter((text) => String(text).startsWith('pair '));
    expect([texts.length, new Set(texts).size]).toEqual([24, 24]);
    sessions.upstream.answer('hold');
    await schedule(who, 'stopping');
    await until('it to leave', () => Promise.resolve(textsSeen().includes('stopping 0')), 20_000);
    const stopped = Promise.all(workers.splice(0).map((worker) => worker.close()));
    sessions.upstream.answer(null);
    await stopped;
    expect((await sessions.stored(who)).every(({ status: word }) => word === 'Submitted')).toBe(true);
  });
});
