import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NameSettings, OutboundClient, OutboundError } from '../../src/platform/outbound/index.js';
import { NameServer } from '../support/name-server.js';
import { until } from '../support/processes.js';
import { openSessions } from '../support/sessions.js';
import { AudioServer } from '../support/voice.js';
import { openWebhooks } from '../support/webhooks.js';

const CONTACT = '919812345678';
const PATIENCE = 30_000;

let names: NameServer;
beforeAll(async () => {
  names = await NameServer.open({ 'files.example.test': '127.0.0.1', 'inside.example.test': '10.0.0.1' });
});
afterAll(() => names.close());

describe('names that customers gave, below a silent name server', () => {
  it('do not hold up the chat sends of another account, nor its audio', async () => {
    const sessions = await openSessions({
      OUTBOUND_ALLOW: '127.0.0.0/8',
      DNS_SERVERS: [names.address],
      DNS_TIMEOUT: PATIENCE,
      AUDIO_FETCH_TIMEOUT: PATIENCE,
    });
    const audio = await AudioServer.open();
    const over = new AbortController();
    try {
      const victim = await sessions.member({ url: sessions.upstream.accountUrl.replace('127.0.0.1', 'localhost') });
      const attacker = await sessions.accounts.account();
      let ended = 0;
      const silent = Array.from({ length: 60 }, async (_, index) => {
        const audio_url = `http://n${index}.silent.test/clip.wav`;
        const body = JSON.stringify({ broadcast_name: 'Silence', audio_url, contacts: [CONTACT] });
        const authorization = `Bearer ${sessions.accounts.token(attacker)}`;
        const headers = { 'content-type': 'application/json', authorization };
        const url = `${sessions.api.url}/v6/api/v1/voice/send`;
        await fetch(url, { method: 'POST', headers, body, signal: over.signal }).catch(() => undefined);
        ended += 1;
      });
      await until('look-ups under way', () => Promise.resolve(new Set(names.asked).size >= 4));
      const message = { messaging_product: 'chat', to: CONTACT, type: 'text', text: { body: 'Hello' } };
      const sent = await Promise.all(Array.from({ length: 20 }, () => sessions.v6(victim, message)));
      expect(sent.map(({ status }) => status)).toEqual(Array(20).fill(200));
      const clip = audio.url(1_000).replace('127.0.0.1', 'files.example.test');
      const voice = await sessions.accounts.call('POST', '/v6/api/v1/voice/send', {
        token: sessions.accounts.token(await sessions.accounts.account()),
        body: { broadcast_name: 'Clip', audio_url: clip, contacts: [CONTACT] },
      });
      // all there is to miss is the route: the audio was fetched
      expect(voice.body['message']).toBe('No route available for this channel');
      expect(ended).toBe(0);
      over.abort();
      await Promise.all(silent);
    } finally {
      over.abort();
      await audio.close();
      await sessions.stop();
    }
  });

  it('do not hold up the events of another account', async () => {
    const webhooks = await openWebhooks({ DNS_SERVERS: [names.address], DNS_TIMEOUT: PATIENCE });
    try {
      await webhooks.worker({ WEBHOOK_TIMEOUT: 2_000, DNS_TIMEOUT: PATIENCE });
      const [attacker, victim] = [await webhooks.join(), await webhooks.join()];
      const hooks = [];
      for (let index = 0; index < 10; index++) {
        const url = `http://hook${index}.silent.test/events`;
        hooks.push(await webhooks.hook(attacker, ['gsm.status.update'], url));
      }
      const place = webhooks.receiver.url('/victim').replace('127.0.0.1', 'localhost');
      await webhooks.hook(victim, ['gsm.status.update'], place);
      await webhooks.sent(attacker);
      await until('look-ups of webhooks', () =>
        Promise.resolve(names.asked.filter((name) => name.startsWith('hook')).length >= 4),
      );
      await webhooks.sent(
        victim,
        Array.from({ length: 20 }, (_, index) => `9198000000${index + 10}`),
      );
      await until('the events of the other account', () =>
        Promise.resolve(webhooks.receiver.to('/victim').length >= 20),
      );
      const tries = await Promise.all(hooks.map((hook) => webhooks.attempts(attacker, hook)));
      expect(tries.flat().filter(({ error }) => error !== 'No answer in time')).toEqual([]);
    } finally {
      await webhooks.stop();
    }
  });
});

