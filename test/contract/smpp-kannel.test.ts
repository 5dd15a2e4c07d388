import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { decodeText } from '../../src/platform/smpp/index.js';
import { DriveSmpp, hasKannel, Kannel, Network } from './kannel.js';
import { openSandbox, type OpenSandbox } from './open-sandbox.js';
import { type BoundRoute, openRoute, TEXTS } from './smpp-route.js';

const PATIENCE = { timeout: 60_000, interval: 20 };

describe.skipIf(!hasKannel())("the driver and Kannel's SMSC emulator", () => {
  const TEXTS_SENT = 25;
  let smsc: DriveSmpp;
  let route: BoundRoute;
  let commit = (): void => undefined;

  beforeAll(async () => {
    smsc = await DriveSmpp.open(TEXTS_SENT);
    route = openRoute(smsc.port);
    const committed = new Promise<void>((resolve) => (commit = resolve));
    route.inbound.run = () => committed;
  });
  afterAll(async () => {
    await route.connection.close();
    await smsc.close();
  });

  it('takes each of its texts once, and acknowledges it after the commit', async () => {
    await smsc.program.says('Delivered SMS 25 of 25');
    expect([...smsc.answers]).toEqual([]);
    commit();
    await vi.waitUntil(() => smsc.answers.size === TEXTS_SENT, PATIENCE);
    expect([...smsc.answers.values()].every((status) => status === 0)).toBe(true);
    const texts = route.inbound.texts.map(({ text }) => Number(text)).sort((one, other) => one - other);
    expect(texts).toEqual(Array.from({ length: TEXTS_SENT }, (_, index) => index + 1));
    expect(route.inbound.texts[0]).toMatchObject({ from: '456', sms: { to: '123', encoding: 'gsm7', part: null } });
    await smsc.program.says('Handling SMPP PDU of type deliver_sm_resp');
    expect(smsc.program.output).not.toMatch(/ERROR|PANIC/);
  });

  it('does not know what becomes of a text whose answer names no id', async () => {
    expect(await route.send('4915112345678', 'Hello Kannel')).toMatchObject({ kind: 'unknown' });
    await smsc.program.says('submit_sm: short_message = <Hello Kannel>');
  });
});

describe.skipIf(!hasKannel())('the driver and Kannel over a network', () => {
  let network: Network;
  let route: BoundRoute;
  let kannel: Kannel;

  beforeAll(async () => {
    network = await Network.open();
    route = openRoute(network.port);
    kannel = await Kannel.open(network.port);
    await route.bound();
    await vi.waitUntil(() => network.has('kannel'), PATIENCE);
  });
  afterAll(async () => {
    await kannel.close();
    await route.connection.close();
    network.close();
  });

  it.each(TEXTS)('a text of ours arrives identical: %s', async (_name, text, parts) => {
    const before = kannel.told.length;
    const outcome = await route.send('4915112345678', text);
    expect(outcome.kind).toBe('accepted');
    if (outcome.kind === 'accepted') expect(outcome.providerMessageIds).toHaveLength(parts);
    const arrived = () => kannel.told.slice(before).find(({ path }) => path === '/in');
    await vi.waitUntil(arrived, PATIENCE);
    expect(arrived()?.fields.get('to')).toBe('+4915112345678');
    // bearerbox has put the parts together
    expect(arrived()?.text).toBe(text);
  });

  it.each(TEXTS)('a text of Kannel is read by its bytes: %s', async (_name, text, parts) => {
    const before = route.inbound.texts.length;
    const isGsm = !/[^\0-\u024f\u0370-\u03ff\u20ac]/u.test(text);
    expect(await kannel.send('57575', text, isGsm ? 0 : 2)).toMatch(/^0: Accepted/);
    const arrived = () => route.inbound.texts.slice(before);
    await vi.waitUntil(() => arrived().length === parts, PATIENCE);
    const said = arrived();
    expect(said.map(({ from, sms }) => [from, sms?.to])).toEqual(said.map(() => ['4915100000001', '57575']));
    if (parts === 1) return expect(said[0]?.text).toBe(text);
    const pieces = said.flatMap(({ sms }) =>
      sms?.part ? [{ ...sms.part, body: Buffer.from(sms.part.body, 'hex') }] : [],
    );
    expect(pieces.map(({ number }) => number)).toEqual(pieces.map((_, index) => index + 1));
    expect(decodeText(pieces).text).toBe(text);
  });

  it('a text that was not taken is offered again by Kannel', async () => {
    const before = route.inbound.texts.length;
    let tries = 0;
    route.inbound.run = () => (++tries <= 2 ? Promise.reject(new Error('not now')) : Promise.resolve());
    await kannel.send('57575', 'kept by the carrier', 0);
    await vi.waitUntil(() => tries === 3, PATIENCE);
    await vi.waitUntil(() => route.inbound.texts.length > before, PATIENCE);
    expect(route.inbound.texts.slice(before)).toMatchObject([{ text: 'kept by the carrier' }]);
  });
});

describe.skipIf(!hasKannel())("the sandbox's carrier and Kannel", () => {
  let sandbox: OpenSandbox;
  let kannel: Kannel;

  beforeAll(async () => {
    sandbox = await openSandbox();
    kannel = await Kannel.open(sandbox.smppPort);
    await kannel.programs[0]?.says(/SMPP.*bound|Login|connected/i);
  });
  afterAll(async () => {
    await kannel.close();
    await sandbox.stop();
  });

  it.each([
    ['4915100000001', '1'],
    ['4915100000404', '2'],
  ])('its receipts are read: %s is %s', async (to, kind) => {
    const before = kannel.told.length;
    expect(await kannel.send(to, 'receipt, please', 0)).toMatch(/^0: Accepted/);
    const receipt = () => kannel.told.slice(before).find(({ path }) => path === '/dlr')?.fields;
    await vi.waitUntil(receipt, PATIENCE);
    expect(receipt()?.get('kind')).toBe(kind);
    expect((await sandbox.ledger()).messages).toContainEqual(expect.objectContaining({ to, text: 'receipt, please' }));
  });
});
