import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpDriver } from '../../src/modules/providers/drivers/http/http.driver.js';
import { httpConfigSchema } from '../../src/modules/providers/drivers/http/http-config.js';
import type { RouteConnection, SendOutcome } from '../../src/modules/providers/index.js';
import { StoppableConnection } from '../../src/modules/providers/route-connections.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { openSandbox, type OpenSandbox } from './open-sandbox.js';

const URLS = ['https://files.example/1.jpg', 'https://files.example/2.jpg', 'https://files.example/a.pdf'];

/** A message with attachments is several messages of the gateway: text first, then each attachment, in order. */
describe('HTTP driver with attachments', () => {
  const outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
  const driver = new HttpDriver(outbound);
  let sandbox: OpenSandbox;
  let connection: RouteConnection;

  const open = (more: Record<string, unknown> = {}): RouteConnection =>
    driver.open({
      id: 1,
      name: 'gateway',
      channel: 'unofficial',
      driver: 'http',
      config: httpConfigSchema.parse({
        url: `${sandbox.url}/gateway/messages`,
        body: { to: '{{to}}', text: '{{text}}', media_url: '{{media_url}}', ref: '{{ref}}' },
        id_path: 'id',
        error_code_path: 'code',
        error_text_path: 'error',
        ...more,
      }),
      messagesPerSecond: null,
      callbackSecret: 'hush',
    });
  const send = (to: string, over = connection, milliseconds = 20_000): Promise<SendOutcome> =>
    over.send({ ref: '7-1', to, text: 'hi', attachments: URLS, notAfter: performance.now() + milliseconds });
  const taken = async (): Promise<[string, string | null, string | null][]> =>
    (await sandbox.ledger()).messages.map(({ text, mediaUrl, ref }) => [text, mediaUrl, ref]);

  const ALL = [
    ['hi', null, '7-1'],
    ['', URLS[0], '7-1-1'],
    ['', URLS[1], '7-1-2'],
    ['', URLS[2], '7-1-3'],
  ];

  beforeAll(async () => {
    sandbox = await openSandbox();
  });
  beforeEach(async () => {
    await sandbox.clear();
    connection = open();
  });
  afterEach(() => connection.close());
  afterAll(async () => {
    await sandbox.stop();
    await outbound.onApplicationShutdown();
  });

  it('one request and one id an item', async () => {
    const outcome = await send('4915100000001');
    expect(await taken()).toEqual(ALL);
    const ids = (await sandbox.ledger()).messages.map((message) => message.id);
    expect(outcome).toEqual({ kind: 'accepted', providerMessageIds: ids });
  });

  it('without an id of the gateway, the references are the ids', async () => {
    const plain = open({ id_path: undefined });
    expect(await send('4915100000001', plain)).toEqual({
      kind: 'accepted',
      providerMessageIds: ['7-1', '7-1-1', '7-1-2', '7-1-3'],
    });
    await plain.close();
  });

  it('the text refused or put off: nothing else leaves', async () => {
    expect(await send('4915100000603')).toMatchObject({ kind: 'rejected', code: 603, submitted: true });
    expect((await sandbox.ledger()).total).toBe(1);
    expect(await send('4915100000429')).toMatchObject({ kind: 'retry', throttled: true });
    expect(await send('4915100000500')).toMatchObject({ kind: 'retry', throttled: false });
    expect((await sandbox.ledger()).total).toBe(1);
  });

  it('a later item is repeated until it is taken, and no item twice', async () => {
    // The sandbox turns every first try of these numbers away: the text comes again from outside, the others within.
    for (const to of ['4915100000429', '4915100000500']) {
      await sandbox.clear();
      expect((await send(to)).kind).toBe('retry');
      const outcome = await send(to);
      expect(outcome.kind === 'accepted' && outcome.providerMessageIds).toHaveLength(4);
      expect(await taken()).toEqual(ALL);
    }
  });

  it('a later item that is not taken in time fails the message, which is not sent again', async () => {
    expect((await send('4915100000429')).kind).toBe('retry');
    expect(await send('4915100000429', connection, 900)).toEqual({
      kind: 'rejected',
      code: 429,
      text: 'Only 1 of 4 items were taken: Throttled by the gateway',
      submitted: true,
      taken: 1,
    });
    expect(await taken()).toEqual(ALL.slice(0, 1));
  });

  it('a later item without an answer leaves the outcome unknown', async () => {
    await sandbox.faults({ dropAfterSubmits: 2 });
    expect(await send('4915100000001')).toEqual({ kind: 'unknown' });
    expect(await taken()).toEqual(ALL.slice(0, 2));
  });

  it('a route that is stopped after an item was taken lets the others follow', async () => {
    const route = new StoppableConnection(connection);
    expect((await send('4915100000429', route)).kind).toBe('retry');
    const sending = send('4915100000429', route);
    await vi.waitUntil(async () => (await taken()).length > 0, { timeout: 20_000, interval: 5 });
    route.isStopped = true;
    expect((await sending).kind).toBe('accepted');
    expect(await taken()).toEqual(ALL);
    expect(await send('4915100000001', route)).toMatchObject({ kind: 'unsent', text: 'Route is stopped by staff' });
  });

  it('closing waits for the rest of a message and takes no new one', async () => {
    expect((await send('4915100000429')).kind).toBe('retry');
    const sending = send('4915100000429');
    await connection.close();
    expect((await sending).kind).toBe('accepted');
    expect(await send('4915100000001')).toMatchObject({ kind: 'unsent', afterMs: 0 });
    expect(await taken()).toEqual(ALL);
  });
});
