import { setImmediate as yieldToOthers } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodePdu, readDeliverSm } from '../../../../platform/smpp/index.js';
import type { Receipt } from '../../message-driver.js';
import { type Delivery, isReceipt, readReceipt, ReceiptBatch } from './receipts.js';

const text = (id: string, stat: string, err = '000') =>
  `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010001 stat:${stat} err:${err} text:id:9 stat:DELIVRD`;

function read(fields: Record<string, unknown>) {
  const bytes = encodePdu('deliver_sm', 5, {
    source_addr: '+4915111',
    destination_addr: 'Switchbrd',
    esm_class: 4,
    data_coding: 0,
    ...fields,
  });
  const message = readDeliverSm(bytes, 0, bytes.length);
  if (!message) throw new Error('not read');
  return message;
}

describe('receipts', () => {
  it.each([
    ['DELIVRD', 'delivered', null, null],
    ['delivrd', 'delivered', null, null],
    ['EXPIRED', 'failed', 11, 'Expired before delivery'],
    ['DELETED', 'failed', 11, 'Deleted by the carrier'],
    ['UNDELIV', 'failed', 11, 'Undeliverable'],
    ['REJECTD', 'failed', 11, 'Rejected by the carrier'],
    ['ACCEPTD', 'submitted', null, null],
    ['ENROUTE', 'submitted', null, null],
  ])('text form: %s', (stat, status, errorCode, errorText) => {
    expect(readReceipt(read({ short_message: { message: text('77', stat, '011') } }))).toMatchObject({
      providerMessageId: '77',
      status,
      errorCode,
      errorText,
      receiver: '4915111',
    });
  });

  it('waits on UNKNOWN and on unknown words', () => {
    expect(readReceipt(read({ short_message: { message: text('77', 'UNKNOWN') } }))).toBeNull();
    expect(readReceipt(read({ short_message: { message: text('77', 'HAZY') } }))).toBeNull();
    expect(readReceipt(read({ short_message: { message: 'nothing in it' } }))).toBeNull();
  });

  it.each([
    [2, 'delivered'],
    [3, 'failed'],
    [4, 'failed'],
    [5, 'failed'],
    [8, 'failed'],
    [1, 'submitted'],
    [6, 'submitted'],
  ])('TLV form: message_state %i', (state, status) => {
    const receipt = readReceipt(
      read({ receipted_message_id: 'ab-9', message_state: state, network_error_code: Buffer.of(3, 0, 42) }),
    );
    expect(receipt).toMatchObject({ providerMessageId: 'ab-9', status, errorCode: status === 'failed' ? 42 : null });
  });

  it('prefers the TLVs where both forms stand', () => {
    const both = { short_message: { message: text('77', 'ENROUTE') }, receipted_message_id: '78', message_state: 2 };
    expect(readReceipt(read(both))).toMatchObject({ providerMessageId: '78', status: 'delivered' });
  });

  it('reads the text in UCS-2 and in message_payload', () => {
    const ucs2 = Buffer.from(text('77', 'DELIVRD'), 'utf16le').swap16();
    expect(readReceipt(read({ data_coding: 8, short_message: ucs2 }))?.providerMessageId).toBe('77');
    const payload = Buffer.from(text('79', 'DELIVRD'), 'latin1');
    expect(readReceipt(read({ short_message: Buffer.alloc(0), message_payload: payload }))?.providerMessageId).toBe(
      '79',
    );
  });

  it('reads fields that commas separate', () => {
    const commas =
      'id:9f3a2b11,sub:001,dlvrd:001,submit date:2601010000,done date:2601010001,stat:UNDELIV,err:042,text:id:9,stat:DELIVRD';
    expect(readReceipt(read({ short_message: { message: commas } }))).toMatchObject({
      providerMessageId: '9f3a2b11',
      status: 'failed',
      errorCode: 42,
    });
  });

  it('keeps the other number, of carriers that do not turn the two round', () => {
    const fields = {
      short_message: { message: text('77', 'DELIVRD') },
      source_addr: '4477',
      destination_addr: '4915112345678',
    };
    expect(readReceipt(read(fields))).toMatchObject({ receiver: '4477', otherAddress: '4915112345678' });
  });

  it("never takes a handset's text for a receipt", () => {
    expect(isReceipt(read({ esm_class: 0, short_message: { message: text('77', 'DELIVRD') } }))).toBe(false);
    expect(isReceipt(read({ esm_class: 0, receipted_message_id: '77', message_state: 2 }))).toBe(true);
  });

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const pdu = Buffer.concat([Buffer.alloc(16), bytes]);
        const message = readDeliverSm(pdu, 0, pdu.length);
        if (message) readReceipt(message);
      }),
    );
  });
});

const receipt = (id: number): Receipt => ({
  providerMessageId: String(id),
  status: 'delivered',
  errorCode: null,
  errorText: null,
  receiver: null,
});
const delivery = (sequence: number): Delivery => ({ sequence, answer: 0 });

/** A batch whose commits end when the test says so. */
function batch() {
  const commits: { ids: string[]; resolve: () => void; reject: (error: Error) => void }[] = [];
  const answers: [sequences: number[], committed: boolean][] = [];
  const receipts = new ReceiptBatch(
    (some) =>
      new Promise((resolve, reject) =>
        commits.push({ ids: some.map(({ providerMessageId }) => providerMessageId), resolve, reject }),
      ),
    (deliveries, committed) => answers.push([deliveries.map(({ sequence }) => sequence), committed]),
  );
  const add = (...ids: number[]) => ids.forEach((id) => receipts.add(receipt(id), delivery(id)));
  return { receipts, commits, answers, add };
}

describe('receipts of a session', () => {
  it('are handed over by turns of the event loop, and answered each after its own commit', async () => {
    const { receipts, commits, answers, add } = batch();
    add(1, 2);
    add(3);
    await yieldToOthers();
    add(4);
    await yieldToOthers();
    expect(commits.map(({ ids }) => ids)).toEqual([['1', '2', '3'], ['4']]);
    expect(receipts.unanswered).toBe(4);
    commits[1]?.resolve();
    await yieldToOthers();
    expect(answers).toEqual([[[4], true]]);
    expect(receipts.unanswered).toBe(3);
    commits[0]?.reject(new Error('lost'));
    await yieldToOthers();
    expect(answers).toEqual([
      [[4], true],
      [[1, 2, 3], false],
    ]);
    expect(receipts.unanswered).toBe(0);
  });

  it('are all answered before a session that closes goes on', async () => {
    const { receipts, commits, answers, add } = batch();
    add(1);
    await yieldToOthers();
    add(2);
    const drained = receipts.drained(60_000).then(() => answers.length);
    await yieldToOthers();
    commits[0]?.resolve();
    await yieldToOthers();
    expect(answers).toHaveLength(1);
    commits[1]?.resolve();
    expect(await drained).toBe(2);
    await receipts.drained(60_000);
  });
});
