import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sourceFiles } from './house.js';

interface Page {
  name: string;
  text: string;
}

const read = (name: string): Page => ({ name, text: readFileSync(join(ROOT, name), 'utf8') });
/** Pages for operators. */
const OPERATE = readdirSync(join(ROOT, 'docs/operate'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => read(`docs/operate/${name}`));
const README = read('README.md');
const ARCHITECTURE = read('docs/architecture.md');
const CONTRIBUTING = read('docs/contributing.md');
/** Pages for developers. */
const CODE_PAGES = [README, ARCHITECTURE, CONTRIBUTING];

/** What pages name and `exists` does not know. */
function unknown(pages: readonly Page[], pattern: RegExp, exists: (name: string) => boolean): string[] {
  return pages.flatMap(({ name: page, text }) =>
    [...text.matchAll(pattern)].flatMap(([, name = '']) => (exists(name) ? [] : [`${page}: ${name}`])),
  );
}

describe('pages', () => {
  it('for operators name no metric that is not measured', () => {
    const code = sourceFiles('src')
      .map(({ text }) => text)
      .join('\n');
    const metric = /`((?:switchboard|database|voice|http)_[a-z_]+_[a-z]+)(?:\{[^`]*)?`/g;
    expect(unknown(OPERATE, metric, (name) => code.includes(`'${name}'`))).toEqual([]);
  });

  it('name no script that is not there', () => {
    const { scripts } = JSON.parse(read('package.json').text) as { scripts: object };
    const script = /npm run ([a-z][a-z:-]*)/g;
    expect(unknown([...OPERATE, ...CODE_PAGES], script, (name) => name in scripts)).toEqual([]);
  });

  it('name no file or folder that is not there', () => {
    const path = /(?<![\w/.-])((?:src|test|scripts|bench|docs|docker|web|packages|\.config)\/[\w./-]*\w)(?![\w*{<])/g;
    expect(unknown([...OPERATE, ...CODE_PAGES], path, (name) => existsSync(join(ROOT, name)))).toEqual([]);
  });
});

describe('README.md', () => {
  it('names the two commands', () => {
    expect(README.text).toMatch(/^npm start .*\nnpm test /m);
  });
});

describe('docs/architecture.md', () => {
  it('is short, and has a place for the files of each way', () => {
    expect(ARCHITECTURE.text.split('\n').length).toBeLessThanOrEqual(200);
    expect(ARCHITECTURE.text.match(/^<!-- ways: begin -->[^]*?<!-- ways: end -->$/gm)).toHaveLength(3);
  });
});

describe('docs/contributing.md', () => {
  it('says in 25 lines how each kind of part is added, and which tests fail until then', () => {
    const sections = CONTRIBUTING.text.split(/^(?=## )/m).filter((section) => section.startsWith('## Add '));
    expect(sections.map((section) => section.split('\n')[0]?.slice('## Add '.length)).sort()).toEqual([
      'a channel',
      'a driver',
      'a migration',
      'a page',
      'a table',
      'an endpoint',
      'an error',
    ]);
    for (const section of sections) {
      expect(section.trimEnd().split('\n').length, section.slice(0, 30)).toBeLessThanOrEqual(25);
      expect(section).toContain('| fails until then');
    }
  });
});

describe('docs/operate/measurements.md', () => {
  it('names every bench', () => {
    const [, benches = ''] = /^const BENCHES = \{(.*?)^\};/ms.exec(read('bench/run.mjs').text) ?? [];
    const names = [...benches.matchAll(/^ {2}'?([a-z-]+)'?:/gm)].map(([, name]) => name);
    const table = read('docs/operate/measurements.md').text.match(/^\| `.*/gm) ?? [];
    const named = table.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(names.length).toBeGreaterThan(5);
    expect(named.sort()).toEqual(names.sort());
  });
});

describe('a decision', () => {
  it('is a rule with context, decision and consequence, in 250 words at the most', () => {
    const folder = 'docs/decisions';
    const wrong = readdirSync(join(ROOT, folder)).filter((name) => {
      const { text } = read(`${folder}/${name}`);
      const parts = [`# ${name.slice(0, 4)}: `, '**Context.**', '**Decision', '**Consequence.**'];
      return parts.some((part) => !text.includes(part)) || text.trim().split(/\s+/).length > 250;
    });
    expect(wrong).toEqual([]);
  });
});
