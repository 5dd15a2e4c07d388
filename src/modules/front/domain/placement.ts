import { createHash } from 'node:crypto';

/**
 * The cells that take new accounts, in the order in which this network is to try them: always the same for it, so that a limit
 * by address is one limit, and over many networks by the weights (rendezvous hashing).
 * @param weights empty = all take alike
 */
export function placesFor(
  network: string,
  cells: readonly string[],
  weights: ReadonlyMap<string, number>,
): readonly string[] {
  return cells
    .map((cell) => ({ cell, weight: weights.size === 0 ? 1 : (weights.get(cell) ?? 0) }))
    .filter(({ weight }) => weight > 0)
    .map(({ cell, weight }) => ({ cell, score: -weight / Math.log(lot(`${cell} ${network}`)) }))
    .sort((a, b) => b.score - a.score)
    .map(({ cell }) => cell);
}

/** Between 0 and 1, both left out. */
const lot = (text: string): number => (createHash('sha256').update(text).digest().readUIntBE(0, 6) + 1) / (2 ** 48 + 2);
