import { describe, expect, it } from 'vitest';
import type { SendOutcome } from '../ports/message-driver.js';
import { failoverCodes, failoverStatuses } from './failover-codes.js';
import { outcomeOf as gatewaySays } from './http/http-outcome.js';
import { httpConfigSchema } from './http/http-config.js';
import { smppConfigSchema } from './smpp/smpp-config.js';
import { outcomeOf as networkSays } from './twilio/call-outcome.js';

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
    [200, { error: { code: 17 } }, false],
  ])('of a gateway: %i %j', (status, body, expected) => {
    const config = httpConfigSchema.parse({
      url: 'https://gateway.example/send',
      error_code_path: 'error.code',
      failover_codes: ['NO_ROUTE', 17, 422],
    });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    expect(goesElsewhere(gatewaySays(config, { status, headers: {}, body: Buffer.from(text) }, '1-1'))).toBe(expected);
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
