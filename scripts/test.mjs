/**
 * `npm test`: the set-up of `npm start` on servers of its own, then every check.
 * `npm test -- unit lint` runs the named checks only; `npm test -- integration test/integration/x.test.ts` hands paths
 * to vitest. Names: see CHECKS. `--update` writes the snapshots again instead of comparing them.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ensureBrowser } from './lib/browser.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { ROOT, dataDirectory, ensureSecrets, requireNode, testEnvironment } from './lib/environment.mjs';
import { ensureGo } from './lib/golang.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Lifetime } from './lib/lifetime.mjs';
import { ensurePromtool } from './lib/promtool.mjs';
import { run, takeLock } from './lib/processes.mjs';
import { Explained, complain, print, say, seconds } from './lib/progress.mjs';
import { ensureServers } from './lib/servers.mjs';
import { ensureClientTypes } from './lib/client.mjs';
import { ensureWebTypes } from './lib/web.mjs';

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
const cached = ['--cache', '--cache-strategy', 'content'];

/** Every check, in the order of the summary: its title, what it runs, and what has to be there before. */
const CHECKS = {
  format: {
    title: 'Formatting (prettier)',
    ...tool('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', ...cached, '.'),
  },
  // without a cache: rules that know types judge a file by what other files say
  lint: {
    title: 'Lint (eslint)',
    needs: ['webTypes', 'clientTypes'],
    ...tool('eslint/bin/eslint.js', '-c', '.config/eslint.config.mjs', '--max-warnings', '0', '.'),
  },
  types: {
    title: 'Types (tsc, sources and tests)',
    needs: ['clientTypes'],
    ...tool('typescript/bin/tsc', '-p', 'test/tsconfig.json'),
  },
  'web-types': {
    title: 'Types (tsc, web application)',
    needs: ['webTypes'],
    ...tool('typescript/bin/tsc', '-p', 'web/tsconfig.json'),
  },
  rules: {
    title: 'Architecture rules (dependency-cruiser)',
    ...tool('dependency-cruiser/bin/dependency-cruise.mjs', '--config', '.config/dependency-cruiser.cjs', 'src'),
  },
  build: { title: 'Build', needs: ['build'] },
  openapi: {
    title: 'OpenAPI document (redocly)',
    ...tool('@redocly/cli/bin/cli.js', 'lint', '--config', '.config/redocly.yaml', 'docs/openapi.json'),
  },
  unit: { title: 'Unit tests', ...vitest('unit') },
  architecture: {
    title: 'Whole-house tests and drift checks',
    needs: ['servers', 'golang', 'promtool'],
    ...vitest('architecture'),
  },
  integration: {
    title: 'Integration and contract tests',
    needs: ['servers', 'clientTypes'],
    ...vitest('integration'),
  },
  web: { title: 'Web application in a browser', needs: ['servers', 'browser', 'build'], ...vitest('web') },
  e2e: { title: 'End-to-end tests', needs: ['servers', 'browser', 'build'], ...vitest('e2e') },
};

/** What runs side by side: the checks without servers beside those with servers, and those that mostly wait. */
const LANES = [
  ['rules', 'openapi', 'types', 'web-types', 'format', 'unit', 'lint'],
  ['architecture', 'integration', 'web'],
  ['build', 'e2e'],
];

/**
 * Passed and failed tests of one check. What failed but in no test counts as one: a check without tests, a file that
 * could not be loaded, a hook, a check of all tests together.
 */
function totals(ok, file) {
  const report = file !== null && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  const failed = report?.numFailedTests ?? 0;
  return { passed: report?.numPassedTests ?? 0, failed: ok ? failed : Math.max(1, failed) };
}

/** Runs a function once, however often it is asked for. */
const once = (work) => {
  let result;
  return () => (result ??= work());
};

/** What checks need before they begin, each made once, and at the same time as the others where it can be. */
function preparations(environment, directory) {
  const installed = once(ensureInstalled);
  const options = { durable: false };
  const servers = once(() => ensureServers(environment, directory, (stop) => lifetime.onEnd(stop), options));
  // all of them may install packages of the system, which one can at a time
  let queue = null;
  const behind = (work) => once(() => (queue = (queue ?? servers()).then(work)));
  return {
    installed,
    servers,
    build: once(() => installed().then(ensureBuilt)),
    webTypes: once(() => installed().then(ensureWebTypes)),
    clientTypes: once(() => installed().then(ensureClientTypes)),
    browser: behind(ensureBrowser),
    golang: behind(ensureGo),
    promtool: behind(ensurePromtool),
  };
}

