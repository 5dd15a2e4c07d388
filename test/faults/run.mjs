/**
 * `npm run test:faults -- --seconds 5 [--only redis-killed,…] [--rounds 10 [--first 6]] [--seed 7] [--keep-document] [--list]`: real
 * processes under traffic over all channels, one fault after another, and what must hold after each (docs/faults.md, whose
 * table it writes). `--lies` falsifies the books instead, and sees whether that is noticed.
 */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dataDirectory, testEnvironment } from '../../scripts/lib/environment.mjs';
import { Lifetime } from '../../scripts/lib/lifetime.mjs';
import { print, say } from '../../scripts/lib/progress.mjs';

const SHOWN = 12;
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '1' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000) % 100_000) },
    list: { type: 'boolean', default: false },
    lies: { type: 'boolean', default: false },
    'keep-document': { type: 'boolean', default: false },
  },
});

/** Every strike of test/faults/strikes, by the names of the files. */
async function loadStrikes() {
  const files = readdirSync(join(import.meta.dirname, 'strikes')).filter((file) => file.endsWith('.mjs')).sort(); // prettier-ignore
  const modules = await Promise.all(files.map((file) => import(`./strikes/${file}`)));
  const strikes = modules.flatMap((module) => module.default ?? []);
  // what spoils a scene comes last: each of these needs one of its own
  return strikes.sort((a, b) => Number(a.spoils ?? false) - Number(b.spoils ?? false));
}

/** Logs of the processes and all violations, for whoever looks into it. */
function keepEvidence(scene, name, result) {
  const home = join(dataDirectory(testEnvironment()), 'faults', `${options.seed}-${name}`);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  cpSync(scene.logs, home, { recursive: true });
  writeFileSync(join(home, 'violations.json'), JSON.stringify(result, null, 2));
  return home;
}

function tell(strike, { violations, figures, recoveredMs }, home) {
  const { messages, requests, unanswered, unknown, unseen, doubled, lost } = figures;
  const told = `${messages} messages of ${requests} requests (${unanswered} without an answer), ${unknown} unknown (${unseen} never arrived), ${doubled} doubled, ${lost} lost`;
  print(
    `  ${violations.length === 0 ? 'ok  ' : 'FAIL'} ${strike.name}: recovered in ${(recoveredMs / 1_000).toFixed(1)} s; ${told}`,
  );
  for (const { invariant, text, number, requestId } of violations.slice(0, SHOWN)) {
    print(
      `       ${invariant} ${text} [seed ${options.seed}, ${strike.name}, recipient ${number ?? '-'}, ${requestId ?? '-'}]`,
    );
  }
  if (violations.length > SHOWN) print(`       and ${violations.length - SHOWN} more`);
  if (home) print(`       logs and all violations: ${home}`);
}

const strikes = await loadStrikes();
if (options.list) {
  for (const { name, shown } of strikes) print(`${name.padEnd(28)} ${shown}`);
  process.exit(0);
}
const names = options.only === '' ? strikes.map(({ name }) => name) : options.only.split(',');
const unknown = names.filter((name) => !strikes.some((strike) => strike.name === name));
if (unknown.length > 0) {
  print(`There is no fault ${unknown.join(', ')}; --list shows them`);
  process.exit(2);
}

const lifetime = new Lifetime();
// loaded late: what they need is not there before the first installation
const [{ Seed }, { openScene }, { runStrike }, { writeTable }, { Results }] = await Promise.all(
  ['seed', 'scene', 'strike', 'table', 'results'].map((name) => import(`./${name}.mjs`)),
);
/** One run without a fault, whose books are falsified. @returns how many lies were not noticed */
async function checkLies(seed) {
  const { LIES, tellLies } = await import('./lies.mjs');
  scene = await openScene(seed.of('scene'));
  const calm = strikes.find(({ name }) => name === 'none');
  const own = {
    number: 1,
    seconds: Number(options.seconds),
    say: (text) => say(`  ${text}`),
    beforeVerdict: tellLies,
  };
  const { violations } = await runStrike(scene, calm, seed, own);
  const noticed = LIES.map(({ invariant, sees }) =>
    violations.find((violation) => violation.invariant === invariant && sees.test(violation.text)),
  );
  for (const [place, { invariant, sees }] of LIES.entries()) {
    const violation = noticed[place];
    print(`  ${violation ? 'noticed' : 'MISSED '} ${invariant}: ${violation?.text ?? sees.source}`);
  }
  return noticed.filter((violation) => !violation).length;
}

let scene = null;
lifetime.onEnd(async () => scene?.close());
let runs = 0;
let failures = 0;
try {
  say(`Seed ${options.seed}`);
  if (options.lies) await lifetime.end(await checkLies(new Seed(Number(options.seed))));
  const results = new Results(options);
  for (let round = Number(options.first); round <= Number(options.rounds); round++) {
    const seed = new Seed(Number(options.seed), round);
    for (const strike of strikes.filter(({ name }) => names.includes(name))) {
      // one that begins with other processes than the rest
      if (strike.open) {
        await scene?.close();
        scene = null;
      }
      scene ??= await openScene(seed.of('scene'), strike.open);
      runs += 1;
      say(`Round ${round}: ${strike.name}`);
      const own = { number: runs, seconds: Number(options.seconds), say: (text) => say(`  ${text}`) };
      const result = await runStrike(scene, strike, seed.of(strike.name), own);
      const isBroken = result.violations.length > 0;
      failures += Number(isBroken);
      tell(strike, result, isBroken ? keepEvidence(scene, `${round}-${strike.name}`, result) : null);
      results.add(round, strike.name, result);
      // at once: a run that is stopped keeps what it has found
      if (!options['keep-document']) await writeTable(strikes, results.all(), options);
      if (isBroken || strike.spoils) {
        await scene.close();
        scene = null;
      }
    }
  }
  await lifetime.end(failures === 0 ? 0 : 1, () =>
    print(`\n${runs - failures} of ${runs} held (seed ${options.seed}).`),
  );
} catch (error) {
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  await lifetime.end(1);
}