describe('the look-up of a name', () => {
  let server: Server;
  let port: number;
  const clients: OutboundClient[] = [];
  beforeAll(async () => {
    server = createServer((_request, response) => response.end('here'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.onApplicationShutdown()));
    server.closeAllConnections();
    server.close();
  });

  const client = (settings: Partial<NameSettings> = {}, OUTBOUND_ALLOW = '127.0.0.0/8'): OutboundClient => {
    const made = new OutboundClient({ OUTBOUND_ALLOW, DNS_SERVERS: [names.address], DNS_TIMEOUT: 600, ...settings });
    clients.push(made);
    return made;
  };
  const faultOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => null,
      (error: unknown) => (error instanceof OutboundError ? [error.fault, error.sent] : error),
    );

  it.each([true, false])('asks our name servers, the hosts file first (trusted: %s)', async (trusted) => {
    const asked = names.asked.length;
    for (const host of ['files.example.test', 'FILES.example.test.', 'localhost', 'LocalHost', '127.0.0.1']) {
      const { body } = await client().request({ url: `http://${host}:${port}/`, trusted, customer: 7 });
      expect(body.toString()).toBe('here');
    }
    expect(names.asked.slice(asked).filter((name) => !name.startsWith('files.'))).toEqual([]);
  });

  it('keeps an answer for a while, and no fault', async () => {
    const asking = client();
    const before = names.asked.length;
    for (let index = 0; index < 5; index++) {
      await asking.request({ url: `http://files.example.test:${port}/`, headers: { connection: 'close' } });
    }
    expect(names.asked.length - before).toBe(2); // one of each type
    for (let index = 1; index <= 2; index++) {
      expect(await faultOf(asking.request({ url: 'http://missing.example.test/' }))).toEqual(['unreachable', false]);
      expect(names.asked.length - before).toBeGreaterThanOrEqual(2 + index);
    }
  });

  it('ends at its time limit, and at the limit of the call, and nothing has left', async () => {
    for (const trusted of [true, false]) {
      const url = 'http://one.silent.test/';
      expect(await faultOf(client().request({ url, trusted }))).toEqual(['unreachable', false]);
      const slow = client({ DNS_TIMEOUT: PATIENCE });
      expect(await faultOf(slow.request({ url, trusted, timeoutMs: 100 }))).toEqual(['timeout', false]);
    }
  });

  it('counts for each customer: nobody has more than eight under way', async () => {
    const asking = client({ DNS_TIMEOUT: PATIENCE });
    const askedFor = (): number => new Set(names.asked.filter((name) => /^c\d+\.silent\.test$/.test(name))).size;
    const calls = Array.from({ length: 40 }, (_, index) =>
      faultOf(asking.request({ url: `http://c${index}.silent.test/`, customer: 1, timeoutMs: 2_000 })),
    );
    await until('the first look-ups', () => Promise.resolve(askedFor() >= 8));
    const other = await asking.request({ url: `http://files.example.test:${port}/`, customer: 2 });
    expect(other.body.toString()).toBe('here');
    await Promise.all(calls);
    expect(askedFor()).toBe(8);
  });

  it('waits for no other customer’s turn, even for the same name', async () => {
    const asking = client({ DNS_TIMEOUT: PATIENCE });
    const silent = Array.from({ length: 8 }, (_, index) =>
      faultOf(asking.request({ url: `http://t${index}.silent.test/`, customer: 1, timeoutMs: 3_000 })),
    );
    const url = `http://files.example.test:${port}/`;
    silent.push(faultOf(asking.request({ url, customer: 1, timeoutMs: 3_000 })));
    await until('the look-ups of one customer', () =>
      Promise.resolve(new Set(names.asked.filter((name) => /^t\d\.silent\.test$/.test(name))).size === 8),
    );
    const other = await asking.request({ url, customer: 2, timeoutMs: 2_000 });
    expect(other.body.toString()).toBe('here');
    await Promise.all(silent);
  });

  it.each([true, false])('says to staff what became of it (trusted: %s)', async (trusted) => {
    const reasonOf = (url: string): Promise<unknown> =>
      client()
        .request({ url, trusted })
        .catch((error: unknown) => (error instanceof OutboundError ? error.reason : error));
    expect(await reasonOf('http://missing.example.test/')).toBe('its name is not known');
    expect(await reasonOf('http://two.silent.test/')).toBe('its name cannot be resolved');
  });

  it('brings addresses that the guard checks', async () => {
    expect(await faultOf(client().request({ url: 'http://inside.example.test/' }))).toEqual(['refused', false]);
    expect(await faultOf(client({}, '').request({ url: `http://files.example.test:${port}/` }))).toEqual([
      'refused',
      false,
    ]);
  });
});
