import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, sourceFiles } from './house.js';

const PAGES = readdirSync(join(ROOT, 'docs/operate'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(join(ROOT, 'docs/operate', name), 'utf8') }));
const CODE = sourceFiles('src')
  .map(({ text }) => text)
  .join('\n');

/** What pages for operators name and `exists` does not know. */
function unknown(pattern: RegExp, exists: (name: string) => boolean): string[] {
  return PAGES.flatMap(({ name: page, text }) =>
    [...text.matchAll(pattern)].flatMap(([, name = '']) => (exists(name) ? [] : [`${page}: ${name}`])),
  );
}

it('pages for operators name no metric that is not measured', () => {
  const metric = /`((?:switchboard|database|voice|http)_[a-z_]+_[a-z]+)(?:\{[^`]*)?`/g;
  expect(unknown(metric, (name) => CODE.includes(`'${name}'`))).toEqual([]);
});

it('pages for operators name no script that is not there', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  expect(unknown(/npm run ([a-z][a-z:-]*)/g, (name) => name in scripts)).toEqual([]);
});
