import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { debianEntry, parseList, parseSources, readAptSources, sourcesFile } from '../../scripts/lib/apt-sources.mjs';
import { CHECKS, LANES, ON_MYSQL, readArguments } from '../../scripts/lib/checks.mjs';
import { keptMysql, mysqlDirectory } from '../../scripts/lib/debian-mysql.mjs';
import { throwAwayDirectory } from '../../scripts/lib/environment.mjs';
import { databaseKind } from '../../scripts/lib/mariadb.mjs';
import { chooseDatabase } from '../../scripts/lib/servers.mjs';
import { leftOutLines, summary } from '../../scripts/lib/test-summary.mjs';
import { filesRead, hasPassed, markOf, notePassed } from '../../scripts/lib/unchanged.mjs';
import { ROOT } from './house.js';

const WHOLE = Object.keys(CHECKS);

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'test-command-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** A program that prints this, whatever it is asked. */
function program(name: string, output: string): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\necho '${output}'\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('the arguments of npm test', () => {
  it('are all checks without any, and each check runs in one lane', () => {
    expect(readArguments([])).toMatchObject({ names: WHOLE, paths: [], without: [], unknown: [] });
    expect(LANES.flat().sort()).toEqual([...WHOLE].sort());
  });

  it('name checks and hand paths to vitest', () => {
    const read = readArguments(['integration', 'test/rates/rates.test.ts', '--update']);
    expect(read).toMatchObject({ names: ['integration'], paths: ['test/rates/rates.test.ts'], update: true });
  });

  it.each([
    [['--without', 'browser,mysql'], ['browser', 'mysql'], WHOLE.filter((name) => !['web', 'mysql'].includes(name))],
    [['--without=chart', '--without', 'observability'], ['chart', 'observability'], WHOLE],
    [['e2e', 'web', '--without', 'browser'], ['browser'], ['e2e']],
  ])('%j leave out %j', (given, without, names) => {
    expect(readArguments(given)).toMatchObject({ without, names, unknown: [] });
  });

  it('run nothing twice on MySQL', () => {
    expect(readArguments(['--on-mysql']).names).toEqual(WHOLE.filter((name) => name !== 'mysql'));
  });

  it('refuse what nobody knows, and name what is known', () => {
    const read = readArguments(['integratoin', '--without', 'browsers', '--fast']);
    expect(read.unknown.sort()).toEqual(['--fast', 'browsers', 'integratoin']);
    const { status, stderr } = spawnSync(process.execPath, ['scripts/test.mjs', '--without', ''], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/Unknown: .*Known: format, .*chart, observability/s)]);
  });
});

describe('the files that run a second time on MySQL', () => {
  it.each(ON_MYSQL)('%s are there', (pattern) => {
    const name = new RegExp(`^${basename(pattern).replaceAll('.', '\\.').replace('*', '.+')}$`);
    const files = readdirSync(join(ROOT, dirname(pattern)));
    expect(files.filter((file) => name.test(file))).not.toEqual([]);
  });
});

/** One failed file of vitest's report. */
const failed = (file: string, fault = 'AssertionError: expected 1 to be 2\n    at x') => ({
  name: `${ROOT}${file}`,
  status: 'failed',
  message: '',
  assertionResults: [
    { status: 'passed', fullName: 'passes', failureMessages: [] },
    { status: 'failed', fullName: `counts ${file}`, failureMessages: [fault] },
  ],
});
const passes = (file: string) => ({
  name: `${ROOT}${file}`,
  status: 'passed',
  message: '',
  assertionResults: [
    { status: 'passed', fullName: 'passes', failureMessages: [] },
    { status: 'passed', fullName: `counts ${file}`, failureMessages: [] },
  ],
});
const reportOf = (...testResults: { assertionResults: { status: string }[] }[]): object => {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const count = (wanted: string): number => all.filter((status) => status === wanted).length;
  return { testResults, numPassedTests: count('passed'), numFailedTests: count('failed') };
};
const look = (ok: boolean, report: object, errors: { file: string; text: string }[] = []) => ({
  ok,
  took: 1_000,
  log: null,
  report,
  errors,
});
const TITLES = new Map([
  ['integration', 'Integration'],
  ['mysql', 'On MySQL'],
]);
const filesOf = (count: number, kind: string): string[] =>
  Array.from({ length: count }, (_, index) => `test/engine/${kind}-${index}.test.ts`);
