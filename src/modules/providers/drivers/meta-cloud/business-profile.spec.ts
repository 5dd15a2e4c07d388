import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readProfile } from './business-profile.js';

const EMPTY = {
  about: '',
  address: '',
  description: '',
  email: '',
  profile_picture_url: '',
  websites: [],
  vertical: '',
};

describe('reading a profile from the provider', () => {
  it('takes the fields of reference/business-profile#fields and fills what is missing', () => {
    const profile = {
      about: 'Bread',
      websites: ['https://a.example', 7],
      email: null,
      messaging_product: 'x',
      id: '1',
    };
    expect(readProfile({ data: [profile] })).toEqual({ ...EMPTY, about: 'Bread', websites: ['https://a.example'] });
    for (const nothing of [[], [null], ['text'], [{}]]) expect(readProfile({ data: nothing })).toEqual(EMPTY);
  });

  it.each([{}, { data: null }, { data: {} }, { data: 'x' }])('%j is no answer of this API', (body) => {
    expect(() => readProfile(body)).toThrow('Provider did not answer');
  });

  it('has texts and a list of texts, whatever the provider says', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(EMPTY)), fc.anything()), (profile) => {
        const { websites, ...texts } = readProfile({ data: [profile] });
        expect(Object.keys({ ...texts, websites }).sort()).toEqual(Object.keys(EMPTY).sort());
        expect([...Object.values(texts), ...websites].every((value) => typeof value === 'string')).toBe(true);
      }),
    );
  });
});
