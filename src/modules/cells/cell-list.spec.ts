import { afterEach, describe, expect, it, vi } from 'vitest';
import { Metrics } from '../../platform/observability/index.js';
import { CellList } from './cell-list.js';

const CELLS = [
  { cell: 'a', url: 'http://127.0.0.1:1' },
  { cell: 'b', url: 'http://127.0.0.1:2' },
];

describe('a cell that could not be reached', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is asked last for a second, and is said to be down until a request reaches it', () => {
    let now = 5_000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const cells = new CellList({ CELLS }, new Metrics());
    cells.missed('a');
    expect([cells.upFirst(), cells.isUp('a'), cells.isUp('b')]).toEqual([['b', 'a'], false, true]);
    now += 1_001;
    expect([cells.upFirst(), cells.isUp('a')]).toEqual([['a', 'b'], false]);
    cells.met('a');
    expect([cells.upFirst(), cells.isUp('a')]).toEqual([['a', 'b'], true]);
  });
});
