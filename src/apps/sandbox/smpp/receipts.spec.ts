import smpp from 'smpp';
import { describe, expect, it } from 'vitest';
import { readDeliverSm } from '../../../platform/smpp/index.js';
import { receiptPdu } from './receipts.js';

const facts = { id: '123456789', to: '4915112345678', from: 'Switchbrd', at: Date.UTC(2026, 10, 21, 9, 30) };
const TEXT = 'id:123456789 sub:001 dlvrd:000 submit date:2611210930 done date:2611210930 stat:UNDELIV err:001 text:';

describe("the sandbox's receipts", () => {
  it.each([
    ['text', true],
    ['text', false],
    ['tlv', true],
    ['tlv', false],
    ['both', true],
    ['both', false],
  ] as const)('are what npm smpp writes: %s, delivered %s', (form, delivered) => {
    const expected = new smpp.PDU('deliver_sm', {
      sequence_number: 9,
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: facts.to,
      destination_addr: facts.from,
      esm_class: 4,
      data_coding: 0,
      short_message: Buffer.from(
        form === 'tlv'
          ? ''
          : delivered
            ? TEXT.replace('dlvrd:000', 'dlvrd:001').replace('UNDELIV err:001', 'DELIVRD err:000')
            : TEXT,
      ),
      ...(form !== 'text' && {
        receipted_message_id: facts.id,
        message_state: delivered ? 2 : 5,
        ...(!delivered && { network_error_code: Buffer.of(3, 0, 1) }),
      }),
    }).toBuffer();
    expect(receiptPdu({ ...facts, delivered }, form, 9)).toEqual(expected);
  });

  it('are read by our own driver', () => {
    const bytes = receiptPdu({ ...facts, delivered: false }, 'both', 9);
    expect(readDeliverSm(bytes, 0, bytes.length)).toMatchObject({
      sourceAddr: facts.to,
      text: TEXT,
      receiptedMessageId: facts.id,
      messageState: 5,
      networkErrorCode: 1,
    });
  });
});
