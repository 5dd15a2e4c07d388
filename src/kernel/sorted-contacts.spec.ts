import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanContact } from './phone-number.js';
import { sortContacts } from './sorted-contacts.js';

const readContact = (entry: unknown): string | null => cleanContact(entry, 9, 30);

describe('sorting contacts', () => {
  it('charges per entry or once, and names what a send refuses', () => {
    const contacts = ['919812345678', '+91 98123 45678', 919812345678, '123456789', 'x', 1.5, undefined, true, [1]];
    expect(sortContacts(contacts, readContact, 'charged')).toEqual({
      charged: ['919812345678', '919812345678', '919812345678', '123456789'],
      invalid: ['x', '1.5', 'undefined', 'true', '[array]'],
      duplicates: ['919812345678'],
    });
    expect(sortContacts(contacts, readContact, 'removed').charged).toEqual(['919812345678', '123456789']);
  });

  it('adds up, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.anything()), (contacts) => {
        const { charged, invalid } = sortContacts(contacts, readContact, 'charged');
        expect(charged.length + invalid.length).toBe(contacts.length);
      }),
    );
  });
});
