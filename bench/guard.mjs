import { addAccounts } from '../test/stage/accounts.mjs';
import { size } from '../test/stage/figures.mjs';
import { load, tokensOf } from './hot.mjs';
import { inTurn, ratio } from './results.mjs';
import { onStage } from './stage.mjs';

const ROUNDS = size('GUARD_ROUNDS', 6);
const WARM_UP_SECONDS = 2;
const ACCOUNTS = 1_000;
const NUMBERS = 16;
const MANY = 1_000_000_000;
const LIMITS = { per_second: MANY, per_minute: MANY, per_day: MANY };

/** Every term, so wide that no request meets it. */
const TERMS = {
  countries: ['IN'],
  prefixes: ['4479'],
  special_prefixes: ['4490'],
  limits: { sms: LIMITS, chat: LIMITS, voice: LIMITS },
  ...{ credits_per_day: MANY, new_prefixes_per_day: MANY, calls_at_once: MANY, max_price: MANY },
  ...{ burst_numbers: MANY, sequential_numbers: 10, conversion_percent: 10 },
};

/** Numbers far from each other, of as many prefixes. */
const numbers = Array.from({ length: NUMBERS }, (_, index) => String(919_812_340_567 + 4_567_891 * index));

/** Broadcasts of one contact at 64 connections by accounts that the guard checks, over those by accounts without terms. */
export const benchGuard = onStage(async (set, say) => {
  const api = await set.start('api');
  await set.signInAt(api);
  const ids = await addAccounts(set.pool, 2 * ACCOUNTS);
  await set.pool.query('UPDATE accounts SET guard = ? WHERE id IN (?)', [JSON.stringify(TERMS), ids.slice(ACCOUNTS)]);
  const tokens = tokensOf(ids, set.environment.JWT_SECRET);
  const senders = { 'one account': 1, '1,000 accounts': ACCOUNTS };
  const lines = [];
  for (const [name, count] of Object.entries(senders)) {
    const costs = [];
    const way = (from) => async () => {
      const { rate, cost } = await load(api, { tokens: tokens.slice(from, from + count), numbers });
      costs.push({ from, cost });
      return rate;
    };
    for (const from of [0, ACCOUNTS])
      await load(api, { tokens: tokens.slice(from, from + count), numbers }, WARM_UP_SECONDS);
    const ways = { guarded: way(ACCOUNTS), free: way(0) };
    const rates = await inTurn(ways, { rounds: ROUNDS, unit: '/s', say, of: name });
    const of = (wanted) => costs.filter(({ from }) => from === wanted).map(({ cost }) => cost);
    const [guarded, free] = [of(ACCOUNTS), of(0)];
    const pairs = guarded.map((cost, index) => ({ guarded: cost, free: free[index] }));
    lines.push(ratio(rates, ['guarded', 'free'], { name: `accepts of ${name}`, goal: 'at least 0.97', unit: '/s' }));
    const processor = { name: `processor time of the API, ${name}`, goal: 'none', unit: 'µs' };
    lines.push(ratio(pairs, ['guarded', 'free'], processor));
  }
  return lines;
});
