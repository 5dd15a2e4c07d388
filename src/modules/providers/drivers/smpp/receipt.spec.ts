import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodePdu, readDeliverSm } from '../../../../platform/smpp/index.js';
import { isReceipt, readReceipt } from './receipt.js';

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
