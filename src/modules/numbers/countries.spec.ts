import { expect, it } from 'vitest';
import { countryNamed, countryOfZone, isCountry } from './countries.js';

it.each([
  ['Asia/Kolkata', 'IN'],
  ['Asia/Calcutta', 'IN'],
  ['Europe/London', 'GB'],
  ['America/Sao_Paulo', 'BR'],
  ['America/New_York', 'US'],
  ['Asia/Dubai', 'AE'],
  ['Africa/Lagos', 'NG'],
  ['Europe/Kyiv', 'UA'],
  ['UTC', null],
  ['Etc/GMT+3', null],
  ['Mars/Olympus', null],
  ['', null],
])('the zone %s is of %s', (zone, country) => {
  expect(countryOfZone(zone)).toBe(country);
});

it.each([
  ['IN', 'IN'],
  ['in', 'IN'],
  [' India ', 'IN'],
  ['united kingdom', 'GB'],
  ['Brazil', 'BR'],
  ['XX', null],
  ['Bharat', null],
  ['', null],
])('the text %j names %s', (text, country) => {
  expect(countryNamed(text)).toBe(country);
});

it('knows codes as they are written in ISO 3166', () => {
  expect(['IN', 'in', 'XX', '', 'toString', 'INDIA'].map(isCountry)).toEqual([true, false, false, false, false, false]);
});
