import { describe, expect, it } from 'vitest';
import { OutboundError, type OutboundFault } from '../../../platform/outbound/index.js';
import type { SendOutcome } from '../message-driver.js';
import {
  ANSWER_ROWS,
  failoverCodes,
  failoverStatuses,
  outcomeOfAnswer,
  outcomeOfFault,
  type Verdict,
  verdictOf,
} from './carrier-answers.js';
import { GatewayAnswers } from './http/http-answers.js';
import { httpConfigSchema } from './http/http-config.js';
import { smppConfigSchema } from './smpp/smpp-config.js';
import { outcomeOf as networkSays } from './twilio/twilio.driver.js';

const SAID = { code: 7, text: 'no', retryAfter: undefined };

describe('what an answer says of the message', () => {
  it.each<[Verdict, number[]]>([
    ['maybe', [502, 504, 520, 522, 524, 527, 499, 303]],
    ['unreached', [521, 523, 525, 526, 530]],
    ['fault', [500, 503, 507, 508, 509, 408, 421, 425]],
    ['busy', [429, 529]],
    ['refused', [301, 302, 307, 308, 400, 401, 403, 404, 405, 409, 413, 422, 451, 501, 505]],
    // an unknown status may come from any machine on the way
    ['maybe', [0, 100, 101, 199, 506, 510, 511, 521.5, 555, 561, 598, 599, 600, 999, 1_200]],
  ])('%s: %j', (verdict, statuses) => {
    for (const status of statuses) expect(verdictOf(status), String(status)).toBe(verdict);
  });

  it('503 that names a time to come again is busy; what may have left stays so', () => {
    expect(verdictOf(503, '3')).toBe('busy');
    expect(verdictOf(502, '3')).toBe('maybe');
    expect(verdictOf(504, '3')).toBe('maybe');
    expect(verdictOf(400, '3')).toBe('refused');
  });

  it('every row says why, and none is hidden behind those before it', () => {
    for (const [index, { statuses, verdict, why }] of ANSWER_ROWS.entries()) {
      expect(why).not.toBe('');
      const all =
        'from' in statuses
          ? Array.from({ length: statuses.to - statuses.from + 1 }, (_, index) => statuses.from + index)
          : statuses;
      const earlier = ANSWER_ROWS.slice(0, index);
      const seen = all.filter(
        (status) =>
          !earlier.some(({ statuses: known }) =>
            'from' in known ? status >= known.from && status <= known.to : known.includes(status),
          ),
      );
      expect(seen.length, why).toBeGreaterThan(0);
      for (const status of seen) expect(verdictOf(status), why).toBe(verdict);
    }
  });

  it('becomes an outcome of the port', () => {
    expect(outcomeOfAnswer(502, SAID)).toEqual({ kind: 'unknown' });
    expect(outcomeOfAnswer(521, SAID)).toEqual({ kind: 'unsent', afterMs: 1_000, text: 'no' });
    expect(outcomeOfAnswer(500, SAID)).toEqual({
      kind: 'retry',
      afterMs: 1_000,
      code: 7,
      text: 'no',
      throttled: false,
    });
    expect(outcomeOfAnswer(422, SAID)).toEqual({ kind: 'rejected', code: 7, text: 'no', submitted: true });
    const busy = { kind: 'retry', code: 7, text: 'no', throttled: true };
    expect(outcomeOfAnswer(429, SAID)).toEqual({ ...busy, afterMs: 1_000 });
    expect(outcomeOfAnswer(429, { ...SAID, retryAfter: '5' })).toEqual({ ...busy, afterMs: 5_000 });
    expect(outcomeOfAnswer(400, { ...SAID, afterMs: 60_000 }, 'busy')).toEqual({ ...busy, afterMs: 60_000 });
  });
});

