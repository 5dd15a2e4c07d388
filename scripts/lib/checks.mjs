/** The checks of `npm test`: what each runs, what it needs, which of them run side by side, and what may be left out. */
import { join } from 'node:path';
import { ROOT } from './environment.mjs';

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

/**
 * Every check, in the order of the summary: its title, what it runs, what has to be there before, and whether it is skipped
 * when nothing has changed since it passed.
 */
export const CHECKS = {
  format: {
    title: 'Formatting (prettier)',
    ...tool('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', ...cached, '.'),
  },
  // no cache of eslint: rules that know types judge a file by what other files say
  lint: {
    title: 'Lint (eslint)',
    onlyChanged: true,
    needs: ['webTypes', 'clientTypes'],
    ...tool('eslint/bin/eslint.js', '-c', '.config/eslint.config.mjs', '--max-warnings', '0', '.'),
  },
  // TypeScript 7 checks types five times faster, and has no compiler API: tools and the build use 5.9
  types: {
    title: 'Types (tsc, sources and tests)',
    needs: ['clientTypes'],
    ...tool('typescript-7/bin/tsc', '-p', 'test/tsconfig.json'),
  },
  'web-types': {
    title: 'Types (tsc, web application)',
    needs: ['webTypes'],
    ...tool('typescript-7/bin/tsc', '-p', 'web/tsconfig.json'),
  },
  rules: {
    title: 'Architecture rules (dependency-cruiser)',
    needs: ['webTypes'],
    ...tool(
      'dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      '.config/dependency-cruiser.cjs',
      'src',
      'web/src',
    ),
  },
  build: { title: 'Build', needs: ['build'] },
  openapi: {
    title: 'OpenAPI document (redocly)',
    ...tool('@redocly/cli/bin/cli.js', 'lint', '--config', '.config/redocly.yaml', 'docs/openapi.json'),
  },
  unit: { title: 'Unit tests', ...vitest('unit') },
  architecture: {
    title: 'Whole-house tests and drift checks',
    needs: ['servers', 'chart', 'observability'],
    ...vitest('architecture'),
  },
  integration: {
    title: 'Integration and contract tests',
    needs: ['servers', 'clientTypes', 'kannel'],
    ...vitest('integration'),
  },
  mysql: { title: 'Integration tests on MySQL', needs: ['servers', 'mysql', 'clientTypes'], ...vitest('mysql') },
  web: { title: 'Web application in a browser', needs: ['servers', 'browser', 'build'], ...vitest('web') },
  e2e: { title: 'End-to-end tests', needs: ['servers', 'copies', 'build'], ...vitest('e2e') },
};

/**
 * What `npm test` runs a second time, on MySQL: engine, receipts, credits, session messages, webhooks, retention, migrations,
 * and what depends on the server itself. `npm run test:mysql` runs everything there.
 */
export const ON_MYSQL = [
  'chat/callbacks',
  'credits/*',
  'database/*',
  'engine/*',
  'http/first-start',
  'idempotency/sessions',
  'session-messages/*',
  'voice/call-callbacks',
  'voice/retries',
  'webhooks/*',
].map((name) => `test/${name}.test.ts`);

/** What runs side by side: the checks without servers, then MySQL; those with servers; and those that mostly wait. */
export const LANES = [
  ['rules', 'openapi', 'types', 'web-types', 'format', 'unit', 'lint', 'mysql'],
  ['architecture', 'integration', 'web'],
  ['build', 'e2e'],
];

/** What `--without` leaves out: its name, what the summary says is missing, and the check that is left out with it. */
export const PARTS = {
  chart: { what: 'the tests that render the Helm chart' },
  observability: { what: 'the tests of the alert rules' },
  browser: { what: 'the web application in a browser', check: 'web' },
  kannel: { what: 'the contract tests with Kannel' },
  mysql: { what: 'the integration tests on MySQL', check: 'mysql' },
};

const OPTIONS = '--update, --on-mysql, --without';

/**
 * What the caller asked for. Names are checks; what holds a slash or a dot is a path for vitest.
 * @param {string[]} given arguments of the command
 * @returns {{ names: string[], paths: string[], without: string[], update: boolean, onMysql: boolean, unknown: string[],
 *   known: string }} names: the checks to run, in the order of the summary; unknown: what nobody here understands
 */
export function readArguments(given) {
  const read = { paths: [], without: [], update: false, onMysql: false, unknown: [] };
  const chosen = [];
  const rest = [...given];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [option, value] = argument.split('=', 2);
    if (option === '--update') read.update = true;
    else if (option === '--on-mysql') read.onMysql = true;
    else if (option === '--without') read.without.push(...(value ?? rest.shift() ?? '').split(','));
    else if (argument.startsWith('-')) read.unknown.push(argument);
    else if (/[/.]/.test(argument)) read.paths.push(argument);
    else chosen.push(argument);
  }
  read.unknown.push(...chosen.filter((name) => !Object.hasOwn(CHECKS, name)));
  read.unknown.push(...read.without.filter((part) => !Object.hasOwn(PARTS, part)));
  const leftOut = read.without.flatMap((part) => PARTS[part]?.check ?? []);
  // everything runs on MySQL then, so nothing has to run there a second time
  if (read.onMysql) leftOut.push('mysql');
  const names = Object.keys(CHECKS).filter((name) => chosen.length === 0 || chosen.includes(name));
  const known = `${Object.keys(CHECKS).join(', ')}, ${OPTIONS} (${Object.keys(PARTS).join(', ')}), and paths of tests`;
  return { ...read, names: names.filter((name) => !leftOut.includes(name)), known };
}
