import { describe, expect, it } from 'vitest';
import { OutboundError, type OutboundFault } from '../../../platform/outbound/index.js';
import { ANSWER_ROWS, outcomeOfAnswer, outcomeOfFault, type Verdict, verdictOf } from './upstream-answers.js';

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
          ? Array.from({ length: statuses.to - statuses.from + 1 }, (_, place) => statuses.from + place)
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
