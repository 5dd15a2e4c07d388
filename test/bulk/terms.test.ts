import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSandbox, type OpenSandbox } from '../contract/open-sandbox.js';
import { SmppRecorder } from '../contract/smpp-recorder.js';
import { type BulkWire, openBulkWire } from '../support/bulk.js';
import { dataOf, type Json } from '../support/campaigns.js';
import { expectRefused, type Member } from '../support/sms.js';

const SENDER = 'ACME';
const ENTITY = '1701158019811140068';
const TEMPLATE = '1107161951486743588';
const SHORTEST = 60;
const LONGEST = 259_200;
const WAIT = { timeout: 60_000, interval: 50 };

const { PDU } = createRequire(import.meta.url)('smpp') as {
  PDU: new (bytes: Buffer) => Record<string, unknown>;
};

/** An optional parameter as it stands in a PDU. */
function tlv(tag: number, value: string): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(tag, 0);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, Buffer.from(value, 'latin1')]);
}

/** Seconds that a carrier may try, of the relative time in a submit_sm. */
function validityOf(pdu: Buffer): number {
  const [, days, hours, minutes, seconds] = (
    /\0(?:0000)(\d\d)(\d\d)(\d\d)(\d\d)000R\0/.exec(pdu.toString('latin1')) ?? []
  ).map(Number);
  return days! * 86_400 + hours! * 3_600 + minutes! * 60 + seconds!;
}

