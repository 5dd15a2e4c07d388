import { describe, expect, it } from 'vitest';
import { cellOfRequestId, isRequestId, newRequestId } from './request-id.js';

const AT = { at: new Date('2026-05-01T20:00:00Z'), zone: 'Asia/Kolkata' };

describe('newRequestId', () => {
  it('has the form of its channel, with the day of the account', () => {
    expect(newRequestId('GSMCAMP', 6, AT)).toMatch(/^GSMCAMP_20260502_[A-Z0-9]{6}$/);
    expect(newRequestId('VCAMP', 8, AT)).toMatch(/^VCAMP_20260502_[A-Z0-9]{8}$/);
  });

  it('carries the letter of its cell in the same form', () => {
    expect(newRequestId('GSMCAMP', 6, { ...AT, cell: 'b' })).toMatch(/^GSMCAMP_20260502_B[A-Z0-9]{5}$/);
    expect(newRequestId('WCAMP', 8, { ...AT, cell: 'z' })).toMatch(/^WCAMP_20260502_Z[A-Z0-9]{7}$/);
  });
});

describe('isRequestId', () => {
  it('takes what a campaign can have, and nothing that the database could not compare', () => {
    const ids = ['a', 'order-1', 'x'.repeat(64), '0f9c8b7a-6d5e-4c3b-2a19-08f7e6d5c4b3', newRequestId('VCAMP', 8, AT)];
    expect(ids.filter(isRequestId)).toEqual(ids);
    expect(['', 'é', 'a b', 'a\n', 'x'.repeat(65), 'a/b'].filter(isRequestId)).toEqual([]);
  });
});

describe('cellOfRequestId', () => {
  it('reads the letter of what was generated', () => {
    for (const cell of 'abcxyz') {
      expect(cellOfRequestId(newRequestId('GSMCAMP', 6, { ...AT, cell }))).toBe(cell);
      expect(cellOfRequestId(newRequestId('MY-OWN', 8, { ...AT, cell }))).toBe(cell);
    }
  });

  it('reads none where there is none', () => {
    const others = ['order-1', 'GSMCAMP_20260501_4BCDEF', 'GSMCAMP_20260501_ABCDE', 'GSMCAMP_2026_ABCDEF', ''];
    for (const id of [
      ...others,
      'GSMCAMP_20260501_ABCDEFG',
      'GSMCAMP_20260501_abcdef',
      '0f9c8b7a-6d5e-4c3b-2a19-08f7e6d5c4b3',
    ])
      expect(cellOfRequestId(id), id).toBeNull();
  });
});
