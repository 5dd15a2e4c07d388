import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ROOT, sourceFiles } from './house.js';

describe('the bundles', () => {
  it('lose nothing: no file of ours is imported for what it does by being imported (docs/decisions/0019)', () => {
    const found = sourceFiles('src').flatMap(({ path, text }) =>
      [...text.matchAll(/^import '\.[^']*';/gm)].map(([line]) => `${path}: ${line}`),
    );
    expect(found).toEqual([]);
  });
});

describe('what npm start installs', () => {
  const root = mkdtempSync(join(tmpdir(), 'installed-'));
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const lock = (file: string, packages: Record<string, object>): void =>
    writeFileSync(join(root, file), JSON.stringify({ packages }));

  it('is what runs and what builds; tests want the rest too', async () => {
    const { isInstalled } = (await import(`${ROOT}scripts/lib/install.mjs`)) as {
      isInstalled: (options: { development: boolean }, root: string) => boolean;
    };
    const runs = { version: '1.0.0', integrity: 'a' };
    const tests = { version: '2.0.0', integrity: 'b' };
    mkdirSync(join(root, 'node_modules'));
    lock('package-lock.json', {
      'node_modules/runs': runs,
      'node_modules/tests': { ...tests, dev: true },
      'node_modules/elsewhere': { version: '3.0.0', optional: true },
    });
    expect(isInstalled({ development: false }, root)).toBe(false);
    lock('node_modules/.package-lock.json', { 'node_modules/runs': runs });
    expect(isInstalled({ development: false }, root)).toBe(true);
    expect(isInstalled({ development: true }, root)).toBe(false);
    lock('node_modules/.package-lock.json', { 'node_modules/runs': runs, 'node_modules/tests': tests });
    expect(isInstalled({ development: true }, root)).toBe(true);
    lock('node_modules/.package-lock.json', { 'node_modules/runs': { ...runs, integrity: 'c' } });
    expect(isInstalled({ development: false }, root)).toBe(false);
  });
});
