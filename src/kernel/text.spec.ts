import { describe, expect, it } from 'vitest';
import { likePrefix, spellings } from './text.js';

describe('what is searched for', () => {
  it('is taken literally', () => {
    expect(likePrefix('a_b%c\\')).toBe('a\\_b\\%c\\\\%');
  });

  it('is spelt as names are', () => {
    expect(spellings('aNNa')).toEqual(['aNNa', 'anna', 'Anna', 'ANNA']);
    expect(spellings('anna')).toEqual(['anna', 'Anna', 'ANNA']);
    expect(spellings('123')).toEqual(['123']);
    expect(spellings('élan')).toEqual(['élan', 'Élan', 'ÉLAN']);
  });
});
