import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { ROOT } from '../../scripts/lib/environment.mjs';

const FILE = join(ROOT, 'docs/faults.md');
const [BEGIN, END] = ['<!-- the command writes what follows -->', '<!-- until here -->'];
const HEAD = ['fault', 'what happens', 'invariants', 'recovered, s', 'messages', 'unknown', 'doubled', 'lost'];
const cells = (line) => line.split('|').slice(1, -1).map((cell) => cell.trim()); // prettier-ignore

/** Rows that stand there, by fault. */
function formerRows(text) {
  const lines = text.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(lines.map((line) => [cells(line)[0].replaceAll('`', ''), cells(line)]));
}

/** One row of several rounds: the worst recovery, and the sums of the rest. */
function rowOf({ name, shown }, results) {
  const total = (field) => results.reduce((sum, { figures }) => sum + figures[field], 0);
  const broken = [...new Set(results.flatMap(({ violations }) => violations.map(({ invariant }) => invariant)))].sort();
  const recovered = Math.max(...results.map(({ recoveredMs }) => recoveredMs)) / 1_000;
  const unseen = total('unseen');
  const unknown = `${total('unknown')}${unseen > 0 ? ` (${unseen} never arrived)` : ''}`;
  const ok = broken.length === 0 ? 'ok' : broken.join(', ');
  return [`\`${name}\``, shown, ok, recovered.toFixed(1), total('messages'), unknown, total('doubled'), total('lost')].map(String); // prettier-ignore
}

/**
 * Writes the table of docs/faults.md: rows of strikes that have run, former rows of those that have not; the prose stays.
 * @param strikes all there are, in their order @param results those of the seed
 */
export async function writeTable(strikes, { byName, rounds, strikes: struck }, { seed, seconds }) {
  const text = readFileSync(FILE, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/faults.md has lost the marks ${BEGIN} and ${END}`);
  const former = formerRows(text);
  const rows = strikes.flatMap((strike) => {
    const own = byName.get(strike.name);
    if (own !== undefined) return [rowOf(strike, own)];
    return former.has(strike.name) ? [former.get(strike.name)] : [];
  });
  const all = [HEAD, HEAD.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
  const last = `Last run: \`npm run test:faults -- --seconds ${seconds} --rounds ${rounds} --seed ${seed}\`, ${struck} strikes.`;
  const whole = `${text.slice(0, begin)}${BEGIN}\n\n${all}\n\n${last}\n\n${text.slice(end)}`;
  writeFileSync(
    FILE,
    await format(whole, { filepath: FILE, ...JSON.parse(readFileSync(join(ROOT, '.prettierrc.json'), 'utf8')) }),
  );
}
