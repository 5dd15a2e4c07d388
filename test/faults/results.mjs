import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirectory, testEnvironment } from '../../scripts/lib/environment.mjs';

/**
 * How the strikes of a seed ended, in a file for each run: rounds that were run one after the other, or side by side
 * (`--first`), stand in one table.
 */
export class Results {
  #directory;
  #file;

  /** @param {{ seed: string, seconds: string, first: string }} options of the run; what its file held before is gone */
  constructor({ seed, seconds, first }) {
    this.#directory = join(dataDirectory(testEnvironment()), 'faults', `results-${seed}-${seconds}`);
    this.#file = join(this.#directory, `${first}.ndjson`);
    mkdirSync(this.#directory, { recursive: true });
    writeFileSync(this.#file, '');
  }

  add(round, name, { violations, figures, recoveredMs }) {
    const broken = violations.map(({ invariant }) => ({ invariant }));
    appendFileSync(
      this.#file,
      `${JSON.stringify({ round, name, result: { violations: broken, figures, recoveredMs } })}\n`,
    );
  }

  /** All of the seed, by fault; and of how many rounds. */
  all() {
    const files = readdirSync(this.#directory);
    const lines = files.flatMap((file) => readFileSync(join(this.#directory, file), 'utf8').split('\n').slice(0, -1));
    const found = lines.map((line) => JSON.parse(line));
    const byName = new Map();
    for (const { name, result } of found) byName.set(name, [...(byName.get(name) ?? []), result]);
    return { byName, rounds: new Set(found.map(({ round }) => round)).size, strikes: found.length };
  }
}
