import { describe, expect, it } from 'vitest';
import { contactWarnings } from './warnings.js';

const RULE = {
  field: 'contacts',
  read: (entry: unknown) => (typeof entry === 'string' && /^\d{3}$/.test(entry) ? entry : null),
  wanted: 'a number has 3 digits',
} as const;
const removed = { ...RULE, duplicates: 'removed' } as const;

describe('what a send says of contacts that it leaves out', () => {
  it('is nothing when it took all', () => {
    expect(contactWarnings(['123', '456'], removed)).toEqual([]);
    expect(contactWarnings('123', removed)).toEqual([]);
  });

  it('is how many, and where the first stands', () => {
    expect(contactWarnings(['123', 'x', null, '456', '123', '123'], removed)).toEqual([
      {
        code: 'contacts_left_out',
        field: 'contacts',
        count: 2,
        message: 'Left out: 2, the first is contacts[1]; a number has 3 digits',
      },
      { code: 'contacts_repeated', field: 'contacts', count: 2, message: 'Left out: 2, which stand there before' },
    ]);
  });

  it('is nothing of those that come again where each is charged', () => {
    expect(contactWarnings(['123', '123'], { ...RULE, duplicates: 'charged' })).toEqual([]);
  });
});
