/** The table of docs/operate/cluster.md. Rows that were not run keep what stands there. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { format } from 'prettier';
import { ROOT } from '../../scripts/lib/environment.mjs';
import { findProgram } from '../../scripts/lib/packages.mjs';

export const DOCUMENT = join(ROOT, 'docs/operate/cluster.md');
const BEGIN = '<!-- npm run test:cluster writes from here -->';
const END = '<!-- to here -->';

const versionOf = (names, pattern, ...args) => {
  const program = findProgram(...names);
  return program === null ? null : (pattern.exec(execFileSync(program, args, { encoding: 'utf8' }))?.[1] ?? null);
};

/** What it was measured on: the kind of machine, not which one. */
export function machine() {
  const programs = {
    MariaDB: versionOf(['mariadbd', 'mysqld'], /Ver ([\d.]+)/, '--no-defaults', '--version'),
    Redis: versionOf(['redis-server'], /v=([\d.]+)/, '--version'),
    HAProxy: versionOf(['haproxy'], /version ([\d.]+)/, '-v'),
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
function linesNow(text) {
  const table = text.slice(text.indexOf(BEGIN), text.indexOf(END)).split('\n');
  return new Map(table.filter((line) => line.startsWith('| `')).map((line) => [cells(line)[0].slice(1, -1), line]));
}

/** @param {{ name: string, shown: string, goal: string }[]} rows all @param {Map<string, { figure: string, ok: boolean }>} results of this run */
export async function writeDocument(rows, results) {
  const text = readFileSync(DOCUMENT, 'utf8');
  const kept = linesNow(text);
  const lines = rows.flatMap(({ name, shown, goal }) => {
    const result = results.get(name);
    if (result === undefined) return kept.has(name) ? [kept.get(name)] : [];
    return [`| \`${name}\` | ${shown} | ${goal} | ${result.figure} | ${result.ok ? 'yes' : 'no'} | ${commit()} |`];
  });
  const head = ['| row | shown | goal | figure | met | code |', '| --- | --- | --- | --- | --- | --- |'];
  const written = `${BEGIN}\n\nMeasured on ${machine()}, each row with the code of its last column.\n\n${[...head, ...lines].join('\n')}\n\n${END}`;
  const whole = text.slice(0, text.indexOf(BEGIN)) + written + text.slice(text.indexOf(END) + END.length);
  writeFileSync(DOCUMENT, await format(whole, { parser: 'markdown', printWidth: 130 }));
}
