import { describe, expect, it } from 'vitest';
import { sourceFiles } from './house.js';
import { PoolReach } from './pool-reach.js';

describe('code that was given a transaction', () => {
  // The compiler reads the whole service, which takes a busy machine a while.
  it(
    'never reaches the pool, whoever it calls: with enough of it at once, all wait for a second connection',
    { timeout: 240_000 },
    () => {
      const reach = new PoolReach();
      expect(reach.size.inTransactions).toBeGreaterThan(100);
      expect(reach.size.reaching).toBeGreaterThan(200);
      expect(reach.faults()).toEqual([]);
    },
  );
});

describe('several statements in one text', () => {
  it('are sent by the connections of packets alone: everywhere else an injected statement stays one error', () => {
    const allowing = sourceFiles('src').filter(({ text }) => /multipleStatements/.test(text));
    expect(allowing.map(({ path }) => path)).toEqual(['src/platform/database/packets.ts']);
  });
});
