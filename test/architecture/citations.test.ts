import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, normalize, relative } from 'node:path';
import { slug } from 'github-slugger';
import { describe, expect, it } from 'vitest';
import { ROOT } from './house.js';

const REFERENCE = 'docs/reference/';
/** Where rules are cited. Documents link to each other instead. */
const CITING = ['src', 'test', 'scripts', 'bench', 'docker', '.config'];
const SINGLE_FILES = ['README.md', '.env.example', 'package.json', 'tsconfig.json', 'ormconfig.ts'];
const TEXT = /\.(?:[cm]?[jt]sx?|json|md|ya?ml|sql|css|html|sh)$|Dockerfile|\.env\.example$/;

interface TextFile {
  path: string;
  text: string;
}

const read = (path: string): TextFile => ({ path, text: readFileSync(join(ROOT, path), 'utf8') });

function filesBelow(directory: string): TextFile[] {
  return readdirSync(join(ROOT, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && TEXT.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => read(relative(ROOT, join(entry.parentPath, entry.name))))
    .sort((a, b) => a.path.localeCompare(b.path));
}

const here = 'test/architecture/citations.test.ts';
const documents = [...filesBelow('docs').filter(({ path }) => path.endsWith('.md')), read('README.md')];
const pages = documents.filter(({ path }) => path.startsWith(REFERENCE));
const citing = [...CITING.flatMap(filesBelow), ...SINGLE_FILES.map(read)].filter(({ path }) => path !== here);

/** The text in one line, so that a citation that a comment breaks over two lines is whole. */
const unbroken = (text: string): string => text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/|#)?[ \t]*/g, ' ');

/** The anchors of a document's headings as GitHub makes them, without the number it adds to one that comes again. */
const anchorsOf = (text: string): string[] =>
  [...text.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading]) =>
    slug((heading ?? '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')),
  );

const anchors = new Map(documents.map(({ path, text }) => [path, anchorsOf(text)]));

/** Every match of a pattern in the files, as "path: match". */
const matches = (files: readonly TextFile[], pattern: RegExp): string[] =>
  files.flatMap(({ path, text }) => [...unbroken(text).matchAll(pattern)].map(([found]) => `${path}: ${found.trim()}`));

describe('the reference', () => {
  it('has one anchor for each heading of a page', () => {
    const twice = pages.flatMap(({ path }) => {
      const found = anchors.get(path) ?? [];
      return found.filter((anchor, index) => found.indexOf(anchor) !== index).map((anchor) => `${path}#${anchor}`);
    });
    expect(twice).toEqual([]);
  });

  it('names every page in its index', () => {
    const index = read(`${REFERENCE}README.md`).text;
    const unnamed = pages.filter(({ path }) => !index.includes(`](${path.slice(REFERENCE.length)})`));
    expect(unnamed.map(({ path }) => path)).toEqual([`${REFERENCE}README.md`]);
  });
});

interface ErrorAnswer {
  content?: Record<string, { examples?: Record<string, { value: { message?: string } }> }>;
}

describe('an error text', () => {
  it('stands in the reference, once the OpenAPI document has it', () => {
    const { paths } = JSON.parse(read('docs/openapi.json').text) as {
      paths: Record<string, Record<string, { responses: Record<string, ErrorAnswer> }>>;
    };
    const answers = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ responses }) => Object.values(responses)),
    );
    const examples = answers.flatMap(({ content = {} }) =>
      Object.values(content).flatMap(({ examples: shown = {} }) => Object.values(shown)),
    );
    const texts = new Set(examples.map(({ value }) => value.message).filter((text) => text !== undefined));
    const reference = unbroken(pages.map(({ text }) => text).join('\n'));
    expect(texts.size).toBeGreaterThan(150);
    expect([...texts].filter((text) => !reference.includes(text))).toEqual([]);
  });
});

describe('a citation', () => {
  it('leads to a heading of the reference', () => {
    const cited = citing.flatMap(({ path, text }) =>
      [...unbroken(text).matchAll(/(?<![\w./-])reference\/([\w-]+)(?:#([\w-]+))?/g)].map(
        ([citation, page, anchor]) => ({
          at: `${path}: ${citation}`,
          resolves: anchors.get(`${REFERENCE}${page}.md`)?.includes(anchor ?? '') ?? false,
        }),
      ),
    );
    expect(cited.length).toBeGreaterThan(300);
    expect(cited.filter(({ resolves }) => !resolves).map(({ at }) => at)).toEqual([]);
  });

  it('leads to a decision that is written down', () => {
    const written = documents.flatMap(({ path }) => /^docs\/decisions\/\d{4}/.exec(path)?.[0] ?? []);
    const cited = matches(citing, /docs\/decisions\/\d{4}/g);
    expect(cited.filter((found) => !written.includes(found.split(': ')[1] ?? ''))).toEqual([]);
  });

  it('names no document that is not here', () => {
    const everything = [...citing, ...documents];
    expect(matches(everything, /\bspec(?:ification)?,? §?\d[\d.]*/gi)).toEqual([]);
    expect(matches(everything, /\bdecisions?,? §\d*/gi)).toEqual([]);
    expect(matches(everything, /(?<![\w./-])(?:spec|decisions)\.md\b/g)).toEqual([]);
    expect(matches(everything, /\b(?:of|by|in) the spec(?:ification)?\b(?!\.)/gi)).toEqual([]);
  });

  it('gives a section together with the standard that has it', () => {
    const sections = /(?<!(?:RFC \d+|SMPP 3\.4) (?:§[\d.]+(?:,| and) )*)§\d[\d.]*/g;
    expect(matches([...citing, ...documents], sections)).toEqual([]);
  });
});

describe('a link in the documentation', () => {
  it('leads to a file, and to a heading of it', () => {
    const dead = documents.flatMap(({ path, text }) =>
      [...text.replace(/^```.*?^```/gms, '').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
        if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return [];
        const [target = '', anchor] = link.split('#');
        const file = target === '' ? path : normalize(join(dirname(path), target));
        const known = existsSync(join(ROOT, file));
        const found = anchor === undefined || (anchors.get(file)?.includes(anchor) ?? extname(file) !== '.md');
        return known && found ? [] : [`${path}: ${link}`];
      }),
    );
    expect(dead).toEqual([]);
  });
});

describe('documents', () => {
  it('name tests that exist', () => {
    const named = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:src|test|web)\/[\w/.-]+\.(?:test|spec)\.ts)`/g)].map(([, file = '']) => ({ path, file })),
    );
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
