/**
 * Writes docs/operate/configuration.md from .env.example, its only source.
 * `node scripts/configuration.mjs --check` says by its exit code whether the page is up to date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib/environment.mjs';
import { print } from './lib/progress.mjs';

const PAGE = 'docs/operate/configuration.md';
const HEAD = `# Configuration

<!-- Written by \`npm run configuration\` from .env.example. Change that file, not this page. -->

Every setting is an environment variable. The schema in \`src/platform/config\` reads and checks all of them when a process
starts: an invalid value stops the process, and the message names the variable. \`npm start\` also reads \`.env\`; the real
environment wins over it. Durations: \`500ms\`, \`30s\`, \`15m\`, \`72h\`, \`3d\`. Sizes: \`500kb\`, \`10mb\`.

<!-- prettier-ignore-start -->

`;
const FOOT = '\n\n<!-- prettier-ignore-end -->\n';

/** A heading for each section of the example, and a row for each variable: its default and description. */
function tables() {
  const lines = [];
  let description = [];
  for (const line of readFileSync(join(ROOT, '.env.example'), 'utf8').split('\n')) {
    const variable = /^#([A-Z][A-Z0-9_]+)=(.*)$/.exec(line);
    if (line.startsWith('## ')) {
      lines.push('', `## ${line.slice(3)}`, '', '| variable | default | meaning |', '| --- | --- | --- |');
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

const file = join(ROOT, PAGE);
const page = `${HEAD}${tables()}${FOOT}`;
if (!process.argv.includes('--check')) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
  print(`${PAGE} is out of date: npm run configuration`);
  process.exitCode = 1;
}
