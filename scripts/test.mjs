/**
 * `npm test`: the set-up of `npm start` on servers of its own, then every check.
 * `npm test -- unit lint` runs the named checks only; `npm test -- integration test/integration/x.test.ts` hands paths
 * to vitest. Names: see CHECKS. `--update` writes the snapshots again instead of comparing them.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ensureBuilt } from './lib/build.mjs';
import { ROOT, dataDirectory, ensureSecrets, requireNode, testEnvironment } from './lib/environment.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Lifetime } from './lib/lifetime.mjs';
import { run, takeLock } from './lib/processes.mjs';
import { Explained, complain, print, say, seconds } from './lib/progress.mjs';
import { ensureServers } from './lib/servers.mjs';
import { ensureClientTypes } from './lib/client.mjs';
import { ensureTestProgram, TEST_PROGRAMS } from './lib/test-programs.mjs';
import {
  errorLines,
  faultLines,
  filesAgain,
  passedIn,
  passedTests,
  readReport,
  unhandledErrors,
} from './lib/test-report.mjs';
import { ensureWebTypes } from './lib/web.mjs';

const lifetime = new Lifetime();
const chosen = process.argv.slice(2).filter((argument) => !/[/.]/.test(argument) && !argument.startsWith('-'));
const UPDATE = '--update';
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
  e2e: {
    title: 'End-to-end tests',
    needs: ['servers', 'browser', 'databaseClient', 'build'],
    ...vitest('e2e'),
  },
};

/** What runs side by side: the checks without servers beside those with servers, and those that mostly wait. */
const LANES = [
  ['rules', 'openapi', 'types', 'web-types', 'format', 'unit', 'lint'],
  ['architecture', 'integration', 'web'],
  ['build', 'e2e'],
];

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
    ...Object.fromEntries(TEST_PROGRAMS.map((name) => [name, behind(() => ensureTestProgram(name))])),
  };
}

/** Arguments and environment of a check's process; `report` is what vitest writes, `files` are all that it runs. */
function command(name, settings, report, files) {
  const { args, project } = CHECKS[name];
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  // answers-check.ts judges both looks together
  const answers = {
    ANSWERS_DIRECTORY: join(dirname(report), 'answers'),
    ANSWERS_OF: files === paths ? 'first look' : 'both looks',
  };
  const env = { ...settings, ...quiet, ...answers };
  if (project === undefined) return { args, env };
  rmSync(report, { force: true });
  const update = process.argv.includes(UPDATE) ? '--update=all' : '--update=none';
  return { args: [...args, `--outputFile.json=${report}`, '--passWithNoTests', ...files, update], env };
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

/**
 * Files that fail while others run beside them are run once more when nothing else runs: a machine that stops a process
 * for seconds is no fault of ours. They are named at the end all the same, since a race is one. More of them than this
 * are a fault that a second look would only repeat.
 */
const MOST_SECOND_LOOKS = 30;

/** The first faults of a check that the summary tells. */
const MOST_FAULT_LINES = 10;

const heading = (name) => print(`\n━━ ${CHECKS[name].title} ${'━'.repeat(76 - CHECKS[name].title.length)}`);

async function test() {
  requireNode();
  const names = Object.keys(CHECKS);
  const options = process.argv.slice(2).filter((argument) => argument.startsWith('-') && argument !== UPDATE);
  const unknown = [...chosen.filter((name) => !names.includes(name)), ...options];
  if (unknown.length > 0) {
    throw new Explained(`Unknown: ${unknown.join(', ')}. Known: ${names.join(', ')}, ${UPDATE}, and paths of tests`);
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
  /** Runs one check, or only some of its files, and tells how it ended. */
  const look = async (name, suffix = '', files = paths) => {
    const { needs = [], args } = CHECKS[name];
    const log = lanes.length > 1 ? join(reports, `${name}${suffix}.log`) : null;
    const report = join(reports, `${name}${suffix}.json`);
    const servers = needs.includes('servers') ? ready.servers() : {};
    await Promise.all([ready.installed(), ...needs.filter((need) => need !== 'build').map((need) => ready[need]())]);
    if (log === null) heading(name);
    const began = Date.now();
    const work = async () => {
      if (needs.includes('build')) await ready.build();
      if (args) await runCheck(command(name, { ...settings, ...(await servers) }, report, files), log);
    };
    const fault = await work().then(
      () => null,
      (error) => error,
    );
    if (fault !== null && !(fault instanceof Explained) && !lifetime.isEnding) throw fault;
    const took = Date.now() - began;
    if (log !== null && !lifetime.isEnding) {
      heading(name);
      if (args && existsSync(log)) print(readFileSync(log, 'utf8').trimEnd());
    }
    const ok = fault === null;
    if (!lifetime.isEnding) say(`${name}: ${ok ? 'ok' : 'FAILED'} (${seconds(took)})`);
    const errors = ok || log === null || !existsSync(log) ? [] : unhandledErrors(readFileSync(log, 'utf8'));
    return { ok, took, log, report: readReport(report), errors };
  };
  await Promise.all(
    lanes.map(async (lane) => {
      for (const name of lane) if (!lifetime.isEnding) results.set(name, await look(name));
    }),
  );
  for (const [name, first] of results) {
    // Without a log nothing is known of errors that nobody awaited, which a second look would hide.
    const files = first.ok || paths.length > 0 || first.log === null ? [] : filesAgain(first.report, first.errors);
    if (files.length === 0 || files.length > MOST_SECOND_LOOKS || lifetime.isEnding) continue;
    say(`${name}: a second look at ${files.join(', ')}`);
    results.set(name, { ...first, second: await look(name, '-second', files), files });
  }
  if (lifetime.isEnding) return;
  const { lines, sums } = summary(wanted, results);
  print(`\n${lines.join('\n')}`);
  await lifetime.end(sums.failed === 0 ? 0 : 1, () => print(`\n${sums.passed} passed, ${sums.failed} failed`));
}

/** The end of the output, which a log that is cut keeps: each check with its first faults, and the sums. */
function summary(wanted, results) {
  const sums = { passed: 0, failed: 0 };
  const lines = [];
  for (const name of wanted) {
    const first = results.get(name);
    const { took, report, second, files = [] } = first;
    const last = second ?? first;
    lines.push(`  ${last.ok ? 'ok    ' : 'FAILED'} ${CHECKS[name].title} (${seconds(took)})`);
    const notes = last.ok ? files.map((file) => `${file} failed beside the others, and passed alone`) : faultsOf(last);
    lines.push(...notes.map((note) => `         ${note}`));
    sums.passed += passedTests(report) + (second ? passedTests(second.report) - passedIn(report, files) : 0);
    // a check without tests, a file that could not be loaded, a hook, a check of all tests together
    sums.failed += last.ok ? 0 : Math.max(1, last.report?.numFailedTests ?? 0);
  }
  return { lines, sums };
}

/** The first faults of a check; the end of what it said when it failed outside of tests. */
function faultsOf({ log, report, errors }) {
  const faults = [...faultLines(report), ...errorLines(errors)];
  if (faults.length > 0 || log === null || !existsSync(log)) return faults.slice(0, MOST_FAULT_LINES);
  return stripVTControlCharacters(readFileSync(log, 'utf8')).trimEnd().split('\n').slice(-MOST_FAULT_LINES);
}

await test().catch((error) => {
  if (!lifetime.isEnding) complain(error);
  return lifetime.end(1);
});
