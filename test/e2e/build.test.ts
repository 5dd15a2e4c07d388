import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

it('the configuration of migration:run imports nothing but dependencies', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
  const built = readFileSync(join(ROOT, 'dist/ormconfig.js'), 'utf8');
  const imported = [...built.matchAll(/^import (?:.* from )?"([^"]+)";$/gm)].map(([, id]) => id ?? '');
  const packages = imported.filter((id) => !isBuiltin(id)).map((id) => /^(@[^/]+\/)?[^/]+/.exec(id)?.[0]);
  expect(packages).toContain('typeorm');
  expect(packages.filter((name) => !Object.keys(dependencies).includes(name ?? ''))).toEqual([]);
});
