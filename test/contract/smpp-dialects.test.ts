import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SendOutcome } from '../../src/modules/providers/index.js';
import { type Pdu, receiptText, Smsc } from './npm-smsc.js';
import { type BoundRoute, openRoute, TEXTS } from './smpp-route.js';

const PATIENCE = { timeout: 60_000 };

describe('SMPP driver and an SMSC of npm smpp', () => {
  let smsc: Smsc;
  let route: BoundRoute;

  async function open(
    config: Record<string, unknown> = {},
    serverOptions: Record<string, unknown> = {},
  ): Promise<void> {
    smsc = new Smsc();
    route = openRoute(await smsc.listen(serverOptions), config);
    await route.bound();
  }
  afterEach(async () => {
    await route.connection.close();
    await smsc.close();
  });

  it('sends text that npm smpp reads back, asking for a receipt of each part', async () => {
    await open();
    for (const [, text, parts] of TEXTS) {
      smsc.submits.length = 0;
      expect((await route.send('4915112345678', text)).kind).toBe('accepted');
      expect(smsc.submits).toHaveLength(parts);
      expect(smsc.submits.every((pdu) => pdu['registered_delivery'] === 1)).toBe(true);
      expect(smsc.submits.map((pdu) => (pdu['short_message'] as { message: string }).message).join('')).toBe(text);
    }
  });

  it('uses TLS and trusts no stranger', async () => {
    const [key, cert] = ['key', 'cert'].map((name) =>
      readFileSync(new URL(`tls/carrier-${name}.pem`, import.meta.url), 'utf8'),
    );
    await open({ host: 'localhost', tls: true, tls_ca: cert }, { key, cert });
    expect((await route.send('4915112345678', 'over TLS')).kind).toBe('accepted');
    const stranger = openRoute(smsc.port, { host: 'localhost', tls: true });
    expect(await stranger.send('4915112345678', 'hi')).toMatchObject({ kind: 'unsent', afterMs: 0 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(stranger.connection.ready).toBe(false);
    await stranger.connection.close();
  });

  it.each([
    [0x58, { kind: 'retry', throttled: true, code: 0x58 }],
    [0x14, { kind: 'retry', throttled: true, code: 0x14 }],
    [0x08, { kind: 'retry', throttled: false, code: 0x08, afterMs: 1_000 }],
    [0x0b, { kind: 'rejected', code: 0x0b, text: 'Invalid destination address', submitted: true }],
    [0x4f1, { kind: 'rejected', code: 0x4f1, text: 'Rejected by the carrier (0x4f1)', submitted: true }],
  ])('understands the refusal 0x%s', async (status, outcome) => {
    await open();
    smsc.answer = (pdu, session) => session.send(pdu.response({ command_status: status }));
    expect(await route.send('4915112345678', 'hi')).toMatchObject(outcome);
  });

  it.each(['', ' '])('takes an answer with the id %j for an unknown outcome', async (id) => {
    await open();
    smsc.answer = (pdu, session) => session.send(pdu.response({ message_id: id }));
    expect(await route.send('4915112345678', 'hi')).toEqual({ kind: 'unknown' });
    expect(await route.send('4915112345678', 'Switchboard '.repeat(20))).toEqual({ kind: 'unknown' });
    expect(smsc.submits).toHaveLength(3);
  });

  it('repeats a throttled part beside one that was taken without an id, and sends that one once', async () => {
    await open();
    smsc.answer = (pdu, session) =>
      session.send(pdu.response(smsc.submits.length === 2 ? { command_status: 0x58 } : { message_id: '' }));
    expect(await route.send('4915112345678', 'Switchboard '.repeat(20))).toEqual({ kind: 'unknown' });
    expect(smsc.submits).toHaveLength(3);
  });

  it('repeats a single throttled part of a long message by itself', async () => {
    await open();
    let refused = 0;
    smsc.answer = (pdu, session) => {
      const throttle = smsc.submits.length === 2;
      if (throttle) refused += 1;
      session.send(pdu.response(throttle ? { command_status: 0x58 } : { message_id: `p-${smsc.submits.length}` }));
    };
    expect(await route.send('4915112345678', 'z'.repeat(400))).toEqual({
      kind: 'accepted',
      providerMessageIds: ['p-1', 'p-4', 'p-3'],
    });
    expect(refused).toBe(1);
  });

  it('calls a long message refused when a part is refused for good, and unknown when a part has no answer', async () => {
    await open({ submit_timeout_ms: 200 });
    smsc.answer = (pdu, session) =>
      session.send(pdu.response(smsc.submits.length === 2 ? { command_status: 0x0b } : { message_id: 'ok' }));
    const refused = { kind: 'rejected', submitted: true };
    expect(await route.send('4915112345678', 'z'.repeat(400))).toMatchObject({ ...refused, taken: 2 });
    smsc.submits.length = 0;
    smsc.answer = (pdu, session) =>
      void (smsc.submits.length !== 2 && session.send(pdu.response({ message_id: 'ok' })));
    expect(await route.send('4915112345678', 'z'.repeat(400))).toEqual({ kind: 'unknown' });
  });

  it('says that another route may carry what it refuses by a named status, unless a part was taken', async () => {
    await open({ failover_codes: ['0x0B', 8, 88] });
    const outcomes = async (status: number, text = 'Hello'): Promise<SendOutcome> => {
      let parts = 0;
      smsc.answer = (pdu, session) =>
        session.send(pdu.response(parts++ === 0 ? { command_status: status } : { message_id: 'taken' }));
      return route.send('4915112345678', text);
    };
    const whole = await outcomes(0x0b);
    expect(whole).toMatchObject({ kind: 'rejected', elsewhere: true });
    expect(whole).not.toHaveProperty('taken');
    expect(await outcomes(0x08)).toMatchObject({ kind: 'retry', elsewhere: true });
    for (const status of [0x0a, 0x58]) expect(await outcomes(status)).not.toHaveProperty('elsewhere');
    const long = await outcomes(0x0b, 'long '.repeat(60));
    expect(long).toMatchObject({ kind: 'rejected', code: 0x0b });
    expect(long).not.toHaveProperty('elsewhere');
  });

  it('reads receipts in every form and acknowledges them', async () => {
    await open();
    const text = (id: string, stat: string) => ({ esm_class: 4, short_message: { message: receiptText(id, stat) } });
    expect(await smsc.deliver(text('7', 'DELIVRD'))).toBe(0);
    expect(await smsc.deliver(text('8', 'EXPIRED'))).toBe(0);
    expect(await smsc.deliver(text('9', 'ENROUTE'))).toBe(0);
    expect(await smsc.deliver(text('10', 'UNKNOWN'))).toBe(0);
    expect(await smsc.deliver({ esm_class: 4, receipted_message_id: 'tlv-1', message_state: 8 })).toBe(0);
    expect(
      await smsc.deliver({
        esm_class: 4,
        short_message: '',
        message_payload: Buffer.from(receiptText('11', 'DELIVRD')),
      }),
    ).toBe(0);
    expect(
      route.receipts.map(({ providerMessageId, status, errorCode }) => [providerMessageId, status, errorCode]),
    ).toEqual([
      ['7', 'delivered', null],
      ['8', 'failed', 12],
      ['9', 'submitted', null],
      ['tlv-1', 'failed', null],
      ['11', 'delivered', null],
    ]);
  });

  it('reads receipts in data_sm and answers them by data_sm_resp, after their commit', async () => {
    await open();
    const say = (fields: Record<string, unknown>) =>
      new Promise<Pdu>((resolve) =>
        smsc.session?.data_sm({ source_addr: '4915100000001', destination_addr: 'Switchbrd', ...fields }, resolve),
      );
    const text = receiptText('7', 'EXPIRED').replaceAll(' ', ',');
    const answer = await say({ esm_class: 4, message_payload: Buffer.from(text) });
    expect(answer).toMatchObject({ command: 'data_sm_resp', command_status: 0, message_id: '' });
    expect(await say({ esm_class: 0, receipted_message_id: 'tlv-1', message_state: 2 })).toMatchObject({
      command: 'data_sm_resp',
      command_status: 0,
    });
    expect(route.receipts).toMatchObject([
      { providerMessageId: '7', status: 'failed', errorCode: 12, receiver: '4915100000001' },
      { providerMessageId: 'tlv-1', status: 'delivered' },
    ]);
    route.commit.run = () => Promise.reject(new Error('database is away'));
    expect((await say({ esm_class: 4, receipted_message_id: '8', message_state: 2 }))['command_status']).toBe(0x08);
    const written = { esm_class: 0, message_payload: Buffer.from('STOP') };
    expect((await say(written))['command_status']).toBe(0);
    expect(route.inbound.texts).toMatchObject([{ from: '4915100000001', text: 'STOP' }]);
  });

  it('never answers an alert_notification, and refuses what nobody knows', async () => {
    await open();
    smsc.session?.alert_notification({ source_addr: '4915100000001', esme_addr: 'tester' });
    await new Promise<Pdu>((resolve) => smsc.session?.enquire_link({}, resolve));
    expect(smsc.commands).not.toContain('generic_nack');
    expect(route.connection.ready).toBe(true);
  });

  it('acknowledges messages from handsets; what may be a receipt is one only for a message that it fits', async () => {
    await open();
    const text = receiptText('7', 'DELIVRD');
    expect(await smsc.deliver({ esm_class: 0, short_message: { message: text } })).toBe(0);
    expect(route.receipts).toMatchObject([
      { providerMessageId: '7', status: 'delivered', orText: { from: '4915100000001', text } },
    ]);
    for (const written of ['see id:7 stat:DELIVRD', 'id:7', 'id: 8 stat:HAZY', 'STOP']) {
      expect(await smsc.deliver({ esm_class: 0, short_message: { message: written } })).toBe(0);
      expect(route.inbound.texts.at(-1)).toMatchObject({ from: '4915100000001', text: written });
    }
    expect(route.receipts).toHaveLength(1);
  });

  it('answers a receipt only after its commit, and with a system error when the commit failed', async () => {
    await open();
    let release: () => void = () => undefined;
    route.commit.run = () => new Promise((resolve) => (release = resolve));
    let answered = false;
    const answer = smsc
      .deliver({ esm_class: 4, short_message: { message: receiptText('7', 'DELIVRD') } })
      .then((status) => {
        answered = true;
        return status;
      });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).toBe(false);
    release();
    expect(await answer).toBe(0);
    route.commit.run = () => Promise.reject(new Error('database is away'));
    expect(await smsc.deliver({ esm_class: 4, short_message: { message: receiptText('8', 'DELIVRD') } })).toBe(0x08);
    expect(route.receipts.map((receipt) => receipt.providerMessageId)).toEqual(['7']);
  });

  it('hands receipts over in batches', async () => {
    await open();
    const sizes: number[] = [];
    route.commit.run = (batch) => {
      sizes.push(batch.length);
      return new Promise((resolve) => setTimeout(resolve, 20));
    };
    const statuses = await Promise.all(
      Array.from({ length: 3_000 }, (_, index) =>
        smsc.deliver({ esm_class: 4, short_message: { message: receiptText(`b${index}`, 'DELIVRD') } }),
      ),
    );
    expect(statuses.every((status) => status === 0)).toBe(true);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(3_000);
    expect(sizes.length).toBeLessThan(300);
  });

  it('keeps the line alive with enquire_link, unbinds when it closes, and binds again when it is unbound', async () => {
    await open({ enquire_link_ms: 100 });
    await vi.waitUntil(() => smsc.commands.includes('enquire_link'), PATIENCE);
    smsc.session?.close();
    await vi.waitUntil(() => !route.connection.ready, PATIENCE);
    await vi.waitUntil(() => route.connection.ready, { timeout: 60_000 });
    expect(smsc.commands.filter((command) => command === 'bind_transceiver')).toHaveLength(2);
    await route.connection.close();
    expect(smsc.commands.at(-1)).toBe('unbind');
    expect(await route.send('4915112345678', 'too late')).toMatchObject({ kind: 'unsent', afterMs: 0 });
  });

  it('unbinds although receipts never cease to come: what it has not answered comes again', async () => {
    await open();
    const statuses: number[] = [];
    let count = 0;
    const bring = (): void => {
      const short_message = receiptText(`flood-${++count}`, 'DELIVRD');
      void smsc.deliver({ esm_class: 4, short_message }).then((status) => statuses.push(status));
    };
    // a commit takes as long as many receipts: there is always one under way
    route.commit.run = () => new Promise((resolve) => setTimeout(resolve, 50));
    const flood = setInterval(bring, 2);
    try {
      await vi.waitUntil(() => statuses.length > 20, PATIENCE);
      await route.connection.close(3_600_000);
    } finally {
      clearInterval(flood);
    }
    expect(smsc.commands).toContain('unbind');
    expect(statuses.every((status) => status === 0)).toBe(true);
    expect(route.receipts.length).toBeGreaterThanOrEqual(statuses.length);
    expect(count).toBeGreaterThan(statuses.length);
  });

  it('unbinds after the answers to handsets, and both of two that close it wait for that', async () => {
    await open();
    let commit: (() => void) | null = null;
    route.inbound.run = () => new Promise((resolve) => (commit = resolve));
    const answer = smsc.deliver({ esm_class: 0, short_message: 'STOP' });
    const comeIn = await vi.waitUntil(() => commit, PATIENCE);
    const [first, second] = [route.connection.close(), route.connection.close()];
    await new Promise((resolve) => setImmediate(resolve));
    comeIn();
    await second;
    expect(smsc.commands.slice(-2)).toEqual(['deliver_sm_resp', 'unbind']);
    expect(await answer).toBe(0);
    expect(route.inbound.texts.map(({ text }) => text)).toEqual(['STOP']);
    await first;
  });

  it('never has more in flight than the window', async () => {
    await open({ window: 7 });
    let most = 0;
    const waiting: (() => void)[] = [];
    smsc.answer = (pdu, session) => {
      waiting.push(() => session.send(pdu.response({ message_id: `w-${pdu.sequence_number}` })));
      most = Math.max(most, waiting.length);
    };
    const timer = setInterval(() => waiting.shift()?.(), 1);
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => route.send('4915112345678', 'hi')));
    clearInterval(timer);
    expect(outcomes.every((outcome) => outcome.kind === 'accepted')).toBe(true);
    expect(most).toBe(7);
  });

  it('knows a late answer from those to the many that were sent meanwhile', async () => {
    await open({ window: 2 });
    let answerLate = (): void => undefined;
    smsc.answer = (pdu, session) => {
      if (smsc.submits.length > 1) return session.send(pdu.response({ message_id: `s-${pdu.sequence_number}` }));
      answerLate = () => session.send(pdu.response({ message_id: 'late' }));
    };
    const late = route.send('4915112345678', 'first');
    await vi.waitUntil(() => smsc.submits.length === 1, PATIENCE);
    const others = await Promise.all(Array.from({ length: 100 }, () => route.send('4915112345678', 'hi')));
    const sequences = smsc.submits.map((pdu) => pdu.sequence_number);
    expect(new Set(sequences).size).toBe(101);
    const ids = others.map((outcome) => outcome.kind === 'accepted' && outcome.providerMessageIds[0]);
    expect(ids).toEqual(sequences.slice(1).map((sequence) => `s-${sequence}`));
    answerLate();
    expect(await late).toEqual({ kind: 'accepted', providerMessageIds: ['late'] });
  });
});
