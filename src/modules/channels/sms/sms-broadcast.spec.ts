import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fingerprintOf,
  readSmsBroadcastRequest,
  type SmsBroadcastFields,
  type SmsBroadcastRequest,
} from './sms-broadcast.js';

const GOOD = {
  broadcast_name: 'Spring',
  brodcast_service: 'sandbox',
  contacts: ['919812345678'],
  message: 'Hello',
};

const read = (change: SmsBroadcastFields) => readSmsBroadcastRequest({ ...GOOD, ...change });

function accepted(change: SmsBroadcastFields): SmsBroadcastRequest {
  const result = read(change);
  if (!('request' in result)) throw new Error(`refused: ${result.fault}`);
  return result.request;
}

const ODD = [true, false, {}, { a: 1 }, ['x'], [], Number.NaN, Number.POSITIVE_INFINITY, () => 'x'];

describe('reading an SMS broadcast', () => {
  it('takes the four fields', () => {
    expect(accepted({})).toEqual({
      broadcastName: 'Spring',
      service: 'sandbox',
      message: 'Hello',
      recipients: ['919812345678'],
      givenId: null,
      schedule: undefined,
      late: null,
      options: { senderId: null, dltTemplateId: null, validitySeconds: null },
    });
  });

  it.each(['broadcast_name', 'brodcast_service', 'message', 'contacts'])('%s: missing or empty', (field) => {
    for (const value of [undefined, null, '', '  \t\n'])
      expect(read({ [field]: value })).toMatchObject({ fault: 'fieldsRequired' });
  });

  it.each(['broadcast_name', 'brodcast_service', 'message'])('%s: odd types are the row of the field', (field) => {
    for (const value of ODD) expect(read({ [field]: value })).toMatchObject({ fault: 'fieldsRequired' });
  });

  it('contacts: an array with something in it', () => {
    for (const value of ['919812345678', 919812345678, true, {}, { length: 1, 0: '919812345678' }, []]) {
      expect(read({ contacts: value })).toMatchObject({ fault: 'fieldsRequired' });
    }
  });

  it("takes a finite number as its text; '0' is not empty", () => {
    const broadcast = accepted({ broadcast_name: 0, brodcast_service: '0', message: 42, contacts: [919812345678] });
    expect(broadcast).toMatchObject({ broadcastName: '0', service: '0', message: '42', recipients: ['919812345678'] });
  });

  it('cuts the name at 100 code points and never splits one', () => {
    expect(accepted({ broadcast_name: 'x'.repeat(100) }).broadcastName).toBe('x'.repeat(100));
    expect(accepted({ broadcast_name: '😀'.repeat(101) }).broadcastName).toBe('😀'.repeat(100));
    expect(accepted({ brodcast_service: '😀'.repeat(300) }).service).toBe('😀'.repeat(255));
  });

  it('strips non-digits, keeps order and duplicates, and holds 9 to 30 digits', () => {
    expect(accepted({ contacts: ['+91 (981) 234-5678', '123456789', '123456789'] }).recipients).toEqual([
      '919812345678',
      '123456789',
      '123456789',
    ]);
    expect(accepted({ contacts: ['1'.repeat(30)] }).recipients).toEqual(['1'.repeat(30)]);
    for (const contact of [
      '1'.repeat(8),
      '1'.repeat(31),
      '',
      '   ',
      'abc',
      null,
      true,
      {},
      [],
      ['919812345678'],
      NaN,
    ]) {
      expect(read({ contacts: ['919812345678', contact] })).toMatchObject({ fault: 'contactLength' });
    }
  });

  it('reads the id from the first alias that is not empty', () => {
    expect(accepted({ providermessageid: 'a', provider_message_id: 'b', providerMessageId: 'c' }).givenId).toBe('a');
    expect(accepted({ providermessageid: '', provider_message_id: 'b', providerMessageId: 'c' }).givenId).toBe('b');
    expect(accepted({ providermessageid: null, provider_message_id: ' ', providerMessageId: 'c' }).givenId).toBe('c');
    expect(accepted({ providermessageid: 17 }).givenId).toBe('17');
  });

  it('holds the id to 1–64 of the allowed characters', () => {
    expect(accepted({ providermessageid: 'A-z0.9_:-' }).givenId).toBe('A-z0.9_:-');
    expect(accepted({ providermessageid: 'x'.repeat(64) }).givenId).toBe('x'.repeat(64));
    for (const id of ['x'.repeat(65), 'a b', 'ä', "a'", 'a/b', 'a\n', ' a', true, {}, []]) {
      expect(read({ providermessageid: id })).toEqual({ fault: 'requestIdFormat' });
    }
  });

  it('checks the rows from top to bottom', () => {
    const all = {
      broadcast_name: '',
      message: 'a'.repeat(613),
      contacts: ['1'],
      providermessageid: '?',
    };
    const order: SmsBroadcastFields[] = [
      { broadcast_name: 'Spring' },
      { message: 'Hello' },
      { contacts: ['919812345678'] },
      { providermessageid: 'id-1' },
    ];
    const faults = order.map((_, repaired) =>
      read(Object.assign({}, all, ...order.slice(0, repaired)) as SmsBroadcastFields),
    );
    expect(faults).toMatchObject([
      { fault: 'fieldsRequired' },
      { fault: 'tooLong' },
      { fault: 'contactLength' },
      { fault: 'requestIdFormat' },
    ]);
  });

  it('answers to anything without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), fc.anything(), (one, two, three, four) => {
        const result = read({ contacts: [one], message: two, providermessageid: three, schedule_time: four });
        return 'request' in result || 'fault' in result;
      }),
    );
  });
});

describe('fingerprint of a broadcast', () => {
  const base = accepted({ contacts: ['111111111', '222222222'] });
  const hex = (accountId: number, broadcast: SmsBroadcastRequest) =>
    fingerprintOf(accountId, broadcast).toString('hex');

  it('is equal for equal requests and has 32 bytes', () => {
    expect(hex(1, base)).toBe(hex(1, { ...base, schedule: '2030-01-01 00:00:00', givenId: 'other' }));
    expect(fingerprintOf(1, base)).toHaveLength(32);
  });

  it('differs in account, name, service, message, contacts and their order', () => {
    const others = [
      hex(2, base),
      hex(1, { ...base, broadcastName: 'x' }),
      hex(1, { ...base, service: 'x' }),
      hex(1, { ...base, message: 'x' }),
      hex(1, { ...base, recipients: ['111111111'] }),
      hex(1, { ...base, recipients: ['222222222', '111111111'] }),
      hex(1, { ...base, recipients: ['111111111222222222'] }),
    ];
    expect(new Set([hex(1, base), ...others]).size).toBe(others.length + 1);
  });
});