/** Sender id, registry's ids and validity of a send that is accepted over HTTP, up to the bytes at the carrier. */
describe('a personalised send of SMS under terms of its own', () => {
  let wire: BulkWire;
  let sandbox: OpenSandbox;
  let recorder: SmppRecorder;
  let member: Member;
  let serial = 0;

  beforeAll(async () => {
    wire = await openBulkWire();
    sandbox = await openSandbox();
    recorder = await SmppRecorder.open(sandbox.smppPort);
    member = await wire.join(1_000);
    await wire.dataSource.query(
      `INSERT INTO sender_ids (account_id, channel, sender_id, dlt_entity_id, status, revision, created_at, updated_at)
       VALUES (?, 'sms', ?, ?, 'approved', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
      [member.account.id, SENDER, ENTITY],
    );
    const login = { system_id: 'switchboard', password: 'sandbox', source_addr: '57575' };
    await wire.addSmpp('open', recorder.port, { ...login, dlt: {} });
    await wire.addSmpp('strict', recorder.port, { ...login, dlt: { required: true } });
  });
  afterAll(async () => {
    await wire.stop();
    await recorder.stop();
    await sandbox.stop();
  });

  const numbers = (count: number): string[] =>
    Array.from({ length: count }, () => `9198123${String(++serial).padStart(5, '0')}`);
  const send = (body: Json): Promise<Json> =>
    wire.accepted(member, { channel: 'sms', broadcast_name: 'Codes', route: 'strict', ...body });
  const stored = async (sent: Json): Promise<Json> => {
    const [row] = await wire.dataSource.query<{ sender: string | null; content: string }[]>(
      'SELECT sender, content FROM campaigns WHERE request_id = ?',
      [sent['request_id']],
    );
    return { sender: row?.sender, content: JSON.parse(String(row?.content)) as Json };
  };
  /** The only submit_sm to a number, once it has come. */
  const submitTo = async (to: string): Promise<Buffer> => {
    const found = (): Buffer[] => recorder.submits().filter((pdu) => new PDU(pdu)['destination_addr'] === to);
    await vi.waitFor(() => expect(found()).toHaveLength(1), WAIT);
    return found()[0] as Buffer;
  };

  it.each([SHORTEST, LONGEST])('is stored and leaves with all of it, %i seconds valid', async (validity_s) => {
    const [plain, own] = numbers(2) as [string, string];
    const terms = { sender_id: SENDER, dlt_template_id: TEMPLATE, validity_s };
    const extras = { dlt: { entity_id: ENTITY, template_id: TEMPLATE }, validity_s };
    const text = { message: 'Hello', contacts: [plain] };
    const personal = { message: 'Hello {{name}}', recipients: [{ to: own, variables: { name: 'Asha' } }] };

    const sent = [await send({ ...text, ...terms }), await send({ ...personal, ...terms })] as const;
    expect(sent).toMatchObject(Array(2).fill({ recipients: 1, credits: 1, route: 'strict' }));
    expect(await stored(sent[0])).toEqual({ sender: SENDER, content: { message: text.message, ...extras } });
    expect(await stored(sent[1])).toEqual({
      sender: SENDER,
      content: { message: personal.message, personalised: true, ...extras },
    });

    const tail = Buffer.concat([tlv(0x1400, ENTITY), tlv(0x1401, TEMPLATE)]).toString('latin1');
    for (const [to, said] of [
      [plain, 'Hello'],
      [own, 'Hello Asha'],
    ] as const) {
      const pdu = await submitTo(to);
      expect(new PDU(pdu)).toMatchObject({ source_addr: SENDER, source_addr_ton: 5, source_addr_npi: 0 });
      expect(pdu.toString('latin1').endsWith(said + tail)).toBe(true);
      // what is left of it: the minute is what a machine that is busy may have taken
      expect(validityOf(pdu)).toBeLessThanOrEqual(validity_s);
      expect(validityOf(pdu)).toBeGreaterThan(validity_s - 60);
    }
  });

  it.each([SHORTEST - 1, LONGEST + 1])('is refused with %i seconds, and costs nothing', async (validity_s) => {
    const before = await wire.credits(member);
    const body = { channel: 'sms', broadcast_name: 'Codes', message: 'Hello', contacts: numbers(1), validity_s };
    const text = 'validity_s must be a whole number from 60 to 259200';
    expectRefused(await wire.bulk(member, { ...body, route: 'open' }), 400, text);
    expect(await wire.credits(member)).toBe(before);
  });

  it('takes each of them alone', async () => {
    const [named, registered, brief, none] = numbers(4) as [string, string, string, string];
    const of = async (to: string, terms: Json): Promise<unknown> =>
      stored(await send({ message: 'Hello', contacts: [to], route: 'open', ...terms }));
    const hello = { message: 'Hello' };
    expect([
      await of(named, { sender_id: SENDER }),
      await of(registered, { dlt_template_id: TEMPLATE }),
      await of(brief, { validity_s: LONGEST }),
      await of(none, {}),
    ]).toEqual([
      { sender: SENDER, content: { ...hello, dlt: { entity_id: ENTITY } } },
      { sender: null, content: { ...hello, dlt: { template_id: TEMPLATE } } },
      { sender: null, content: { ...hello, validity_s: LONGEST } },
      { sender: null, content: hello },
    ]);
    const left = async (to: string): Promise<unknown> => {
      const pdu = await submitTo(to);
      const { source_addr } = new PDU(pdu);
      return [source_addr, pdu.toString('latin1').split('Hello')[1], Number.isNaN(validityOf(pdu))];
    };
    expect(await left(named)).toEqual([SENDER, tlv(0x1400, ENTITY).toString('latin1'), true]);
    expect(await left(registered)).toEqual(['57575', tlv(0x1401, TEMPLATE).toString('latin1'), true]);
    expect(await left(brief)).toEqual(['57575', '', false]);
    expect(await left(none)).toEqual(['57575', '', true]);
  });

  it('leaves with the same again where its failures are retried', async () => {
    const [to] = numbers(1) as [string];
    // 404: the carrier takes it, and does not know the subscriber
    const include = { include: ['permanent'] };
    const failing = `${to.slice(0, -3)}404`;
    const terms = { sender_id: SENDER, dlt_template_id: TEMPLATE, validity_s: LONGEST };
    const { request_id } = await send({ message: 'Hello', contacts: [failing], ...terms });
    await wire.completed(request_id, member);
    const child = dataOf(await wire.act(`/v6/api/campaigns/${String(request_id)}/retry-failed`, member, include));
    expect(await stored(child)).toEqual(await stored({ request_id }));
    await vi.waitFor(() => {
      const again = recorder.submits().filter((pdu) => new PDU(pdu)['destination_addr'] === failing);
      expect(again).toHaveLength(2);
      for (const pdu of again) {
        expect(new PDU(pdu)).toMatchObject({ source_addr: SENDER });
        expect(validityOf(pdu)).toBeGreaterThan(LONGEST - 60);
      }
    }, WAIT);
  });
});
