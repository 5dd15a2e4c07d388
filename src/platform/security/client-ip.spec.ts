import { describe, expect, it } from 'vitest';
import { isInIpRanges, normalIpRange } from './client-ip.js';

describe('normalIpRange', () => {
  it.each([
    ['10.0.0.7', '10.0.0.7'],
    [' 10.0.0.7 ', '10.0.0.7'],
    ['10.0.0.7/32', '10.0.0.7'],
    ['10.0.0.7/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8::7', '2001:db8::7'],
    ['2001:db8::7/128', '2001:db8::7'],
    ['2001:db8::7/32', '2001:db8::/32'],
    ['::/0', '::/0'],
    ['::ffff:10.0.0.7', '10.0.0.7'],
    ['::ffff:10.0.0.7/104', '10.0.0.0/8'],
  ])('reads %s as %s', (text, range) => {
    expect(normalIpRange(text)).toBe(range);
  });

  it.each([
    '',
    ' ',
    '1',
    '127.1',
    '010.0.0.1',
    '0x7f000001',
    '256.0.0.1',
    '10.0.0.1/33',
    '10.0.0.1/',
    '10.0.0.1/-1',
    '10.0.0.1/8/8',
    '10.0.0.1/8x',
    '::ffff:10.0.0.7/95',
    '2001:db8::/129',
    'fe80::1%eth0',
    'host.example',
    '*',
  ])('refuses %j', (text) => {
    expect(normalIpRange(text)).toBeNull();
  });
});

describe('isInIpRanges', () => {
  it('compares addresses of one family, IPv4 in IPv6 clothes too', () => {
    const ranges = ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '2001:db9::1'];
    for (const ip of ['10.255.0.1', '192.0.2.7', '::ffff:10.1.1.1', '2001:db8:ffff::1', '2001:db9::1']) {
      expect([ip, isInIpRanges(ip, ranges)]).toEqual([ip, true]);
    }
    for (const ip of ['11.0.0.1', '192.0.2.8', '2001:db7::1', '2001:db9::2', '::a00:1', 'unknown', '']) {
      expect([ip, isInIpRanges(ip, ranges)]).toEqual([ip, false]);
    }
    expect(isInIpRanges('203.0.113.1', ['0.0.0.0/0'])).toBe(true);
    expect(isInIpRanges('2001:db8::1', ['0.0.0.0/0'])).toBe(false);
    expect(isInIpRanges('10.0.0.1', [])).toBe(false);
  });
});
