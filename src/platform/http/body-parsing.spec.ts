import { describe, expect, it } from 'vitest';
import { fromForm, markForm } from './body-parsing.js';

const form = (body: Record<string, unknown>): Record<string, unknown> => {
  markForm(body);
  return body;
};
const FIELDS = { lists: ['contacts'], json: ['buttons'] };

describe('fromForm', () => {
  it('leaves a JSON body as it stands', () => {
    const body = { contacts: '919,918', buttons: '[1]' };
    expect(fromForm(body, FIELDS)).toBe(body);
  });

  it('splits lists at commas and reads arrays and objects as JSON text', () => {
    expect(fromForm(form({ contacts: '919,918', buttons: '[{"a":1}]', message: 'a,b' }), FIELDS)).toEqual({
      contacts: ['919', '918'],
      buttons: [{ a: 1 }],
      message: 'a,b',
    });
  });

  it('takes repeated fields and PHP’s brackets', () => {
    expect(fromForm(form({ 'contacts[]': ['919', '918,917'] }), FIELDS)).toEqual({ contacts: ['919', '918', '917'] });
    expect(fromForm(form({ message: ['a', 'b'] }), FIELDS)).toEqual({ message: 'b' });
  });

  it('keeps an empty list empty and broken JSON a text', () => {
    expect(fromForm(form({ contacts: ' ', buttons: '[' }), FIELDS)).toEqual({ contacts: ' ', buttons: '[' });
  });

  it('makes an empty body of what is no object', () => {
    for (const odd of [undefined, null, 1, 'text', [], ['a']]) expect(fromForm(odd, FIELDS)).toEqual({});
  });
});
