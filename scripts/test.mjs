/**
 * `npm test`: the set-up of `npm start` on servers of its own, then every check.
 * `npm test -- unit lint` runs the named checks only; `npm test -- integration test/engine/lanes.test.ts` hands paths
 * to vitest. Names: see `checks.mjs`. `--update` writes the snapshots again instead of comparing them, `--without chart,browser`
 * leaves out what needs these programs, `--on-mysql` runs everything on MySQL.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureBuilt } from './lib/build.mjs';
import { CHECKS, LANES, PARTS, readArguments } from './lib/checks.mjs';
import { ensureClientTypes } from './lib/client.mjs';
import {
  ROOT,
  dataDirectory,
  ensureSecrets,
  requireNode,
  testEnvironment,
  throwAwayDirectory,
} from './lib/environment.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Lifetime } from './lib/lifetime.mjs';
import { run, takeLock } from './lib/processes.mjs';
import { Explained, complain, print, say, seconds } from './lib/progress.mjs';
import { ensureServers, missingServers } from './lib/servers.mjs';
import { ensureMysql, isMysql, serverVersion } from './lib/test-mysql.mjs';
import { ensureTestProgram, installations, TEST_PROGRAMS } from './lib/test-programs.mjs';
import { filesAgain, readReport, unhandledErrors } from './lib/test-report.mjs';
import { leftOutLines, summary } from './lib/test-summary.mjs';
import { hasPassed, markOf, notePassed } from './lib/unchanged.mjs';
import { ensureWebTypes } from './lib/web.mjs';

const lifetime = new Lifetime();
const { names: wanted, paths, without, update, onMysql, unknown, known } = readArguments(process.argv.slice(2));

/** Runs a function once, however often it is asked for. */
const once = (work) => {
  let result;
  return () => (result ??= work());
};

/** Data of tests are thrown away. */
const SERVERS = { durable: false, preferred: 'mariadb' };

