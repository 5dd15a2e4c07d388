import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpDriver } from '../../src/modules/providers/drivers/http/http.driver.js';
import { httpConfigSchema } from '../../src/modules/providers/drivers/http/http-config.js';
import { MetaCloudDriver } from '../../src/modules/providers/drivers/meta-cloud/meta-cloud.driver.js';
import { metaCloudConfigSchema } from '../../src/modules/providers/drivers/meta-cloud/config.js';
import { TwilioDriver } from '../../src/modules/providers/drivers/twilio/twilio.driver.js';
import { twilioConfigSchema } from '../../src/modules/providers/drivers/twilio/call-request.js';
import type { OutboundMessage, RouteConnection, SendOutcome } from '../../src/modules/providers/index.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { freePort } from '../support/processes.js';
import { ACCOUNT_SID, AUTH_TOKEN } from './call-customer.js';
import { openSandbox, type OpenSandbox } from './open-sandbox.js';
import { openRoute } from './smpp-route.js';
import { WireRecorder } from './wire-recorder.js';

const PHONE = '1000000001';
const PATIENCE = { timeout: 60_000 };
const TO = '4915100000001';
/** the sandbox does not take the first try */
const NOT_YET = '4915100000500';
const common = { id: 1, name: 'leaving', messagesPerSecond: null, callbackSecret: 'unused' };

