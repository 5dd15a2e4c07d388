import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readNumber } from '../../kernel/phone-numbers.js';
import { extrasOf, readDltId, readSender, readSenderId, readSmsOptions, sentExtras } from './sender-id.js';

describe('a sender id', () => {
  it.each([
    ['abc', 'abc'],
    ['A1b2C3d4E5f', 'A1b2C3d4E5f'],
    [' Acme 24 ', 'Acme 24'],
    ['1a2', '1a2'],
    ['12345', '12345'],
    ['123456789012345', '123456789012345'],
    ['+919800000001', '919800000001'],
    ['+91 98000-00001', '919800000001'],
    ['00919800000001', '919800000001'],
    ['９１９８０００００００１', '919800000001'],
    ['+44 (0)7911 000012', '447911000012'],
    ['5E7a', '5E7a'],
    [57575, '57575'],
  ])('%j is %s', (given, read) => {
    expect(readSenderId(given, readNumber)).toBe(read);
  });

  it.each([
    'ab',
    'abcdefghijkl',
    '1234',
    '1234567890123456',
    'Ac  me',
    'Käse',
    'a-b',
    '++12345',
    '9198E8',
    '919800000001.0',
    '09800000001',
    '+1 415 555 2671 x12',
    '919800000001 / 919800000002',
    '123 456',
    '٣٤٥٦٧',
    '',
    null,
    true,
    [],
    { a: 1 },
  ])('%j is none', (given) => {
    expect(readSenderId(given, readNumber)).toBeNull();
  });

  it('reads anything without throwing, and what it reads again as the same', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.stringMatching(/^\+?[A-Za-z0-9 ]{0,17}$/)), (given) => {
        const read = readSenderId(given, readNumber);
        if (read !== null) expect(readSenderId(read, readNumber)).toBe(read);
      }),
    );
  });
});

describe('a registration', () => {
  it.each([
    [{}, 'senderRequired'],
    [{ sender_id: ' ', channel: 'sms' }, 'senderRequired'],
    [{ sender_id: 'ACME' }, 'channel'],
    [{ sender_id: 'ACME', channel: 'chat' }, 'channel'],
    [{ sender_id: [], channel: 'sms' }, 'senderForm'],
    [{ sender_id: 'AC', channel: 'sms' }, 'senderForm'],
    [{ sender_id: 'ACME', channel: 'voice' }, 'callerForm'],
    [{ sender_id: 'ACME', channel: 'sms', dlt_entity_id: '12a' }, 'dltEntityId'],
    [{ sender_id: 'ACME', channel: 'sms', dlt_entity_id: '1'.repeat(31) }, 'dltEntityId'],
    [{ sender_id: 'ACME', channel: 'sms', dlt_entity_id: JSON.parse('1101456789012345678') as unknown }, 'dltEntityId'],
    [{ sender_id: 'ACME', channel: 'sms', use_case: {} }, 'useCase'],
    [{ sender_id: 'ACME', channel: 'sms', use_case: 'x'.repeat(501) }, 'useCaseTooLong'],
  ])('%j is refused: %s', (raw, fault) => {
    expect(readSender(raw, readNumber)).toEqual({ fault });
  });

  it('has no entity and no use case when they are empty', () => {
    expect(readSender({ sender_id: 'ACME', channel: 'sms', dlt_entity_id: '', use_case: null }, readNumber)).toEqual({
      content: { senderId: 'ACME', channel: 'sms', dltEntityId: null, useCase: null },
    });
  });
});

describe('what a send says beside its text', () => {
  it('is nothing, where nothing is said', () => {
    const read = readSmsOptions({});
    expect(read).toEqual({ options: { senderId: null, dltTemplateId: null, validitySeconds: null } });
    if ('options' in read) expect(extrasOf(read.options, null)).toEqual({});
    expect(sentExtras({ message: 'x' })).toEqual({});
  });

  it.each([
    [{ dlt_template_id: 'x' }, 'dltTemplateId'],
    [{ dlt_template_id: ['1'] }, 'dltTemplateId'],
    [{ dlt_template_id: JSON.parse('1107161234567890123') as unknown }, 'dltTemplateId'],
    [{ validity_s: '0x3C' }, 'validity'],
    [{ validity_s: '6e1' }, 'validity'],
    [{ validity_s: 59 }, 'validity'],
    [{ validity_s: 259_201 }, 'validity'],
    [{ validity_s: 60.5 }, 'validity'],
    [{ validity_s: true }, 'validity'],
    [{ validity_s: 'soon' }, 'validity'],
  ])('%j is refused: %s', (raw, fault) => {
    expect(readSmsOptions(raw)).toEqual({ fault });
  });

  it('stands in the content, and leaves with the message', () => {
    const read = readSmsOptions({ sender_id: ['ACME'], dlt_template_id: 1107, validity_s: '259200' });
    expect(read).toEqual({ options: { senderId: '', dltTemplateId: '1107', validitySeconds: 259_200 } });
    if (!('options' in read)) throw new Error('refused');
    const content = extrasOf(read.options, '1701');
    expect(content).toEqual({ dlt: { entity_id: '1701', template_id: '1107' }, validity_s: 259_200 });
    expect(sentExtras({ ...content })).toEqual({
      dlt: { entityId: '1701', templateId: '1107' },
      validitySeconds: 259_200,
    });
  });

  it('takes ids of thirty digits', () => {
    expect([readDltId('0'.repeat(30)), readDltId(''), readDltId('1 2')]).toEqual(['0'.repeat(30), null, undefined]);
  });
});
