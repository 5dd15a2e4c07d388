import { describe, expect, it } from 'vitest';
import { UrgentFirst } from './urgent-first.js';

const taken = (queue: UrgentFirst<string>): string[] => {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
};

describe('a queue with urgent items', () => {
  it('lets them go first, each kind in its order', () => {
    const queue = new UrgentFirst<string>();
    for (const item of ['a', 'b']) queue.push(item);
    for (const item of ['x', 'y']) queue.push(item, true);
    expect(queue.length).toBe(4);
    expect(taken(queue)).toEqual(['x', 'y', 'a', 'b']);
    expect(queue.length).toBe(0);
  });

  it('lets one of the others go after nine of them, however many come', () => {
    const queue = new UrgentFirst<string>();
    for (const item of ['a', 'b', 'c']) queue.push(item);
    const seen: (string | undefined)[] = [];
    for (let urgent = 0; urgent < 30; urgent++) {
      queue.push(`u${urgent}`, true);
      seen.push(queue.shift());
    }
    expect(seen.flatMap((item, turn) => (item?.startsWith('u') ? [] : [[item, turn]]))).toEqual([
      ['a', 9],
      ['b', 19],
      ['c', 29],
    ]);
    expect(seen.filter((item) => item?.startsWith('u'))).toEqual(Array.from({ length: 27 }, (_, index) => `u${index}`));
  });

  it('gives up what is over, and keeps the order of the rest', () => {
    const queue = new UrgentFirst<string>();
    for (const item of ['a', 'b', 'c', 'd']) queue.push(item);
    for (const item of ['x', 'y', 'z']) queue.push(item, true);
    expect(queue.remove((item) => 'bdy'.includes(item))).toEqual(['y', 'b', 'd']);
    expect(taken(queue)).toEqual(['x', 'z', 'a', 'c']);
  });
});