/** A check in which these files failed at first, and only `again` at the second look. */
const twice = (files: string[], again: string[] = []) => ({
  ...look(false, reportOf(...files.map((file) => failed(file)))),
  files,
  second: look(
    again.length === 0,
    reportOf(...files.map((file) => (again.includes(file) ? failed(file) : passes(file)))),
  ),
});

describe('files that fail beside the others and pass alone', () => {
  it('are named with what failed first, and three of them do not fail the run', () => {
    const [a = '', b = '', c = ''] = filesOf(3, 'race');
    const { lines, sums } = summary(
      new Map([
        ['integration', twice([a, b])],
        ['mysql', twice([c])],
      ]),
      TITLES,
    );
    expect(sums).toEqual({ passed: 6, failed: 0 });
    expect(lines).toEqual([
      '  ok     Integration (1.0 s)',
      `         ${a} failed beside the others, and passed alone. What failed first:`,
      `           ${a} > counts ${a}: AssertionError: expected 1 to be 2`,
      `         ${b} failed beside the others, and passed alone. What failed first:`,
      `           ${b} > counts ${b}: AssertionError: expected 1 to be 2`,
      '  ok     On MySQL (1.0 s)',
      `         ${c} failed beside the others, and passed alone. What failed first:`,
      `           ${c} > counts ${c}: AssertionError: expected 1 to be 2`,
    ]);
  });

  it('fail the run when there are four, over all checks', () => {
    const { lines, sums } = summary(
      new Map([
        ['integration', twice(filesOf(2, 'race'))],
        ['mysql', twice(filesOf(2, 'other'))],
      ]),
      TITLES,
    );
    expect(sums.failed).toBe(1);
    expect(lines.at(-1)).toBe('  FAILED 4 files failed beside the others and passed alone, more than 3');
  });

  it('are named beside those that fail again', () => {
    const [race = '', fault = ''] = filesOf(2, 'file');
    const { lines, sums } = summary(new Map([['integration', twice([race, fault], [fault])]]), TITLES);
    expect(sums).toEqual({ passed: 3, failed: 1 });
    expect(lines.slice(0, 3)).toEqual([
      '  FAILED Integration (1.0 s)',
      `         ${fault} > counts ${fault}: AssertionError: expected 1 to be 2`,
      `         ${race} failed beside the others, and passed alone. What failed first:`,
    ]);
  });

  it('are named with an error that nobody awaited', () => {
    const [file = ''] = filesOf(1, 'late');
    const first = look(false, reportOf(passes(file)), [{ file, text: 'Uncaught Exception: TypeError: late' }]);
    const second = look(true, reportOf(passes(file)));
    const { lines } = summary(new Map([['integration', { ...first, files: [file], second }]]), TITLES);
    expect(lines.at(-1)).toBe(`           ${file}: Uncaught Exception: TypeError: late`);
  });
});

describe('the summary', () => {
  it('says what was left out', () => {
    expect(leftOutLines([])).toEqual([]);
    expect(leftOutLines(['the integration tests on MySQL: no mirror\nsaid apt']).join('\n')).toBe(
      '\n  LEFT OUT of this run:\n         the integration tests on MySQL: no mirror\n           said apt',
    );
  });
});

