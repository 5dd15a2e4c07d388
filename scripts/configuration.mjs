/**
 * Writes the configuration table of the README from .env.example, its only source.
 * `node scripts/configuration.mjs --check` says by its exit code whether the table is up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib/environment.mjs';
import { print } from './lib/progress.mjs';

const BEGIN = '<!-- configuration: begin (npm run configuration) -->';
const END = '<!-- configuration: end -->';

/** Sections of the example: a heading and, for each variable, its default and description. */
function table() {
  const lines = [];
  let description = [];
  for (const line of readFileSync(join(ROOT, '.env.example'), 'utf8').split('\n')) {
    const variable = /^#([A-Z][A-Z0-9_]+)=(.*)$/.exec(line);
    if (line.startsWith('## ')) {
      lines.push('', `**${line.slice(3)}**`, '', '| variable | default | meaning |', '| --- | --- | --- |');
      description = [];
    } else if (variable) {
      const fallback = variable[2] === '' ? '' : `\`${variable[2]}\``;
      lines.push(`| \`${variable[1]}\` | ${fallback} | ${description.join(' ').replaceAll('|', '\\|')} |`);
      description = [];
    } else if (line.startsWith('# ')) description.push(line.slice(2));
    else description = [];
  }
  return lines.join('\n').trim();
}

const file = join(ROOT, 'README.md');
const readme = readFileSync(file, 'utf8');
const [before, rest = ''] = readme.split(BEGIN);
const wanted = `${before}${BEGIN}\n\n<!-- prettier-ignore-start -->\n\n${table()}\n\n<!-- prettier-ignore-end -->\n\n${END}${rest.split(END)[1] ?? '\n'}`;
if (process.argv.includes('--check')) {
  if (wanted !== readme) {
    print('The configuration table of README.md is out of date: npm run configuration');
    process.exitCode = 1;
  }
} else writeFileSync(file, wanted);
