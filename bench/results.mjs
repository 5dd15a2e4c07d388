/** Ways that are measured in turn, and what a run says of them. */
import { median } from '../test/stage/figures.mjs';

const MEETS = {
  'at most': (value, limit) => value <= limit,
  'at least': (value, limit) => value >= limit,
  '': (value, limit) => value === limit,
};
const MISSED = 'MISSED';

/**
 * `value (goal)` as one line of the results.
 * @param goal `at most 1.5`, `at least 0.75`, a number that it must be, or that there is none
 */
export function verdict(name, value, goal, text = '') {
  const [, how, limit] = /^(at most|at least|) ?([\d.]+)$/.exec(goal) ?? [];
  const isMet = limit === undefined || MEETS[how](value, Number(limit));
  return `${name}: ${value.toFixed(2)} (goal ${goal}${isMet ? '' : `, ${MISSED}`}) ${text}`.trimEnd();
}

/** Whether a line of the results misses its goal. */
export const isMissed = (line) => line.includes(`, ${MISSED})`);

const figure = (value, unit) => `${value.toFixed(value < 10 ? 2 : 0)}${unit.startsWith('/') ? unit : ` ${unit}`}`;

/** Figures by the names of their ways: `ours 94 ms, bare 75 ms`. */
const figures = (values, unit) =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${figure(value, unit)}`)
    .join(', ');

/**
 * Measures every way once a round. Another one begins each round, so that what a way leaves behind meets all alike.
 * @param ways functions by name that answer a figure
 * @param options rounds, and those before that do not count; the unit, `ms` or `/s`; `say` and what it says a round is of
 * @returns the rounds, each the figures by name
 */
export async function inTurn(ways, { rounds, warmUps = 0, unit, say, of }) {
  const names = Object.keys(ways);
  const found = [];
  for (let round = -warmUps; round < rounds; round++) {
    const values = Object.fromEntries(names.map((name) => [name, 0]));
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + Math.abs(round)) % names.length];
      values[name] = await ways[name]();
    }
    if (round < 0) continue;
    found.push(values);
    say(`${of}: ${figures(values, unit)}`);
  }
  return found;
}

/** The median of the ratios of two ways, as a line of the results. */
export function ratio(found, [one, other], { name, goal, unit }) {
  const medians = Object.fromEntries([one, other].map((way) => [way, median(found.map((values) => values[way]))]));
  const value = median(found.map((values) => values[one] / values[other]));
  return verdict(`${name}, ${one} / ${other}`, value, goal, figures(medians, unit));
}

/** The first of two ways against the second, measured in turn. @returns a line of the results */
export async function compare(ways, options) {
  return ratio(await inTurn(ways, { of: options.name, ...options }), Object.keys(ways), options);
}
