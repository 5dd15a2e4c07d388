import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../call-script.js';
import { CALL_EVENTS, callIdOf, readEvent, readReceipt, isSigned, readForm, type FormParameters } from './callbacks.js';

const TOKEN = '12345';
const URL = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const FORM = 'CallSid=CA1234567890ABCDE&Caller=%2B12349013030&Digits=1234&From=%2B12349013030&To=%2B18005551212';

/** The network's own rule, written down once more: address, then names and values in the order of the names. */
function sign(url: string, form: string, token = TOKEN): string {
  const pairs = [...new URLSearchParams(form)].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return createHmac('sha1', token)
    .update(url + pairs.flat().join(''))
    .digest('base64');
}

const check = (url: string, form: string, signature: string | undefined, token = TOKEN): Promise<boolean> =>
  isSigned({ url, signature, form: Buffer.from(form) }, token);

describe('signatures of the telephone network', () => {
  it('accepts what its documentation shows', async () => {
    // https://www.twilio.com/docs/usage/security: this request and this token give this signature
    expect(await check(URL, FORM, '0/KCTR6DLpKmkAf8muzZqo1nDgQ=')).toBe(true);
    expect(await check(URL, FORM, sign(URL, FORM))).toBe(true);
  });

  it('refuses another address, form, token, and none at all', async () => {
    const right = sign(URL, FORM);
    expect(await check(`${URL}3`, FORM, right)).toBe(false);
    expect(await check(URL, FORM.replace('1234&', '1235&'), right)).toBe(false);
    expect(await check(URL, `${FORM}&More=1`, right)).toBe(false);
    expect(await check(URL, FORM, right, 'another')).toBe(false);
    expect(await check(URL, FORM, undefined)).toBe(false);
    expect(await check(URL, FORM, '')).toBe(false);
    expect(await check(URL, FORM, `${right}=`)).toBe(false);
  });

  it('refuses a form of very many parameters unread, and an address that is none', async () => {
    const signed = (form: string, url = URL): Promise<boolean> =>
      isSigned({ url, signature: sign(url, form), form: Buffer.from(form) }, TOKEN);
    const many = (count: number): string => Array.from({ length: count }, (_, index) => `a${index}=1`).join('&');
    expect(await signed(many(1_000))).toBe(true);
    expect(await signed(many(1_001))).toBe(false);
    expect(await signed(FORM, 'http://127.0.0.1:3000http://other.example/c')).toBe(false);
  });

  it('reads a name that comes very often in one go', () => {
    const values = readForm(Buffer.from('a=1&'.repeat(200_000)))['a'];
    expect(values).toHaveLength(200_000);
  });

  it('reads any form without a fault', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.uint8Array(), async (signature, bytes) => {
        expect(await isSigned({ url: URL, signature, form: Buffer.from(bytes) }, TOKEN)).toBe(false);
      }),
    );
    expect(readForm(Buffer.from('a=1&b=2&a=3&__proto__=x'))).toMatchObject({ a: ['1', '3'], b: '2' });
  });
});

describe('callbacks of calls', () => {
  const parameters = (more: FormParameters): FormParameters => ({ AccountSid: 'AC1', CallSid: 'CA1', ...more });

  it('belong to one account', () => {
    expect(callIdOf(parameters({}), 'AC1')).toBe('CA1');
    expect(callIdOf(parameters({}), 'AC2')).toBeNull();
    expect(callIdOf({ CallSid: 'CA1' }, 'AC1')).toBeNull();
    expect(callIdOf({ AccountSid: 'AC1' }, 'AC1')).toBeNull();
    expect(callIdOf(parameters({ CallSid: 'C'.repeat(200) }), 'AC1')).toBeNull();
  });

  it.each<[CallEvent['kind'], FormParameters, CallEvent | null]>([
    ['answered', { CallStatus: 'in-progress' }, { kind: 'answered' }],
    ['played', {}, { kind: 'played' }],
    ['digits', { Digits: '#' }, { kind: 'digits', digits: '#' }],
    ['digits', {}, { kind: 'digits', digits: '' }],
    [
      'dialed',
      { DialCallStatus: 'completed', DialCallDuration: '12' },
      { kind: 'dialed', outcome: 'completed', seconds: 12 },
    ],
    ['dialed', { DialCallStatus: 'answered' }, { kind: 'dialed', outcome: 'completed', seconds: 0 }],
    ['dialed', { DialCallStatus: 'busy' }, { kind: 'dialed', outcome: 'busy', seconds: 0 }],
    ['dialed', { DialCallStatus: 'no-answer' }, { kind: 'dialed', outcome: 'no_answer', seconds: 0 }],
    ['dialed', { DialCallStatus: 'canceled' }, { kind: 'dialed', outcome: 'failed', seconds: 0 }],
    ['dialed', { DialCallStatus: 'odd', DialCallDuration: '-3' }, { kind: 'dialed', outcome: 'failed', seconds: 0 }],
    [
      'recorded',
      { RecordingUrl: 'https://r/1', RecordingDuration: '4' },
      { kind: 'recorded', url: 'https://r/1', seconds: 4 },
    ],
    ['recorded', {}, { kind: 'recorded', url: '', seconds: 0 }],
    ['recorded', { RecordingStatus: 'absent', RecordingUrl: 'https://r/1' }, null],
  ])('%s %j', (kind, more, event) => expect(readEvent(kind, parameters(more))).toEqual(event));

  it.each([
    [
      'completed',
      { CallDuration: '17' },
      { status: 'answered', durationSeconds: 17, errorCode: null, errorText: null },
    ],
    ['busy', { SipResponseCode: '486' }, { status: 'busy', durationSeconds: 0, errorCode: null, errorText: null }],
    ['no-answer', { CallDuration: '0' }, { status: 'no_answer', durationSeconds: 0, errorText: null }],
    ['failed', { SipResponseCode: '404' }, { status: 'failed', errorCode: 404, errorText: 'Call failed' }],
    [
      'failed',
      { ErrorCode: '13224', ErrorMessage: 'Invalid number' },
      { errorCode: 13224, errorText: 'Invalid number' },
    ],
    ['failed', { SipResponseCode: '200' }, { errorCode: null }],
    ['canceled', {}, { status: 'failed', errorCode: null, errorText: 'Call was canceled' }],
  ])('the end %s %j is a receipt', (word, more, receipt) => {
    const read = readReceipt('7-1', 'CA1', parameters({ CallStatus: word, To: '+4915112345678', ...more }));
    expect(read).toMatchObject({ providerMessageId: 'CA1', receiver: '4915112345678', ref: '7-1', ...receipt });
  });

  it.each(['queued', 'initiated', 'ringing', 'in-progress', '', 'odd', 'constructor'])('%s is no end', (word) =>
    expect(readReceipt('7-1', 'CA1', parameters({ CallStatus: word }))).toBeNull(),
  );

  it('are read without a fault, whatever they say', () => {
    const value = fc.oneof(fc.string(), fc.array(fc.string()));
    const names = ['CallStatus', 'Digits', 'DialCallStatus', 'RecordingUrl', 'RecordingDuration', 'CallDuration', 'To'];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), fc.constantFrom(...CALL_EVENTS), (read, kind) => {
        const event = readEvent(kind, read);
        expect(event?.kind).toBe(kind);
        readReceipt('7-1', 'CA1', read);
      }),
    );
  });
});
