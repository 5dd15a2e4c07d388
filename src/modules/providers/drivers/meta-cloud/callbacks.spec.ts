import { describe, expect, it } from 'vitest';
import { readCallback } from './callbacks.js';

const OWNER = { phoneNumberId: '106540352242922', wabaId: null };

const receiptsOf = (status: Record<string, unknown>) => {
  const value = { metadata: { phone_number_id: OWNER.phoneNumberId }, statuses: [{ id: 'wamid.1', ...status }] };
  const body = { entry: [{ id: '1', changes: [{ field: 'messages', value }] }] };
  return readCallback(OWNER, body, new Date()).receipts;
};

describe('the recipient of a status', () => {
  it.each([
    ['4915187654321', '4915187654321'],
    ['+49 151 87654321', '4915187654321'],
    [undefined, null],
    // its digits are nobody's number, and a receipt for a number is no receipt for another
    ['US.13491208655302741918', null],
    ['DE.ENT.4915187654321', null],
  ])('%s is the number %s', (recipient_id, receiver) => {
    expect(receiptsOf({ status: 'delivered', recipient_id })).toMatchObject([{ receiver }]);
  });
});
