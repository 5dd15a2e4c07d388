import { expect, it } from 'vitest';
import { seenOf } from './seen-numbers.js';

const row = (from: number, count: number, step = 1): string[] =>
  Array.from({ length: count }, (_, index) => String(from + step * index));
const ANY = { burst: null, sequential: null };

it('has each prefix and each different number once', () => {
  const seen = seenOf(['919812345678', '919812345679', '919812345678', '919899990000'], { burst: 1, sequential: 5 });
  expect(seen.prefixes.sort()).toEqual(['91981234', '91989999']);
  expect(seen.numbers).toEqual(['919812345678', '919812345679', '919899990000']);
  expect(seen.sequence).toBeNull();
});

it('finds more numbers next to each other than are allowed, in any order', () => {
  const numbers = [...row(919812340100, 6), ...row(919700000000, 5_000, 77)].reverse();
  expect(seenOf(numbers, { burst: null, sequential: 6 }).sequence).toBeNull();
  expect(seenOf(numbers, { burst: null, sequential: 5 }).sequence).toMatchObject({ prefix: '91981234' });
});

it('shows no numbers where nothing counts them, and the densest prefixes of a large send', () => {
  const dense = row(919812340000, 300, 30);
  const numbers = [...row(919100000000, 20_000, 10_003), ...dense];
  expect(seenOf(numbers, ANY).numbers).toEqual([]);
  const { numbers: counted, prefixes } = seenOf(numbers, { burst: 5, sequential: null });
  expect(prefixes[0]).toBe('91981234');
  expect(counted.length).toBeLessThanOrEqual(1_000);
  expect(dense.every((number) => counted.includes(number))).toBe(true);
});

it('looks at 100,000 numbers in a bounded time', () => {
  const numbers = row(910000000000, 100_000, 9_973);
  const begun = performance.now();
  seenOf(numbers, { burst: 20, sequential: 10 });
  expect(performance.now() - begun).toBeLessThan(5_000);
});
