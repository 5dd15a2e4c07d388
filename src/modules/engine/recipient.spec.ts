import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readReference, referenceOf } from './recipient.js';

describe('a client reference', () => {
  it('names its recipient', () => {
    const referent = fc.record({
      campaignId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      seq: fc.integer({ min: 0, max: 0xffff_ffff }),
    });
    fc.assert(
      fc.property(referent, (one) => {
        expect(readReference(referenceOf(one))).toEqual(one);
      }),
    );
  });

  it.each(['', '1', '-1', '1-', '0-1', '01-1', 'session-1', '1-1-1', ' 1-1', '1-1 ', '1e3-1', '9999999999999999-1'])(
    'is not %j',
    (text) => expect(readReference(text)).toBeNull(),
  );
});
