import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { planOf, type RoutingRule, type RuledSend, RuleIndex } from './route-plan.js';

const rule = (over: Partial<RoutingRule>): RoutingRule => ({
  table: 'main',
  place: 1,
  prefixes: [],
  accounts: null,
  categories: null,
  routes: [1],
  ...over,
});

const digits = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom('1', '2'), { minLength: 1, maxLength }).map((some) => some.join(''));
const accounts = fc.nat({ max: 2 });
const category = fc.constantFrom('x', 'y');
const some = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<ReadonlySet<T> | null> =>
  fc.option(fc.array(of, { maxLength: 2 }).map((list) => new Set(list)));

const anyRules: fc.Arbitrary<RoutingRule[]> = fc
  .array(
    fc.record({
      table: fc.constantFrom('a', 'b', 'c'),
      prefixes: fc.array(digits(4), { maxLength: 3 }),
      accounts: some(accounts),
      categories: some(category),
      routes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 12 },
  )
  .map((rules) => rules.map((one, at) => ({ ...one, place: at + 1 })));

const anySend: fc.Arbitrary<RuledSend> = fc.record({ accountId: accounts, category: fc.option(category) });

/** The words of reference/routing#order, one after another, over all rules. */
function naive(rules: RoutingRule[], send: RuledSend, number: string, usable: ReadonlySet<number>): number[] | null {
  const fits = rules.flatMap((one) => {
    if (one.accounts && !one.accounts.has(send.accountId)) return [];
    if (one.categories && (send.category === null || !one.categories.has(send.category))) return [];
    const chain = one.routes.filter((id) => usable.has(id));
    if (chain.length === 0) return [];
    const lengths = one.prefixes.filter((prefix) => number.startsWith(prefix)).map(({ length }) => length);
    if (one.prefixes.length === 0) lengths.push(0);
    return lengths.length === 0 ? [] : [{ one, chain, length: Math.max(...lengths) }];
  });
  fits.sort(
    (a, b) =>
      b.length - a.length ||
      Number(b.one.accounts !== null) - Number(a.one.accounts !== null) ||
      Number(b.one.categories !== null) - Number(a.one.categories !== null) ||
      a.one.table.localeCompare(b.one.table) ||
      a.one.place - b.one.place,
  );
  return fits[0]?.chain ?? (usable.has(9) ? [9] : null);
}

function check(rules: RoutingRule[], send: RuledSend, routes: number[], numbers: string[]): void {
  const usable = new Set(routes);
  const index = new RuleIndex(rules);
  const standard = usable.has(9) ? 9 : null;
  const plan = planOf({ index, send, named: null, standard, isUsable: (id) => usable.has(id) });
  for (const number of numbers) {
    const expected = naive(rules, send, number, usable);
    expect(plan?.chainOf(number) ?? null).toEqual(expected);
    if (plan?.only) expect(plan.only).toEqual(expected);
  }
}

describe('rules by prefix', () => {
  it('choose what going through all of them chooses, whatever they are', () => {
    fc.assert(
      fc.property(anyRules, anySend, fc.uniqueArray(fc.constantFrom(1, 2, 3, 4, 5, 9)), fc.array(digits(6)), check),
      { numRuns: 3_000 },
    );
  });

  it('are asked for once a length of prefix, however many there are', () => {
    const rules = Array.from({ length: 1_000 }, (_, at) =>
      rule({
        place: at + 1,
        prefixes: Array.from({ length: 100 }, (_none, i) => String(91_0000 + at * 100 + i).padEnd(6 + (i % 10), '7')),
        routes: [1 + (at % 5)],
      }),
    );
    const index = new RuleIndex(rules);
    const plan = planOf({
      index,
      send: { accountId: 1, category: null },
      named: null,
      standard: 9,
      isUsable: () => true,
    });
    const numbers = Array.from({ length: 10_000 }, (_, at) => String(910_000_000_000 + at * 9_973_331));
    const asked = vi.spyOn(Map.prototype, 'get');
    let found = 0;
    try {
      for (const number of numbers) found += plan?.chainOf(number)?.[0] ?? 0;
      expect(asked.mock.calls.length).toBeLessThanOrEqual(numbers.length * 12);
    } finally {
      asked.mockRestore();
    }
    expect(found).toBeGreaterThan(0);
  });
});

describe('a plan', () => {
  const base = { send: { accountId: 7, category: null }, named: null, standard: 9, isUsable: () => true };

  it('is one chain where no rule is for the sender', () => {
    const others = new RuleIndex([rule({ prefixes: ['91'], accounts: new Set([8]) })]);
    expect(planOf({ ...base, index: others })?.only).toEqual([9]);
    const category = new RuleIndex([rule({ prefixes: ['91'], categories: new Set(['otp']) })]);
    expect(planOf({ ...base, index: category })?.only).toEqual([9]);
    expect(planOf({ ...base, index: category, send: { accountId: 7, category: 'otp' } })?.only).toBeNull();
  });

  it('is one chain where its rules are for every number', () => {
    const index = new RuleIndex([rule({ accounts: new Set([7]), routes: [3, 4] })]);
    expect(planOf({ ...base, index })?.only).toEqual([3, 4]);
    expect(planOf({ ...base, index, isUsable: (id) => id === 4 })?.only).toEqual([4]);
    expect(planOf({ ...base, index, isUsable: () => false })?.only).toEqual([9]);
    expect(planOf({ ...base, index, standard: null, isUsable: () => false })).toBeNull();
  });

  it('is the named route alone', () => {
    const index = new RuleIndex([rule({ prefixes: ['91'], routes: [3, 4] })]);
    expect(planOf({ ...base, index, named: 5 })?.only).toEqual([5]);
  });

  it('gives equal chains as the same object', () => {
    const index = new RuleIndex([
      rule({ prefixes: ['91'], routes: [3, 4] }),
      rule({ prefixes: ['44'], routes: [3, 4] }),
    ]);
    const plan = planOf({ ...base, index });
    expect(plan?.chainOf('911')).toBe(plan?.chainOf('441'));
    expect(plan?.chainOf('1')).toEqual([9]);
  });
});