const DEB822 = `# comment
Types: deb deb-src
URIs: http://mirror.example/debian http://second.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
Enabled: no
URIs: http://off.example/debian
Suites: bookworm
Components: main

Types: deb
URIs: https://key.example/debian
Suites: sid
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mQINBF
 -----END PGP PUBLIC KEY BLOCK-----
`;
const ONE_LINE = `# deb http://off.example/debian bookworm main
deb https://packages.example/apt tool main
deb [arch=amd64 signed-by=/etc/apt/own.gpg] http://mirror.example/debian bookworm main contrib # ours
deb-src http://mirror.example/debian bookworm main
`;
const bookworm = { ID: 'debian', VERSION_CODENAME: 'bookworm' };

describe('the mirror of Debian', () => {
  it('is read from paragraphs', () => {
    const entries = parseSources(DEB822);
    expect(entries.map(({ uri }) => uri)).toEqual([
      'http://mirror.example/debian',
      'http://second.example/debian',
      'https://key.example/debian',
    ]);
    expect(entries[0]).toEqual({
      uri: 'http://mirror.example/debian',
      suites: ['bookworm', 'bookworm-updates'],
      components: ['main', 'contrib'],
      signedBy: '/usr/share/keyrings/debian-archive-keyring.gpg',
    });
    const [again] = parseSources(sourcesFile(entries[2] ?? { uri: '', suites: [], components: [] }, 'sid'));
    expect(again).toEqual(entries[2]);
  });

  it('is read from lines', () => {
    expect(parseList(ONE_LINE)).toEqual([
      { uri: 'https://packages.example/apt', suites: ['tool'], components: ['main'] },
      {
        uri: 'http://mirror.example/debian',
        suites: ['bookworm'],
        components: ['main', 'contrib'],
        signedBy: '/etc/apt/own.gpg',
      },
    ]);
  });

  it('is the one that this Debian comes from, and none on another system', () => {
    const entries = parseList(ONE_LINE);
    expect(debianEntry({ release: bookworm, entries })?.uri).toBe('http://mirror.example/debian');
    expect(debianEntry({ release: { ID: 'ubuntu', VERSION_CODENAME: 'bookworm' }, entries })).toBeNull();
    expect(debianEntry({ release: { ID: 'debian', VERSION_CODENAME: 'trixie' }, entries })).toBeNull();
  });

  it('is found in the files of apt', () => {
    mkdirSync(join(directory, 'etc/apt/sources.list.d'), { recursive: true });
    writeFileSync(join(directory, 'etc/os-release'), 'ID=debian\nVERSION_CODENAME="bookworm"\n');
    writeFileSync(join(directory, 'etc/apt/sources.list.d/tool.list'), 'deb https://packages.example/apt tool main\n');
    writeFileSync(join(directory, 'etc/apt/sources.list.d/debian.sources'), DEB822);
    expect(debianEntry(readAptSources(join(directory, 'etc')))?.uri).toBe('http://mirror.example/debian');
  });
});

describe('a server that was fetched', () => {
  it('is kept for the user, or for the machine where its own user cannot reach that', () => {
    expect(mysqlDirectory({ XDG_CACHE_HOME: directory.replace(/[^/]+$/, 'cache') })).toMatch(
      new RegExp(`(^${tmpdir()}/cache|^/var/cache)/switchboard/mysql-server-${process.arch}$`),
    );
  });

  it('is none without its launcher, which is written last', () => {
    const owner = join(directory, 'mysql-server');
    mkdirSync(join(owner, 'usr/sbin'), { recursive: true });
    expect(keptMysql(owner)).toBeNull();
    writeFileSync(join(owner, 'mysqld'), '');
    expect(keptMysql(owner)).toBe(join(owner, 'mysqld'));
  });
});