describe('what no answer says of the message', () => {
  it.each<OutboundFault>(['timeout', 'interrupted', 'too_large', 'redirect'])(
    'unknown once it may have left: %s',
    (fault) => expect(outcomeOfFault('Gateway', new OutboundError(fault, true))).toEqual({ kind: 'unknown' }),
  );

  it('unknown for an unforeseen fault', () => {
    expect(outcomeOfFault('Gateway', new Error('?'))).toEqual({ kind: 'unknown' });
    expect(outcomeOfFault('Gateway', null)).toEqual({ kind: 'unknown' });
  });

  it.each([
    ['connection refused', new OutboundError('unreachable', false, { code: 'ECONNREFUSED' })],
    ['its name is not known', new OutboundError('unreachable', false, { code: 'ENOTFOUND' })],
    ['no TLS connection', new OutboundError('unreachable', false, { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })],
    ['connection refused', new OutboundError('unreachable', false, new AggregateError([{ code: 'ECONNREFUSED' }]))],
    ['no connection', new OutboundError('unreachable', false, { code: 'secret.host.example' })],
    ['no answer in time', new OutboundError('timeout', false)],
  ])('waits for the route, and says why, when nothing has left: %s', (reason, error) => {
    const text = `Gateway is not reachable: ${reason}`;
    expect(outcomeOfFault('Gateway', error)).toEqual({ kind: 'unsent', afterMs: 1_000, text });
  });

  it('never, for an address that is none', () => {
    expect(outcomeOfFault('Gateway', new OutboundError('refused', false))).toMatchObject({
      kind: 'rejected',
      submitted: false,
    });
  });
});

const goesElsewhere = (outcome: SendOutcome): boolean => 'elsewhere' in outcome;

describe('failover codes', () => {
  it('of SMPP are command statuses, decimal or hexadecimal', () => {
    expect(failoverStatuses.parse([11, '11', '0x0B', '0x4f1'])).toHaveLength(4);
    for (const wrong of [0, -1, 1.5, '', '0', 'ESME_RINVDSTADR', '0x', '0x123456789', null]) {
      expect(failoverStatuses.safeParse([wrong]).success).toBe(false);
    }
    const config = { host: 'smsc', port: 2775, system_id: 'us' };
    expect(smppConfigSchema.parse(config).failover_codes).toEqual([]);
    expect(smppConfigSchema.safeParse({ ...config, failover_codes: Array(101).fill(11) }).success).toBe(false);
  });

  it('of others are numbers or texts, a hundred at the most', () => {
    expect(failoverCodes.parse([21211, 'NO_ROUTE'])).toHaveLength(2);
    for (const wrong of ['', 'x'.repeat(65), 1.5, true]) expect(failoverCodes.safeParse([wrong]).success).toBe(false);
    expect(failoverCodes.safeParse(Array(101).fill(1)).success).toBe(false);
  });

  it.each([
    [400, { error: { code: 'NO_ROUTE' } }, true],
    [400, { error: { code: 17 } }, true],
    [422, {}, true],
    [400, { error: { code: 'OTHER' } }, false],
    [400, 'no JSON', false],
    // in trouble, and named: not taken
    [500, { error: { code: 17 } }, true],
    // busy, perhaps taken, taken
    [429, { error: { code: 17 } }, false],
    [502, { error: { code: 17 } }, false],
    [200, { error: { code: 0 } }, false],
    // refused by its code, whatever the status
    [200, { error: { code: 17 } }, true],
    [200, { error: { code: 'OTHER' } }, false],
  ])('of a gateway: %i %j', (status, body, expected) => {
    const config = httpConfigSchema.parse({
      url: 'https://gateway.example/send',
      error_code_path: 'error.code',
      failover_codes: ['NO_ROUTE', 17, 422],
    });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = { status, headers: {}, body: Buffer.from(text) };
    const outcome = new GatewayAnswers(config).outcomeOf(answer, { ref: '1-1', text: 'hi' });
    expect(goesElsewhere(outcome)).toBe(expected);
  });

  it.each([
    [400, { code: 21211 }, true],
    [403, {}, true],
    [400, { code: 21212 }, false],
    [429, { code: 20429 }, false],
    [201, { sid: 'CA1' }, false],
  ])('of the telephone network: %i %j', (status, body, expected) => {
    const answer = { status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
    expect(goesElsewhere(networkSays(answer, 'the-auth-token', [21211, '403', 20429]))).toBe(expected);
  });
});
