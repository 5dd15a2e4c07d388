import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortContacts } from './contacts.js';
import { readNumber as readContact } from './phone-numbers.js';

describe('sorting contacts', () => {
  it('charges per entry or once, and names what a send refuses', async () => {
    const contacts = ['919812345678', '+91 98123 45678', 919812345678, '123456789', 'x', 1.5, undefined, true, [1]];
    expect(await sortContacts(contacts, readContact, 'charged')).toEqual({
      charged: ['919812345678', '919812345678', '919812345678', '123456789'],
      invalid: [
        ['x', 'has letters'],
        ['1.5', 'looks like a decimal of a spreadsheet'],
        ['undefined', 'is missing'],
        ['true', 'is neither a text nor a whole number'],
        ['[array]', 'is neither a text nor a whole number'],
      ].map(([value, refused], at) => ({
        row: at + 5,
        value,
        reason: 'number_invalid',
        message: `number ${refused}`,
      })),
      refused: 5,
      duplicates: ['919812345678'],
      duplicatesCount: 2,
    });
    const once = await sortContacts(contacts, readContact, 'removed');
    expect(once.charged).toEqual(['919812345678', '123456789']);
  });

  it('charges both spellings of a person, as a send does', async () => {
    const spellings = ['5511961234567', '551161234567'];
    expect(await sortContacts(spellings, readContact, 'removed')).toMatchObject({ charged: spellings, duplicates: [] });
    const kept = await sortContacts(spellings, readContact, 'charged');
    expect(kept).toMatchObject({ charged: spellings, duplicates: ['551161234567'], duplicatesCount: 1 });
  });

  it('adds up, whatever comes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.anything()), async (contacts) => {
        const { charged, refused } = await sortContacts(contacts, readContact, 'charged');
        expect(charged.length + refused).toBe(contacts.length);
      }),
    );
  });

  it('names a hundred of each at the most, and counts all', async () => {
    const numbers = Array.from({ length: 101 }, (_, index) => String(919_812_345_000 + index));
    const bad = numbers.map((number) => `${number.slice(0, 3)}-${number.slice(-4)}`);
    const sorted = await sortContacts([...numbers, ...bad, ...numbers], readContact, 'charged');
    expect([sorted.charged.length, sorted.refused]).toEqual([202, 101]);
    expect(sorted.invalid.map(({ value }) => value)).toEqual(bad.slice(0, 100));
    expect(sorted.duplicates).toEqual(numbers.slice(0, 100));
  });

  it('lets others have their turn', async () => {
    let ticks = 0;
    setImmediate(() => (ticks += 1));
    await sortContacts(new Array<number>(5_000).fill(1), readContact, 'charged');
    expect(ticks).toBe(1);
  });
});
