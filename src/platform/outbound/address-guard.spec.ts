import { describe, expect, it } from 'vitest';
import { isAllowedAddress, readRanges } from './address-guard.js';

describe('the address guard', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '224.0.0.1',
    '198.18.0.1',
    '192.0.2.1',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '::7f00:1',
    '::10.0.0.1',
    '::ffff:0:7f00:1',
    '2001:0:7f00:1::',
    '5f00::1',
    'fec0::1',
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '2002:7f00:1::',
    '2001:db8::1',
    'not an address',
    '',
  ])('refuses %s', (address) => {
    expect(isAllowedAddress(address, [])).toBe(false);
  });

  it.each(['8.8.8.8', '93.184.216.34', '2606:2800:220:1::1', '::ffff:8.8.8.8'])('allows %s', (address) => {
    expect(isAllowedAddress(address, [])).toBe(true);
  });

  it('refuses the addresses of this machine, whatever they are, until OUTBOUND_ALLOW names them', () => {
    const own = (): string[] => ['93.184.216.34', '2606:2800:220:1::1', 'fe80::1%eth0'];
    for (const address of ['93.184.216.34', '::ffff:93.184.216.34', '2606:2800:220:1:0:0:0:1']) {
      expect(isAllowedAddress(address, [])).toBe(true);
      expect(isAllowedAddress(address, [], own)).toBe(false);
      expect(isAllowedAddress(address, readRanges('93.184.216.0/24, 2606:2800::/32'), own)).toBe(true);
    }
    expect(isAllowedAddress('168.63.129.16', readRanges('168.63.129.16/32'))).toBe(true);
  });

  it('opens what OUTBOUND_ALLOW names, and says which entry is none', () => {
    const ranges = readRanges('127.0.0.0/8, fd00::/8');
    expect(isAllowedAddress('127.9.9.9', ranges)).toBe(true);
    expect(isAllowedAddress('::ffff:127.0.0.1', ranges)).toBe(true);
    expect(isAllowedAddress('fd12::1', ranges)).toBe(true);
    expect(isAllowedAddress('10.0.0.1', ranges)).toBe(false);
    expect(() => readRanges('localhost')).toThrow('OUTBOUND_ALLOW');
  });
});