describe('a check that is skipped when nothing has changed', () => {
  it('runs again for any file of code, for other arguments, and never for what is generated', () => {
    const root = join(directory, 'checkout');
    for (const place of ['src', '.config', 'node_modules/x', '.data'])
      mkdirSync(join(root, place), { recursive: true });
    const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
    write('src/a.ts', 'a');
    write('.config/eslint.config.mjs', 'b');
    const mark = (...args: string[]): string => markOf(args, filesRead(root));
    const first = mark('.');
    const note = join(root, 'lint.passed');
    expect(hasPassed('lint', first, note)).toBe(false);
    notePassed('lint', first, note);
    write('node_modules/x/index.js', 'c');
    write('.data/report.json', 'c');
    expect([mark('.'), hasPassed('lint', mark('.'), note)]).toEqual([first, true]);
    expect(mark('.', '--fix')).not.toBe(first);
    write('.config/eslint.config.mjs', 'c');
    expect(hasPassed('lint', mark('.'), note)).toBe(false);
    write('.config/eslint.config.mjs', 'b');
    write('src/b.ts', '');
    expect(hasPassed('lint', mark('.'), note)).toBe(false);
  });

  it('reads the sources, the tests, the web application and the lock', () => {
    const files = new Set(filesRead().map((path) => path.slice(ROOT.length)));
    for (const path of ['package-lock.json', 'web/tsconfig.json', '.config/eslint.config.mjs', 'scripts/test.mjs'])
      expect([path, files.has(path)]).toEqual([path, true]);
    expect([...files].filter((path) => path.includes('node_modules'))).toEqual([]);
    expect(files.size).toBeGreaterThan(1_500);
  });
});

describe('data that are thrown away', () => {
  const place = (free: number): string => throwAwayDirectory(join(directory, 'data'), { memory: directory, free });

  it('lie in memory where there is much of it, always at the same place', () => {
    const path = place(64 * 1024 ** 3);
    expect(path).toMatch(new RegExp(`^${directory}/switchboard-[0-9a-f]{12}$`));
    expect(place(64 * 1024 ** 3)).toBe(path);
  });

  it('lie on the disk of a machine that has little memory, or none that holds files', () => {
    expect(place(7 * 1024 ** 3)).toBe(join(directory, 'data'));
    expect(throwAwayDirectory('/data', { memory: join(directory, 'absent'), free: 64 * 1024 ** 3 })).toBe('/data');
  });
});

describe('the private database', () => {
  const programs = { mariadb: '/usr/sbin/mariadbd', mysql: '/opt/mysqld' };
  const nothing = { mariadb: null, mysql: null };

  it.each([
    ['mysql', programs, nothing, 'mysql', '/opt/mysqld'],
    ['mariadb', programs, nothing, 'mariadb', '/usr/sbin/mariadbd'],
    ['mysql', { ...programs, mysql: null }, nothing, 'mariadb', '/usr/sbin/mariadbd'],
    ['mysql', nothing, nothing, null, null],
    // data that are here keep their server, whatever was installed since, and even when it is gone
    ['mysql', programs, { mariadb: 5, mysql: null }, 'mariadb', '/usr/sbin/mariadbd'],
    ['mysql', { ...programs, mariadb: null }, { mariadb: 5, mysql: null }, 'mariadb', null],
    ['mariadb', programs, { mariadb: null, mysql: 5 }, 'mysql', '/opt/mysqld'],
    // of two, the one that ran last
    ['mysql', programs, { mariadb: 6, mysql: 5 }, 'mariadb', '/usr/sbin/mariadbd'],
  ] as const)('preferring %s of %j with data %j is %s', (preferred, there, ran, kind, path) => {
    expect(chooseDatabase(there, ran, preferred)).toMatchObject({ kind, program: path });
  });

  it('is checked by its version, not by its name', () => {
    const link = program('mysqld', 'mysqld  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)');
    expect(databaseKind(link)).toBe('mariadb');
    expect(databaseKind(program('mysqld', '/usr/sbin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))'))).toBe(
      'mysql',
    );
    expect(databaseKind(join(directory, 'absent'))).toBeNull();
    expect(readdirSync(directory)).toContain('mysqld');
  });
});