/** Arguments and environment of a check's process. */
function command(name, settings, reports) {
  const { args, project } = CHECKS[name];
  const env = { ...settings, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  if (project === undefined) return { args, env };
  const report = join(reports, `${project}.json`);
  rmSync(report, { force: true });
  const update = process.argv.includes('--update') ? '--update=all' : '--update=none';
  return { args: [...args, `--outputFile.json=${report}`, '--passWithNoTests', ...paths, update], env };
}

/** Runs a command whose output goes to the terminal, or, when others run beside it, to a file until it has ended. */
async function runCheck({ args, env }, log) {
  if (log === null) return run(process.execPath, args, { cwd: ROOT, env });
  const output = openSync(log, 'w');
  const colours = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  try {
    await run(process.execPath, args, { cwd: ROOT, env: { ...env, ...colours }, stdio: ['ignore', output, output] });
  } finally {
    closeSync(output);
  }
}

/** The last lines of a failed check, for the end of the output: a log that is cut keeps its end. */
const RECALLED_LINES = 60;

/** Lines of a log that tell of no fault: tests that passed, and what tools say of progress. */
const QUIET = /^\s*[✓√]/u;

function recall(name, reports) {
  const log = join(reports, `${name}.log`);
  if (!existsSync(log)) return;
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  heading(`${CHECKS[name].title}: the end of what it said`);
  print(
    lines
      .filter((line) => !QUIET.test(stripVTControlCharacters(line)))
      .slice(-RECALLED_LINES)
      .join('\n'),
  );
}

const heading = (title) => print(`\n━━ ${title} ${'━'.repeat(Math.max(0, 76 - title.length))}`);

async function test() {
  requireNode();
  const names = Object.keys(CHECKS);
  const unknown = chosen.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Explained(`Unknown check: ${unknown.join(', ')}. Known: ${names.join(', ')}`);
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
  const wanted = names.filter((name) => chosen.length === 0 || chosen.includes(name));
  const ready = preparations(environment, directory);
  const settings = { ...ensureSecrets(environment, directory), DATA_DIR: directory };

  const lanes = LANES.map((lane) => lane.filter((name) => wanted.includes(name))).filter((lane) => lane.length > 0);
  const results = new Map();
  const judge = async (name) => {
    const { title, needs = [], args } = CHECKS[name];
    const log = lanes.length > 1 ? join(reports, `${name}.log`) : null;
    const servers = needs.includes('servers') ? ready.servers() : {};
    await Promise.all([ready.installed(), ...needs.filter((need) => need !== 'build').map((need) => ready[need]())]);
    if (log === null) heading(title);
    const began = Date.now();
    const work = async () => {
      if (needs.includes('build')) await ready.build();
      if (args) await runCheck(command(name, { ...settings, ...(await servers) }, reports), log);
    };
    const fault = await work().then(
      () => null,
      (error) => error,
    );
    if (lifetime.isEnding) return;
    if (fault !== null && !(fault instanceof Explained)) throw fault;
    const took = Date.now() - began;
    results.set(name, { ok: fault === null, took });
    if (log !== null) {
      heading(title);
      if (args && existsSync(log)) print(readFileSync(log, 'utf8').trimEnd());
    }
    say(`${name}: ${fault === null ? 'ok' : 'FAILED'} (${seconds(took)})`);
  };
  await Promise.all(
    lanes.map(async (lane) => {
      for (const name of lane) if (!lifetime.isEnding) await judge(name);
    }),
  );
  if (lifetime.isEnding) return;

  const failures = wanted.filter((name) => !results.get(name).ok);
  if (lanes.length > 1) for (const name of failures) recall(name, reports);

  const sums = { passed: 0, failed: 0 };
  print('');
  for (const name of wanted) {
    const { title, project } = CHECKS[name];
    const { ok, took } = results.get(name);
    print(`  ${ok ? 'ok    ' : 'FAILED'} ${title} (${seconds(took)})`);
    const { passed, failed } = totals(ok, project === undefined ? null : join(reports, `${project}.json`));
    sums.passed += passed;
    sums.failed += failed;
  }
  await lifetime.end(failures.length === 0 ? 0 : 1, () => print(`\n${sums.passed} passed, ${sums.failed} failed`));
}

await test().catch((error) => {
  if (!lifetime.isEnding) complain(error);
  return lifetime.end(1);
});
