import { describe, expect, it } from 'vitest';

interface Figures {
  [name: string]: number;
}
interface Module {
  figuresOf: (campaign: unknown) => Figures;
  deliveredShare: (figures: Figures) => number | null;
  segmentsOf: (figures: Figures) => { name: string; count: number; from: number; width: number }[];
}

// a path that the compiler does not follow: pages are typed by a project of their own
const path: string = '../src/campaigns/figures.js';
const { figuresOf, deliveredShare, segmentsOf } = (await import(/* @vite-ignore */ path)) as Module;

const campaign = (status_counts: Record<string, number>, suppressed = 0) => ({
  total_rows: Object.values(status_counts).reduce((sum, count) => sum + count, 0),
  status_counts,
  failure_reasons: suppressed === 0 ? [] : [{ message: 'Suppressed', count: suppressed }],
});

describe('the key figures of a campaign', () => {
  it.each([
    [{ PP1: 3, SENT: 2, DELIVERED: 4, FAILED: 3, CANCELLED: 1 }, 2, 4 / 7],
    [{ PENDING: 1, INITIATED: 1, ANSWERED: 2, NO_ANSWER: 1, BUSY: 1, FAILED: 1 }, 0, 2 / 6],
    [{ DELIVERED: 1, READ: 1 }, 0, 1],
  ])('%j sum to the recipients', (counts, suppressed, share) => {
    const { total = 0, ...groups } = figuresOf(campaign(counts, suppressed));
    expect(Object.values(groups).reduce((sum, count) => sum + count, 0)).toBe(total);
    expect(deliveredShare({ ...groups, total })).toBeCloseTo(share);
    expect(groups['suppressed']).toBe(suppressed);
  });

  it.each([
    [{ PP1: 5 }, 0],
    [{ CANCELLED: 5 }, 0],
    [{ FAILED: 5 }, 5],
    [{}, 0],
  ] as const)('of %j: nothing was sent, so no share of it was delivered', (counts, suppressed) => {
    expect(deliveredShare(figuresOf(campaign(counts, suppressed)))).toBeNull();
  });

  it('fill a bar without a gap, in which one of a million is seen', () => {
    const segments = segmentsOf(figuresOf(campaign({ DELIVERED: 999_998, FAILED: 1, CANCELLED: 1 })));
    expect(segments.map(({ name }) => name)).toEqual(['Delivered', 'Failed', 'Cancelled']);
    expect(Math.min(...segments.map(({ width }) => width))).toBeGreaterThan(0.9);
    const last = segments.at(-1);
    expect((last?.from ?? 0) + (last?.width ?? 0)).toBeCloseTo(100);
  });
});
