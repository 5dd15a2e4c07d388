import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayProcess, readProfile, readProfileChanges } from './profile-request.js';

describe('a profile request', () => {
  it('has defaults for all but the name', () => {
    expect(readProfile({ verified_name: ' Acme ' })).toEqual({
      content: { verifiedName: 'Acme', number: null, numberForOtp: '', channel: 'official' },
    });
  });

  it('takes finite numbers as their text, and an empty number as none', () => {
    expect(readProfile({ verified_name: 7, number: 4915, numberForOTP: 12, channel: 'branded' })).toEqual({
      content: { verifiedName: '7', number: '4915', numberForOtp: '12', channel: 'branded' },
    });
    expect(readProfileChanges({ number: '  ' })).toEqual({ changes: { number: null } });
    expect(readProfileChanges({ number: null, numberForOTP: null })).toEqual({
      changes: { number: null, numberForOtp: '' },
    });
  });

  it.each([
    [{}, 'verifiedName'],
    [{ verified_name: '' }, 'verifiedName'],
    [{ verified_name: ['x'] }, 'verifiedName'],
    [{ verified_name: 'x'.repeat(256) }, 'verifiedNameTooLong'],
    [{ verified_name: 'x', number: {} }, 'number'],
    [{ verified_name: 'x', number: '1'.repeat(33) }, 'number'],
    [{ verified_name: 'x', numberForOTP: true }, 'numberForOtp'],
    [{ verified_name: 'x', channel: 'Official' }, 'channel'],
    [{ verified_name: 'x', channel: 7 }, 'channel'],
  ])('%j is refused', (raw, fault) => {
    expect(readProfile(raw)).toEqual({ fault });
  });

  it('checks names by code points', () => {
    expect(readProfile({ verified_name: '😀'.repeat(255) })).toHaveProperty('content');
    expect(readProfile({ verified_name: '😀'.repeat(256) })).toEqual({ fault: 'verifiedNameTooLong' });
  });

  it('changes only what is supplied; a name cannot be cleared', () => {
    expect(readProfileChanges({})).toEqual({ changes: {} });
    expect(readProfileChanges({ channel: '' })).toEqual({ changes: {} });
    expect(readProfileChanges({ verified_name: null })).toEqual({ fault: 'verifiedName' });
  });

  it('reads anything without throwing', () => {
    const keys = fc.constantFrom('verified_name', 'number', 'numberForOTP', 'channel');
    fc.assert(
      fc.property(fc.dictionary(keys, fc.anything()), (raw) => {
        expect(Object.keys(readProfile(raw))).toHaveLength(1);
      }),
    );
  });

  it('moves forward only', () => {
    expect(mayProcess('pending', 'processing')).toBe(true);
    expect(mayProcess('pending', 'rejected')).toBe(true);
    expect(mayProcess('processing', 'completed')).toBe(true);
    expect(mayProcess('processing', 'processing')).toBe(false);
    expect(mayProcess('completed', 'rejected')).toBe(false);
    expect(mayProcess('rejected', 'processing')).toBe(false);
  });
});
