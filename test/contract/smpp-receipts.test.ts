import { afterEach, describe, expect, it } from 'vitest';
import { receiptText, Smsc } from './npm-smsc.js';
import { type BoundRoute, openRoute } from './smpp-route.js';

describe('receipts of an SMSC of npm smpp under the terms of the route', () => {
  let smsc: Smsc;
  let route: BoundRoute;

  async function open(config: Record<string, unknown>): Promise<void> {
    smsc = new Smsc();
    route = openRoute(await smsc.listen(), config);
    await route.bound();
  }
  afterEach(async () => {
    await route.connection.close();
    await smsc.close();
  });

  it("reads a carrier's own words and codes as the route says", async () => {
    await open({
      status_map: { undelivrd: 'failed', DND: { status: 'failed', code: 34 }, BUFFRED: 'submitted', 9: 'failed' },
      receipts: 'last',
    });
    const say = (stat: string, err: string) =>
      smsc.deliver({ esm_class: 4, short_message: { message: `id:7 stat:${stat} err:${err} text:` } });
    for (const [stat, err] of [
      ['UNDELIVRD', '012'],
      ['DND', ''],
      ['dnd', '1B2'],
      ['BUFFRED', '000'],
      ['UNDELIV', 'EC001'],
      ['NEVERHEARD', '1'],
    ] as const)
      expect(await say(stat, err)).toBe(0);
    const tlv = (code: Buffer) =>
      smsc.deliver({ esm_class: 4, receipted_message_id: '8', message_state: 9, network_error_code: code });
    for (const code of [Buffer.of(3, 0, 42), Buffer.of(3, 0, 0, 42), Buffer.from('1B2\0'), Buffer.from('EC01')])
      expect(await tlv(code)).toBe(0);
    expect(route.receipts.map(({ status, errorCode, carrierCode }) => [status, errorCode, carrierCode])).toEqual([
      ['failed', 12, undefined],
      ['failed', 34, undefined],
      ['failed', 34, '1B2'],
      ['submitted', null, undefined],
      ['failed', null, 'EC001'],
      ['failed', 42, undefined],
      ['failed', 42, undefined],
      ['failed', null, '1B2'],
      ['failed', null, 'EC01'],
    ]);
    expect(route.receipts.every(({ decidedBy }) => decidedBy === 'last')).toBe(true);
  });

  it.each([
    [{ id_base: 'hex' }, ['10', '16'], ['16', '22'], ['16', '22']],
    [{ id_base: 'hex' }, ['0x00AB', 'ab'], ['171', '0171'], ['171', '171']],
    [{ id_base: 'dec', receipt_id_base: 'hex' }, ['16', '22'], ['10', '16'], ['16', '22']],
    [{ id_base: 'hex', receipt_id_base: 'hex' }, ['10', '16'], ['0010', '16'], ['16', '22']],
    [{ id_base: 'dec' }, ['10', '16'], ['10', '16'], ['10', '16']],
    [{ id_base: 'hex' }, ['msg-7', 'a1b2-c3'], ['msg-7', 'a1b2-c3'], ['msg-7', 'a1b2-c3']],
  ])('names messages by the value of their ids under %j', async (config, answered, reported, stored) => {
    await open(config);
    smsc.answer = (pdu, session) => session.send(pdu.response({ message_id: answered[smsc.submits.length - 1] }));
    for (const id of stored)
      expect(await route.send('4915112345678', 'hi')).toEqual({ kind: 'accepted', providerMessageIds: [id] });
    for (const id of reported)
      expect(await smsc.deliver({ esm_class: 4, short_message: { message: receiptText(id, 'DELIVRD') } })).toBe(0);
    expect(route.receipts.map(({ providerMessageId, isExact }) => [providerMessageId, isExact])).toEqual(
      stored.map((id) => [id, true]),
    );
  });
});