/** What checks need before they begin, each made once, and at the same time as the others where it can be. */
function preparations(environment, directory) {
  const installed = once(ensureInstalled);
  const onStarted = (stop) => lifetime.onEnd(stop);
  const data = throwAwayDirectory(directory);
  if (data !== directory) lifetime.onEnd(async () => rmSync(data, { recursive: true, force: true }));
  const options = { ...SERVERS, data };
  const beside = once(() => installed().then(() => ensureMysql(environment, data, onStarted)));
  const servers = once(async () => {
    if (!onMysql) return ensureServers(environment, directory, onStarted, options);
    const { reason, ...mysql } = await beside();
    if (reason !== undefined) throw new Explained(`There is no MySQL to run the tests on: ${reason}`);
    return { ...mysql, ...(await ensureServers({ ...environment, ...mysql }, directory, onStarted, options)) };
  });
  // all of them may install packages of the system, which one can at a time
  let queue = null;
  const behind = (work) => once(() => (queue = (queue ?? servers()).then(work)));
  const mysql = async () => {
    const { DATABASE_URL } = await servers();
    const needless =
      environment.DATABASE_URL_MYSQL === undefined && isMysql(await serverVersion(DATABASE_URL, 'DATABASE_URL'));
    return needless ? { reason: 'all tests run on MySQL here' } : beside();
  };
  return {
    installed,
    servers,
    mysql: once(() => installed().then(mysql)),
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
  const env = { ...settings, ...quiet, ...answers, TESTS_WITHOUT: without.join(',') };
  if (project === undefined) return { args, env };
  rmSync(report, { force: true });
  const snapshots = update ? '--update=all' : '--update=none';
  return { args: [...args, `--outputFile.json=${report}`, '--passWithNoTests', ...files, snapshots], env };
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
 * Files that fail while others run beside them are run once more when nothing else runs, to tell a race from a fault. More of
 * them than this are a fault that a second look would only repeat.
 */
const MOST_SECOND_LOOKS = 30;

const heading = (name) => print(`\n━━ ${CHECKS[name].title} ${'━'.repeat(76 - CHECKS[name].title.length)}`);

async function test() {
  requireNode();
  if (unknown.length > 0) throw new Explained(`Unknown: ${unknown.join(', ')}. Known: ${known}`);
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
  const needs = wanted.flatMap((name) => CHECKS[name].needs ?? []).filter((need) => !without.includes(need));
  announce(environment, directory, onMysql ? [...needs, 'mysql'] : needs);
  const ready = preparations(environment, directory);
  const settings = { ...ensureSecrets(environment, directory), DATA_DIR: directory };

  const lanes = LANES.map((lane) => lane.filter((name) => wanted.includes(name))).filter((lane) => lane.length > 0);
  const results = new Map();
  const leftOut = new Set(without.map((part) => `${PARTS[part].what}: --without ${part}`));
  /** Runs one check, or only some of its files, and tells how it ended. */
  const look = async (name, suffix = '', files = paths) => {
    const { args, onlyChanged = false } = CHECKS[name];
    const needs = (CHECKS[name].needs ?? []).filter((need) => !without.includes(need));
    const log = lanes.length > 1 ? join(reports, `${name}${suffix}.log`) : null;
    const report = join(reports, `${name}${suffix}.json`);
    const prepared = needs.filter((need) => need !== 'build').map((need) => ready[need]());
    const there = await Promise.all([ready.installed(), ...prepared]);
    for (const missing of there) if (typeof missing === 'string') leftOut.add(missing);
    const { reason, ...mysql } = needs.includes('mysql') ? await ready.mysql() : {};
    if (reason !== undefined) {
      leftOut.add(`${PARTS.mysql.what}: ${reason}`);
      return null;
    }
    const servers = needs.includes('servers') ? { ...(await ready.servers()), ...mysql } : {};
    const mark = onlyChanged ? markOf(args) : null;
    if (mark !== null && hasPassed(name, mark)) {
      say(`${name}: ok (nothing has changed since it passed)`);
      return { ok: true, took: 0, log: null, report: null, errors: [] };
    }
    if (log === null) heading(name);
    const began = Date.now();
    const work = async () => {
      if (needs.includes('build')) await ready.build();
      if (args) await runCheck(command(name, { ...settings, ...servers }, report, files), log);
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
    if (ok && mark !== null) notePassed(name, mark);
    if (!lifetime.isEnding) say(`${name}: ${ok ? 'ok' : 'FAILED'} (${seconds(took)})`);
    const errors = ok || log === null || !existsSync(log) ? [] : unhandledErrors(readFileSync(log, 'utf8'));
    return { ok, took, log, report: readReport(report), errors };
  };
  await Promise.all(
    lanes.map(async (lane) => {
      for (const name of lane) {
        const result = lifetime.isEnding ? null : await look(name);
        if (result !== null) results.set(name, result);
      }
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
  const titles = new Map(Object.entries(CHECKS).map(([name, { title }]) => [name, title]));
  const { lines, sums } = summary(
    new Map(wanted.flatMap((name) => (results.has(name) ? [[name, results.get(name)]] : []))),
    titles,
  );
  print(`\n${[...lines, ...leftOutLines([...leftOut])].join('\n')}`);
  await lifetime.end(sums.failed === 0 ? 0 : 1, () => print(`\n${sums.passed} passed, ${sums.failed} failed`));
}

/** Says what will be installed, before it is. */
function announce(environment, directory, needs) {
  const missing = needs.includes('servers') ? missingServers(environment, directory, SERVERS) : [];
  const own = onMysql ? missing.filter(({ name }) => name !== 'database') : missing;
  const lines = installations(needs, own, { mysqlUrl: environment.DATABASE_URL_MYSQL });
  for (const line of lines) say(line);
}

await test().catch((error) => {
  if (!lifetime.isEnding) complain(error);
  return lifetime.end(1);
});
