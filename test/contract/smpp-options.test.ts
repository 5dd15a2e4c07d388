import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { smppConfigSchema } from '../../src/modules/providers/drivers/smpp/smpp-config.js';
import { type OpenSandbox, openSandbox } from './open-sandbox.js';
import { SmppRecorder } from './smpp-recorder.js';
import { type BoundRoute, openRoute } from './smpp-route.js';

const ENTITY = '1701158019811140068';
const TEMPLATE = '1107161951486743588';
const MARKETER = '1102000010000000007';
const TO = '919800000001';

const { PDU } = createRequire(import.meta.url)('smpp') as {
  PDU: new (bytes: Buffer) => Record<string, unknown>;
};

let sandbox: OpenSandbox;
let recorder: SmppRecorder;
let route: BoundRoute;

beforeAll(async () => {
  sandbox = await openSandbox();
  recorder = await SmppRecorder.open(sandbox.smppPort);
});
afterAll(async () => {
  await recorder.stop();
  await sandbox.stop();
});
afterEach(async () => {
  await route.connection.close();
  await sandbox.clear();
});

async function open(config: Record<string, unknown> = {}): Promise<void> {
  route = openRoute(recorder.port, config);
  await route.bound();
  recorder.clear();
}

/** What stands behind the text of the only message: tags and bytes. */
function tlvsOf(pdu: Buffer, text: string): [string, string][] {
  const tlvs: [string, string][] = [];
  for (let at = pdu.lastIndexOf(text) + text.length; at < pdu.length;) {
    const length = pdu.readUInt16BE(at + 2);
    tlvs.push([pdu.toString('hex', at, at + 2), pdu.toString('latin1', at + 4, at + 4 + length)]);
    at += 4 + length;
  }
  return tlvs;
}

const only = (): Buffer => {
  const [pdu, ...others] = recorder.submits();
  if (!pdu || others.length > 0) throw new Error(`${others.length + 1} submits`);
  return pdu;
};

describe('a message without options', () => {
  it('has no optional parameters and no validity period, also where the route knows of both', async () => {
    await open({ dlt: {} });
    await route.send(TO, 'plain');
    const pdu = only();
    expect(tlvsOf(pdu, 'plain')).toEqual([]);
    expect(new PDU(pdu)).toMatchObject({ validity_period: '', source_addr: 'Switchbrd', source_addr_ton: 5 });
  });
});

describe('DLT', () => {
  it('stands in the default tags, as texts without an end byte, on every part', async () => {
    await open({ dlt: {} });
    await route.send(TO, 'a'.repeat(200), { dlt: { entityId: ENTITY, templateId: TEMPLATE } });
    const pdus = recorder.submits();
    expect(pdus).toHaveLength(2);
    for (const pdu of pdus) {
      expect(tlvsOf(pdu, 'a')).toEqual([
        ['1400', ENTITY],
        ['1401', TEMPLATE],
      ]);
      // read by a peer that is not ours
      const read = new PDU(pdu);
      expect([read['5120'], read['5121']].map(String)).toEqual([ENTITY, TEMPLATE]);
    }
  });

  it('stands in the tags and the type that the route names, with the entity of the route where the message has none', async () => {
    await open({ dlt: { entity_tag: 5122, template_tag: '0x1503', type: 'cstring', entity_id: '42' } });
    await route.send(TO, 'hello', { dlt: { templateId: TEMPLATE } });
    expect(tlvsOf(only(), 'hello')).toEqual([
      ['1402', '42\0'],
      ['1503', `${TEMPLATE}\0`],
    ]);
  });

  it('hashes the chain of telemarketers, or joins it', async () => {
    const ids = ['{{dlt_entity_id}}', MARKETER];
    const dlt = { entityId: ENTITY, templateId: TEMPLATE };
    await open({ dlt: { chain: { ids } } });
    await route.send(TO, 'hello', { dlt });
    const hash = createHash('sha256').update(`${ENTITY},${MARKETER}`).digest('hex');
    expect(tlvsOf(only(), 'hello').at(-1)).toEqual(['1402', hash]);
    await route.connection.close();
    await open({ dlt: { chain: { tag: '0x1410', ids, hash: 'none' } } });
    await route.send(TO, 'hello', { dlt });
    expect(tlvsOf(only(), 'hello').at(-1)).toEqual(['1410', `${ENTITY},${MARKETER}`]);
  });

  it('never leaves without what the route requires', async () => {
    await open({ dlt: { required: true } });
    const refused = { kind: 'rejected', code: null, text: 'DLT ids are missing', submitted: false };
    for (const dlt of [undefined, { templateId: TEMPLATE }, { entityId: ENTITY }]) {
      expect(await route.send(TO, 'hello', { ...(dlt && { dlt }) })).toEqual(refused);
    }
    expect(recorder.submits()).toEqual([]);
  });

  it('is checked by the carrier, whose word comes with the receipt', async () => {
    const hash = createHash('sha256').update(`${ENTITY},${MARKETER}`).digest('hex');
    await open({ dlt: { required: true, chain: { ids: ['{{dlt_entity_id}}', MARKETER] } } });
    await sandbox.faults({ dlt: { entities: [ENTITY], templates: [TEMPLATE], hashes: [hash] } });
    await route.send(TO, 'known', { dlt: { entityId: ENTITY, templateId: TEMPLATE } });
    await route.send(TO, 'unknown', { dlt: { entityId: ENTITY, templateId: '1' } });
    await route.send(TO, 'of nobody', { dlt: { entityId: '2', templateId: TEMPLATE } });
    await vi.waitUntil(() => route.receipts.length === 3, { timeout: 60_000 });
    const { messages } = await sandbox.ledger();
    const codeOf = (text: string): unknown => {
      const { id } = messages.find((message) => message.text === text) ?? {};
      const { status, errorCode } = route.receipts.find((receipt) => receipt.providerMessageId === id) ?? {};
      return [status, errorCode];
    };
    expect(codeOf('known')).toEqual(['delivered', null]);
    expect(codeOf('unknown')).toEqual(['failed', 630]);
    expect(codeOf('of nobody')).toEqual(['failed', 600]);
    expect(messages[0]?.tlvs).toEqual([
      { tag: '0x1400', hex: Buffer.from(ENTITY).toString('hex'), text: ENTITY },
      { tag: '0x1401', hex: Buffer.from(TEMPLATE).toString('hex'), text: TEMPLATE },
      { tag: '0x1402', hex: Buffer.from(hash).toString('hex'), text: hash },
    ]);
  });
});