/** What every driver does with the fields that are not content: `leaving`, `sender`, `urgent`. */
describe.each(['smpp', 'http', 'meta_cloud', 'twilio'])('a message over the driver %s', (driver) => {
  const outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
  let sandbox: OpenSandbox;
  let connection: RouteConnection;

  /** @param base of an upstream over HTTP; `deadEnd` where nobody listens */
  const open = (base: string, smppPort: number, more: Record<string, unknown> = {}): RouteConnection => {
    switch (driver) {
      case 'smpp':
        return openRoute(smppPort, more).connection;
      case 'http': {
        const body = { to: '{{to}}', from: '{{from}}', text: '{{text}}', media_url: '{{media_url}}', ref: '{{ref}}' };
        const config = httpConfigSchema.parse({
          url: `${base}/gateway/messages`,
          body,
          id_path: 'id',
          from: '4477',
          ...more,
        });
        return new HttpDriver(outbound).open({ ...common, channel: 'sms', driver, config });
      }
      case 'meta_cloud': {
        const config = metaCloudConfigSchema.parse({
          provider: driver,
          url: `${base}/v21.0/${PHONE}`,
          token: 't',
        });
        return new MetaCloudDriver(outbound).open({ ...common, channel: 'chat', driver, config });
      }
      default: {
        const login = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };
        const config = twilioConfigSchema.parse({ ...login, base_url: base, from: '4477112233' });
        return new TwilioDriver(outbound, 'https://us.example').open({ ...common, channel: 'voice', driver, config });
      }
    }
  };
  const send = (to: string, more: Partial<OutboundMessage> = {}, over = connection): Promise<SendOutcome> =>
    over.send({
      ...{ ref: `7-${to}`, to, text: 'hi', notAfter: performance.now() + 60_000 },
      ...(driver === 'twilio' && { payload: { audio: 'https://files.example/a.mp3', callerId: '4488112233' } }),
      ...more,
    });
  const total = async (): Promise<number> => (await sandbox.ledger()).total;

  beforeAll(async () => {
    sandbox = await openSandbox();
  });
  beforeEach(async () => {
    await sandbox.clear();
    connection = open(sandbox.url, sandbox.smppPort);
    await vi.waitUntil(() => connection.ready, PATIENCE);
  });
  afterEach(async () => connection.close());
  afterAll(async () => {
    await sandbox.stop();
    await outbound.onApplicationShutdown();
  });

  it('says once that it leaves, when the upstream cannot have it yet', async () => {
    const leaving = vi.fn();
    expect((await send(NOT_YET, { leaving })).kind).toBe('retry');
    expect(leaving).toHaveBeenCalledTimes(1);
    expect((await send(NOT_YET, { leaving })).kind).toBe('accepted');
    expect(leaving).toHaveBeenCalledTimes(2);
  });

  it('stays here when what it calls then throws', async () => {
    const leaving = vi.fn(() => {
      throw new Error('not written down');
    });
    const outcome = await send(TO, { leaving });
    expect(['unsent', 'rejected']).toContain(outcome.kind);
    expect(outcome).not.toMatchObject({ submitted: true });
    expect(await total()).toBe(0);
    expect((await send(TO)).kind).toBe('accepted');
  });

  it('says nothing while it is held back', async () => {
    const leaving = vi.fn();
    expect((await send(TO, { leaving, notAfter: performance.now() - 1 })).kind).toBe('unsent');
    const port = await freePort();
    const deadEnd = open(`http://127.0.0.1:${port}`, port);
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) => send(`49151000010${index + 10}`, { leaving }, deadEnd)),
    );
    expect(outcomes.every(({ kind }) => kind === 'unsent')).toBe(true);
    await deadEnd.close();
    expect(leaving).not.toHaveBeenCalled();
  });

  it('is told of before each of many, none left out', async () => {
    const told = new Set<string>();
    const numbers = Array.from({ length: 600 }, (_, index) => `49152${String(index).padStart(4, '0')}111`);
    const outcomes = await Promise.all(numbers.map((to) => send(to, { leaving: () => void told.add(to) })));
    expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect([...told].sort()).toEqual(numbers);
  });

  it('leaves first when it is urgent, though hundreds wait', async () => {
    const order: string[] = [];
    const numbers = Array.from({ length: 500 }, (_, index) => `49152${String(index).padStart(4, '0')}111`);
    const sends = numbers.map((to) => send(to, { leaving: () => void order.push(to) }));
    sends.push(send(TO, { urgent: true, leaving: () => void order.push(TO) }));
    await Promise.all(sends);
    expect(order).toHaveLength(501);
    // What is under way already stays so: a window of 100, or the 200 requests of a connection.
    expect(order.indexOf(TO)).toBeLessThanOrEqual(200);
  });

  if (driver === 'smpp') {
    it('of several parts leaves once, with its first', async () => {
      const leaving = vi.fn();
      expect((await send(TO, { text: 'x'.repeat(400), leaving })).kind).toBe('accepted');
      expect(leaving).toHaveBeenCalledTimes(1);
    });

    it('has a sender of its own, each part of it too', async () => {
      await send(TO, { sender: 'Shop' });
      await send(TO, { sender: '4477001122', text: 'x'.repeat(400) });
      await send(TO);
      const { messages } = await sandbox.ledger();
      expect(messages.map(({ from }) => from)).toEqual(['Shop', '4477001122', 'Switchbrd']);
      for (const sender of ['x'.repeat(21), 'Käse', '']) {
        expect(await send(TO, { sender })).toEqual({
          ...{ kind: 'rejected', code: null, text: 'Sender not possible at the carrier', submitted: false },
        });
      }
      expect(await total()).toBe(3);
    });
  }

  if (driver === 'http') {
    it('of several items leaves once, with its first', async () => {
      const leaving = vi.fn();
      const attachments = ['https://files.example/1.jpg', 'https://files.example/2.jpg'];
      expect((await send(TO, { attachments, leaving })).kind).toBe('accepted');
      expect([leaving.mock.calls.length, await total()]).toEqual([1, 3]);
    });
  }

  if (driver !== 'smpp') {
    it('has a sender where the upstream knows one, else nothing of it', async () => {
      const wire = await WireRecorder.open(sandbox.url);
      const over = open(wire.url, 0);
      const attachments = driver === 'http' ? ['https://files.example/1.jpg'] : undefined;
      await send(TO, { sender: '4477001122', ...(attachments && { attachments }) }, over);
      await send(TO, { sender: 'Shop' }, over);
      await send(TO, {}, over);
      const bodies = wire.requests.map(({ body }) => body.toString());
      if (driver === 'http') {
        const senders = bodies.map((body) => (JSON.parse(body) as { from: string }).from);
        expect(senders).toEqual(['4477001122', '4477001122', 'Shop', '4477']);
      } else if (driver === 'twilio') {
        expect(bodies.map((body) => new URLSearchParams(body).get('From'))).toEqual([
          '+4477001122',
          '+4488112233',
          '+4488112233',
        ]);
      } else {
        expect(new Set(bodies).size).toBe(1);
        expect(bodies[0]).not.toMatch(/Shop|4477/);
      }
      await over.close();
      await wire.stop();
    });
  }
});
