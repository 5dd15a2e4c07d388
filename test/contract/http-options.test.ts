import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpDriver } from '../../src/modules/providers/drivers/http/http.driver.js';
import { httpConfigSchema } from '../../src/modules/providers/drivers/http/http-config.js';
import type { OutboundMessage, RouteConnection, SendOutcome } from '../../src/modules/providers/index.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { type OpenSandbox, openSandbox } from './open-sandbox.js';
import { WireRecorder } from './wire-recorder.js';

const outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
const driver = new HttpDriver(outbound);

let sandbox: OpenSandbox;
let wire: WireRecorder;

beforeAll(async () => {
  sandbox = await openSandbox();
  wire = await WireRecorder.open(sandbox.url);
});
afterAll(async () => {
  await wire.stop();
  await sandbox.stop();
  await outbound.onApplicationShutdown();
});

function open(config: Record<string, unknown>): RouteConnection {
  const read = httpConfigSchema.parse({ url: `${wire.url}/gateway/messages`, id_path: 'id', ...config });
  const route = { id: 1, name: 'gateway', channel: 'sms' as const, driver: 'http', messagesPerSecond: null };
  return driver.open({ ...route, config: read, callbackSecret: 'unused' });
}

const send = (connection: RouteConnection, more: Partial<OutboundMessage> = {}): Promise<SendOutcome> =>
  connection.send({ ref: '7-1', to: '919800000001', text: 'hi', notAfter: performance.now() + 60_000, ...more });

const BODY = {
  to: '{{to}}',
  text: '{{text}}',
  from: '{{from}}',
  pe: '{{dlt_entity_id}}',
  te: '{{dlt_template_id}}',
  ttl: '{{validity_s}}',
  note: 'ttl={{validity_s}}',
};
const MESSAGE = {
  sender: 'ACME',
  dlt: { entityId: '1701158019811140068', templateId: '1107161951486743588' },
  validitySeconds: 3_600,
};

describe('HTTP placeholders of sender, DLT and validity', () => {
  it('are JSON values: texts, and a number of seconds', async () => {
    const connection = open({ body: BODY });
    expect((await send(connection, MESSAGE)).kind).toBe('accepted');
    expect(JSON.parse(String(wire.requests.at(-1)?.body))).toEqual({
      to: '919800000001',
      text: 'hi',
      from: 'ACME',
      pe: '1701158019811140068',
      te: '1107161951486743588',
      ttl: 3_600,
      note: 'ttl=3600',
    });
    await connection.close();
  });

  it('are null, or empty within a text, where a message has none; the entity may be the route’s', async () => {
    const connection = open({ body: { ...BODY, from: '{{from}}' }, from: 'Route', dlt: { entity_id: '42' } });
    expect((await send(connection)).kind).toBe('accepted');
    expect(JSON.parse(String(wire.requests.at(-1)?.body))).toMatchObject({
      from: 'Route',
      pe: '42',
      te: null,
      ttl: null,
      note: 'ttl=',
    });
    await connection.close();
  });

  it('stand in a body that is JSON text, in a form and in the address', async () => {
    const text = open({ body: '{"to":{{to}},"pe":"{{dlt_entity_id}}","ttl":{{validity_s}}}' });
    await send(text, MESSAGE);
    expect(String(wire.requests.at(-1)?.body)).toBe('{"to":"919800000001","pe":"1701158019811140068","ttl":3600}');
    await text.close();
    const form = open({ headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: BODY });
    await send(form, MESSAGE);
    expect(Object.fromEntries(new URLSearchParams(String(wire.requests.at(-1)?.body)))).toMatchObject({
      te: '1107161951486743588',
      ttl: '3600',
    });
    await form.close();
    const address = open({ url: `${wire.url}/gateway/messages?te={{dlt_template_id}}&ttl={{validity_s}}`, body: BODY });
    await send(address, MESSAGE);
    expect(wire.requests.at(-1)?.query).toEqual({ te: '1107161951486743588', ttl: '3600' });
    await address.close();
  });

  it('never leaves without the ids that the route requires', async () => {
    const connection = open({ body: BODY, dlt: { required: true } });
    const before = wire.requests.length;
    expect(await send(connection, { dlt: { templateId: '1' } })).toEqual({
      kind: 'rejected',
      code: null,
      text: 'DLT ids are missing',
      submitted: false,
    });
    expect(wire.requests).toHaveLength(before);
    expect((await send(connection, MESSAGE)).kind).toBe('accepted');
    await connection.close();
  });
});
