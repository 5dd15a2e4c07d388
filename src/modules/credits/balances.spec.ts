import { describe, expect, it } from 'vitest';
import { UsageTally } from './balances.js';

describe('a tally of usage', () => {
  it('adds up what is of one calling code and sender', () => {
    const tally = new UsageTally();
    tally.add('919812345678', '', 2);
    tally.add('917012345678', '', 3);
    tally.add('12025550100', '', 1);
    tally.add('442071234567', 'ACME', 4);
    tally.add('44', 'ACME', 10, 5);
    expect(tally.shares).toEqual([
      { prefix: '91', sender: '', recipients: 2, credits: 5 },
      { prefix: '1', sender: '', recipients: 1, credits: 1 },
      { prefix: '44', sender: 'ACME', recipients: 6, credits: 14 },
    ]);
  });

  it('leaves out who is free, and keeps a number of no country', () => {
    const tally = new UsageTally();
    tally.add('919812345678', '', 0);
    tally.add('IN.1234567890', '', 1);
    expect(tally.shares).toEqual([{ prefix: '', sender: '', recipients: 1, credits: 1 }]);
    expect(new UsageTally().shares).toEqual([]);
  });
});
