import { describe, expect, it } from 'vitest';
import { readCallback } from './callbacks.js';

const OWNER = { phoneNumberId: '106540352242922', wabaId: null };

const readOf = (told: Record<string, unknown>) => {
  const value = { metadata: { phone_number_id: OWNER.phoneNumberId }, ...told };
  return readCallback(OWNER, { entry: [{ id: '1', changes: [{ field: 'messages', value }] }] }, new Date());
};

describe('the recipient of a status', () => {
  it.each([
    ['4915187654321', '4915187654321'],
    ['+49 151 87654321', '4915187654321'],
    [undefined, null],
    ['US.13491208655302741918', null],
    ['DE.ENT.4915187654321', null],
  ])('%s is the number %s', (recipient_id, receiver) => {
    const { receipts } = readOf({ statuses: [{ id: 'wamid.1', status: 'delivered', recipient_id }] });
    expect(receipts).toMatchObject([{ receiver }]);
  });
});

describe('a user id where a number is told as a rule', () => {
  it.each([{ from: 'US.13491208655302741918' }, {}])('is no number: %o', (sender) => {
    const { messages, acquaintances } = readOf({
      contacts: [{ wa_id: 'US.13491208655302741918', user_id: 'US.13491208655302741918' }],
      messages: [{ id: 'wamid.2', type: 'text', text: { body: 'STOP' }, ...sender }],
    });
    expect(messages).toMatchObject([{ number: null, userId: 'US.13491208655302741918' }]);
    expect(acquaintances).toEqual([]);
  });
});
