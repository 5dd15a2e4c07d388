import { describe, expect, it } from 'vitest';
import { OPEN_TERMS } from '../accounts/index.js';
import { destinationName, dialledNumber, isAllowed, prefixOf } from './destinations.js';

const allowed = (terms: Partial<typeof OPEN_TERMS>, digits: string): boolean =>
  isAllowed({ ...OPEN_TERMS, ...terms }, digits);

describe('a number as it is dialled', () => {
  it.each([
    ['919812345678', 'IN', '919812345678'],
    ['00919812345678', 'IN', '919812345678'],
    ['00919812345678', null, '919812345678'],
    ['09812345678', 'IN', '919812345678'],
    ['09812345678', null, null],
    ['01188161234567', 'US', null],
    ['9812345678', 'IN', '9812345678'],
    ['9198123456781234', 'IN', null],
    ['IN.12345', 'IN', null],
    ['', 'IN', null],
  ])('%s in %s is %s', (given, country, dialled) => {
    expect(dialledNumber(given, country)).toBe(dialled);
  });
});

describe('a destination', () => {
  it.each([
    ['919812345678', { countries: ['IN'] }, true],
    ['919812345678', { countries: ['US'] }, false],
    ['919812345678', { countries: [] }, false],
    ['919812345678', { countries: [], prefixes: ['9198'] }, true],
    ['14155552671', { countries: ['US'] }, true],
    ['18765551234', { countries: ['US'] }, false],
    ['18765551234', { countries: ['JM'] }, true],
    ['19991234567', { countries: ['US'] }, false],
    ['19005551234', { countries: ['US'] }, false],
    ['19005551234', { countries: ['US'], special_prefixes: ['1900'] }, true],
    ['88161234567', { countries: null }, false],
    ['88161234567', { countries: null, prefixes: ['881'] }, false],
    ['88161234567', { countries: null, special_prefixes: ['8816'] }, true],
    ['870773123456', { countries: null }, false],
    ['97912345678', { countries: null }, false],
    ['449098765432', { countries: ['GB'] }, false],
    ['491805123456', { countries: ['DE'] }, false],
    ['4915112345678', { countries: ['DE'] }, true],
  ])('%s with %j: %s', (digits, terms, expected) => {
    expect(allowed(terms, digits)).toBe(expected);
  });

  it.each([
    ['88161234567', '881'],
    ['33612345678', '33'],
    ['18765551234', '1876'],
    ['449098765432', '44909'],
    ['999123456', '9991'],
  ])('%s is called %s', (digits, name) => {
    expect(destinationName(digits)).toBe(name);
  });

  it('belongs to the prefix before its last four digits', () => {
    expect(prefixOf('919812345678')).toBe('91981234');
  });
});