describe('free parameters', () => {
  it('are written by their type, with what the message has', async () => {
    await open({
      tlvs: [
        { tag: '0x1410', type: 'text', value: 'to {{to}} by {{from}}' },
        { tag: '0x1411', type: 'cstring', value: '{{ref}}' },
        { tag: '0x1412', type: 'octets', value: '00ff10' },
        { tag: '0x1413', type: 'int8', value: 255 },
        { tag: '0x1414', type: 'int16', value: '258' },
        { tag: '0x1415', type: 'int32', value: '{{validity_s}}' },
        { tag: '0x1416', type: 'text', value: '{{dlt_template_id}}' },
      ],
    });
    await route.send(TO, 'hello', { ref: '77-3', sender: 'ACME', validitySeconds: 3_600 });
    expect(tlvsOf(only(), 'hello')).toEqual([
      ['1410', `to ${TO} by ACME`],
      ['1411', '77-3\0'],
      ['1412', '\x00\xff\x10'],
      ['1413', '\xff'],
      ['1414', '\x01\x02'],
      ['1415', '\x00\x00\x0e\x10'],
    ]);
  });

  it.each([
    [{ tlvs: [{ tag: 0, type: 'text', value: '' }] }, 'tlvs.0.tag'],
    [{ tlvs: [{ tag: '0x0424', type: 'text', value: '' }] }, 'tlvs.0.tag'],
    [{ tlvs: [{ tag: 65_536, type: 'text', value: '' }] }, 'tlvs.0.tag'],
    [{ tlvs: [{ tag: 5_120, type: 'words', value: '' }] }, 'tlvs.0.type'],
    [{ tlvs: [{ tag: 5_120, type: 'text', value: '{{secret}}' }] }, 'tlvs.0.value'],
    [{ tlvs: [{ tag: 5_120, type: 'text', value: 'Käse' }] }, 'tlvs.0.value'],
    [{ tlvs: [{ tag: 5_120, type: 'octets', value: 'abc' }] }, 'tlvs.0.value'],
    [{ tlvs: [{ tag: 5_120, type: 'int8', value: 256 }] }, 'tlvs.0.value'],
    [{ tlvs: [{ tag: 5_120, type: 'int8', value: -1 }] }, 'tlvs.0.value'],
    [{ tlvs: Array.from({ length: 21 }, (_, at) => ({ tag: 6_000 + at, type: 'text', value: '' })) }, 'tlvs'],
    [{ dlt: {}, tlvs: [{ tag: '0x1401', type: 'text', value: '' }] }, 'tlvs'],
    [{ dlt: { entity_tag: '0x1401' } }, 'tlvs'],
    [{ dlt: { entity_id: 'x' } }, 'dlt.entity_id'],
    [{ dlt: { chain: { ids: [] } } }, 'dlt.chain.ids'],
    [{ dlt: { chain: { ids: ['{{to}}'] } } }, 'dlt.chain.ids.0'],
    [{ dlt: { chain: { ids: ['1'], hash: 'md5' } } }, 'dlt.chain.hash'],
  ])('%j is refused', (config, path) => {
    const read = smppConfigSchema.safeParse({ host: 'x', port: 1, system_id: 'x', ...config });
    expect(read.error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
  });
});

describe('senders and validity', () => {
  it.each([
    ['ACME', 5, 0],
    ['57575', 3, 0],
    ['919800000009', 1, 1],
  ])('%s leaves as what it is, whatever the route has', async (sender, ton, npi) => {
    await open({ source_addr: '', ton: 9, npi: 9 });
    await route.send(TO, 'hello', { sender });
    expect(new PDU(only())).toMatchObject({ source_addr: sender, source_addr_ton: ton, source_addr_npi: npi });
  });

  it('says how long the carrier may try, and the carrier reads it', async () => {
    await open();
    await route.send(TO, 'hello', { validitySeconds: 93_784 });
    expect(only().includes(Buffer.from('\x00000001020304000R\0', 'latin1'))).toBe(true);
    const { messages } = await sandbox.ledger();
    expect(messages[0]).toMatchObject({ validity: '000001020304000R' });
  });
});
