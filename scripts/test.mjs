/**
 * `npm test`: the set-up of `npm start` on servers of its own, then every check.
 * `npm test -- unit lint` runs the named checks only; `npm test -- integration test/integration/x.test.ts` hands paths
 * to vitest. Names: see CHECKS. `--update` writes the snapshots again instead of comparing them.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBrowser } from './lib/browser.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { ROOT, dataDirectory, ensureSecrets, requireNode, testEnvironment } from './lib/environment.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Lifetime } from './lib/lifetime.mjs';
import { run, takeLock } from './lib/processes.mjs';
import { Explained, complain, print, say, seconds } from './lib/progress.mjs';
import { ensureServers } from './lib/servers.mjs';

const lifetime = new Lifetime();
const chosen = process.argv.slice(2).filter((argument) => !/[/.]/.test(argument) && !argument.startsWith('-'));
const paths = process.argv.slice(2).filter((argument) => /[/.]/.test(argument));

/** Runs a command line tool of node_modules with this Node. */
const tool = (file, ...args) => ({ args: [join(ROOT, 'node_modules', file), ...args] });
const vitest = (project) => ({
  project,
  args: [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    ...['run', '-c', '.config/vitest.config.ts', '--project', project, '--reporter=default', '--reporter=json'],
  ],
});

/** Every check in the order in which a fault is cheapest to find. */
const CHECKS = [
  ['format', 'Formatting (prettier)', tool('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.')],
  [
    'lint',
    'Lint (eslint)',
    tool('eslint/bin/eslint.js', '-c', '.config/eslint.config.mjs', '--max-warnings', '0', '.'),
  ],
  ['types', 'Types (tsc, sources and tests)', tool('typescript/bin/tsc', '-p', 'test/tsconfig.json')],
  [
    'rules',
    'Architecture rules (dependency-cruiser)',
    tool('dependency-cruiser/bin/dependency-cruise.mjs', '--config', '.config/dependency-cruiser.cjs', 'src'),
  ],
  ['build', 'Build', { build: true }],
  [
    'openapi',
    'OpenAPI document (redocly)',
    tool('@redocly/cli/bin/cli.js', 'lint', '--config', '.config/redocly.yaml', 'docs/openapi.json'),
  ],
  ['unit', 'Unit tests', vitest('unit')],
  ['architecture', 'Whole-house tests and drift checks', vitest('architecture')],
  ['integration', 'Integration and contract tests', vitest('integration')],
  ['e2e', 'End-to-end tests', vitest('e2e')],
];
const NEEDS_SERVERS = new Set(['architecture', 'integration', 'e2e']);
const NEEDS_BUILD = new Set(['architecture', 'integration', 'e2e']);

/** Tests of one vitest report; a file that could not even be loaded counts as one failed test. */
function totals(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const unloaded = report.testResults.filter(
    (suite) => suite.status === 'failed' && suite.assertionResults.length === 0,
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length };
}

async function check(work, environment, reports) {
  if (work.build) return ensureBuilt();
  const more = [];
  if (work.project !== undefined) {
    more.push(`--outputFile.json=${join(reports, `${work.project}.json`)}`, '--passWithNoTests', ...paths);
    more.push(process.argv.includes('--update') ? '--update=all' : '--update=none');
  }
  const env = { ...environment, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return run(process.execPath, [...work.args, ...more], { cwd: ROOT, env });
}

async function test() {
  requireNode();
  const unknown = chosen.filter((name) => !CHECKS.some(([known]) => known === name));
  if (unknown.length > 0) {
    throw new Explained(`Unknown check: ${unknown.join(', ')}. Known: ${CHECKS.map(([name]) => name).join(', ')}`);
  }
  const environment = testEnvironment();
  const directory = join(dataDirectory({}), 'test');
  const reports = join(directory, 'reports');
  mkdirSync(reports, { recursive: true });
  const lock = takeLock(
    join(directory, 'test.lock'),
    'test.mjs',
    (left) => `The tests of this checkout run already (process ${left.pid}).`,
  );
  lifetime.onEnd(async () => lock.free());
  await ensureInstalled();
  const wanted = CHECKS.filter(([name]) => chosen.length === 0 || chosen.includes(name));
  let settings = { ...ensureSecrets(environment, directory), DATA_DIR: directory };
  if (wanted.some(([name]) => NEEDS_SERVERS.has(name))) {
    settings = { ...settings, ...(await ensureServers(environment, directory, (stop) => lifetime.onEnd(stop))) };
  }
  if (wanted.some(([name]) => name === 'e2e')) await ensureBrowser();
  const needsBuild = wanted.some(([name]) => NEEDS_BUILD.has(name)) && !wanted.some(([name]) => name === 'build');
  if (needsBuild) await ensureBuilt();

  const results = [];
  for (const [name, title, work] of wanted) {
    print(`\n━━ ${title} ${'━'.repeat(Math.max(0, 76 - title.length))}`);
    if (work.project !== undefined) rmSync(join(reports, `${work.project}.json`), { force: true });
    const began = Date.now();
    const fault = await check(work, settings, reports).then(
      () => null,
      (error) => error,
    );
    if (lifetime.isEnding) return;
    if (fault !== null && !(fault instanceof Explained)) throw fault;
    results.push({ title, ok: fault === null, took: Date.now() - began, project: work.project });
    say(`${name}: ${fault === null ? 'ok' : 'FAILED'} (${seconds(Date.now() - began)})`);
  }
  const sums = { passed: 0, failed: 0 };
  for (const { project } of results) {
    if (project === undefined) continue;
    const { passed, failed } = totals(join(reports, `${project}.json`));
    sums.passed += passed;
    sums.failed += failed;
  }
  print('');
  for (const { title, ok, took } of results) print(`  ${ok ? 'ok    ' : 'FAILED'} ${title} (${seconds(took)})`);
  await lifetime.end(results.every((result) => result.ok) ? 0 : 1, () =>
    print(`\n${sums.passed} passed, ${sums.failed} failed`),
  );
}

await test().catch((error) => {
  if (!lifetime.isEnding) complain(error);
  return lifetime.end(1);
});
