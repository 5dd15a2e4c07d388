/** The tables of docs/operate/cluster.md, one for each kind of cluster. Rows that were not run keep what stands there. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { format } from 'prettier';
import { ROOT } from '../../scripts/lib/environment.mjs';
import { keptMysql } from '../../scripts/lib/debian-mysql.mjs';
import { findProgram } from '../../scripts/lib/packages.mjs';
import { findMysql } from '../../scripts/lib/servers.mjs';

export const DOCUMENT = join(ROOT, 'docs/operate/cluster.md');
const COMMANDS = { mariadb: 'npm run test:cluster', mysql: 'npm run test:cluster -- --mysql' };
const END = '<!-- to here -->';

const versionOf = (program, pattern, ...args) => {
  return program === null ? null : (pattern.exec(execFileSync(program, args, { encoding: 'utf8' }))?.[1] ?? null);
};

/** What it was measured on: the kind of machine, not which one. */
function machine(kind) {
  const version = (program) => versionOf(program, /Ver ([\d.]+)/, '--no-defaults', '--version');
  const programs = {
    ...(kind === 'mysql'
      ? { MySQL: version(findMysql() ?? keptMysql()) }
      : { MariaDB: version(findProgram('mariadbd', 'mysqld')) }),
    Redis: versionOf(findProgram('redis-server'), /v=([\d.]+)/, '--version'),
    HAProxy: versionOf(findProgram('haproxy'), /version ([\d.]+)/, '-v'),
    Node: process.versions.node,
  };
  const named = Object.entries(programs).flatMap(([name, version]) => (version === null ? [] : [`${name} ${version}`]));
  return `${cpus().length} cores for all of it, ${Math.round(totalmem() / 2 ** 30)} GB, ${named.join(', ')}`;
}

/** Of which code a figure is. */
const commit = () => execFileSync('git', ['log', '-1', '--format=%as %h'], { cwd: ROOT, encoding: 'utf8' }).trim();

const cells = (line) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Lines of the table as they stand, by the name of their row. */
function linesOf(table) {
  return new Map(
    table
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => [cells(line)[0].slice(1, -1), line]),
  );
}

/**
 * @param {{ name: string, shown: string, goal: string }[]} rows all @param {Map<string, { figure: string, ok: boolean }>}
 * results of this run @param {'mariadb' | 'mysql'} kind of the cluster
 */
export async function writeDocument(rows, results, kind) {
  const text = readFileSync(DOCUMENT, 'utf8');
  const begin = `<!-- ${COMMANDS[kind]} writes from here -->`;
  const [from, to] = [text.indexOf(begin), text.indexOf(END, text.indexOf(begin))];
  const kept = linesOf(text.slice(from, to));
  const lines = rows.flatMap(({ name, shown, goal }) => {
    const result = results.get(name);
    if (result === undefined) return kept.has(name) ? [kept.get(name)] : [];
    return [`| \`${name}\` | ${shown} | ${goal} | ${result.figure} | ${result.ok ? 'yes' : 'no'} | ${commit()} |`];
  });
  const head = ['| row | shown | goal | figure | met | code |', '| --- | --- | --- | --- | --- | --- |'];
  const written = `${begin}\n\nMeasured on ${machine(kind)}, each row with the code of its last column.\n\n${[...head, ...lines].join('\n')}\n\n${END}`;
  const whole = text.slice(0, from) + written + text.slice(to + END.length);
  writeFileSync(DOCUMENT, await format(whole, { parser: 'markdown', printWidth: 130 }));
}
