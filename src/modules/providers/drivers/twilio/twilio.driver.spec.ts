import { describe, expect, it } from 'vitest';
import { outcomeOf } from './twilio.driver.js';

const SECRET = 'the-auth-token';
const answerOutcome = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  outcomeOf({ status, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }, SECRET);

describe('answers to the creation of a call', () => {
  it.each([
    [201, { sid: 'CA1' }, {}, { kind: 'accepted', providerMessageIds: ['CA1'] }],
    [200, { sid: 'CA1' }, {}, { kind: 'accepted', providerMessageIds: ['CA1'] }],
    [201, {}, {}, { kind: 'unknown' }],
    [201, 'no JSON', {}, { kind: 'unknown' }],
    [201, { sid: 'C'.repeat(200) }, {}, { kind: 'unknown' }],
    [
      429,
      { code: 20429, message: 'Too Many Requests' },
      { 'retry-after': '3' },
      { kind: 'retry', afterMs: 3_000, code: 20429, text: 'Too Many Requests', throttled: true },
    ],
    [429, 'no JSON', {}, { kind: 'retry', afterMs: 1_000, code: 429, throttled: true }],
    [400, { code: 10004, message: 'Call concurrency' }, {}, { kind: 'retry', code: 10004, throttled: true }],
    [503, {}, { 'retry-after': '2' }, { kind: 'retry', afterMs: 2_000, throttled: true }],
    [503, {}, {}, { kind: 'retry', code: 503, throttled: false }],
    [500, { code: 20500, message: 'Oops' }, {}, { kind: 'retry', code: 20500, text: 'Oops', throttled: false }],
    [504, {}, {}, { kind: 'unknown' }],
    [
      400,
      { code: 21211, message: 'Invalid number' },
      {},
      { kind: 'rejected', code: 21211, text: 'Invalid number', submitted: true },
    ],
    [401, { code: 20003, message: `Authenticate ${SECRET}` }, {}, { kind: 'rejected', text: 'Authenticate ***' }],
    [404, 'no JSON', {}, { kind: 'rejected', code: 404, text: 'Telephone network answered 404' }],
    [302, '', {}, { kind: 'rejected', code: 302 }],
    [400, { code: '21211', message: 5 }, {}, { kind: 'rejected', code: 400 }],
    [400, [], {}, { kind: 'rejected', code: 400 }],
  ])('%i %j %j', (status, body, headers, outcome) =>
    expect(answerOutcome(status, body, headers)).toMatchObject(outcome),
  );
});
