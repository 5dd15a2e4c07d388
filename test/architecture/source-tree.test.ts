import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT, type SourceFile, sourceFiles } from './house.js';

const sources = sourceFiles('src');
const service = sources.filter((file) => !file.path.endsWith('.spec.ts'));
const all = [...sources, ...sourceFiles('test')];
const here = 'test/architecture/source-tree.test.ts';

/** Lines that match, as "path:line". */
const linesWith = (files: SourceFile[], pattern: RegExp): string[] =>
  files
    .filter((file) => file.path !== here)
    .flatMap((file) =>
      file.text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${file.path}:${index + 1}`] : [])),
    );

const linesOf = (file: SourceFile): number => file.text.trimEnd().split('\n').length;

describe('the source tree', () => {
  it('has the rooms of the architecture and no others', () => {
    expect(readdirSync(`${ROOT}src`).sort()).toEqual(['apps', 'kernel', 'modules', 'platform']);
    expect(readdirSync(`${ROOT}src/apps`).sort()).toEqual(['api', 'cli', 'front', 'sandbox', 'worker']);
  });

  it('has no folder for things without a home', () => {
    const homeless = all.filter((file) => /(^|\/)(utils?|helpers?|common|shared|misc)\//.test(file.path));
    expect(homeless.map((file) => file.path)).toEqual([]);
  });

  it('keeps files short: at most 400 lines, except where tables, errors and doors are listed', () => {
    const long = all.filter(
      (file) => linesOf(file) > 400 && !/\/(tables|index)\.ts$|\.(errors|module)\.ts$|\/migrations\//.test(file.path),
    );
    expect(long.map((file) => `${file.path}: ${linesOf(file)}`)).toEqual([]);
  });

  it('uses no forwardRef, switches no rule off and leaves nothing for later', () => {
    expect(linesWith(sources, /\bforwardRef\b/)).toEqual([]);
    expect(linesWith(all, /eslint-disable|@ts-ignore|@ts-nocheck|@ts-expect-error/)).toEqual([]);
    expect(linesWith(all, /\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
  });

  it('reads the environment in one place', () => {
    const elsewhere = service.filter((file) => !file.path.startsWith('src/platform/config/'));
    expect(linesWith(elsewhere, /process\.env\b/)).toEqual([]);
  });

  it('has no interceptor of all routes: its observables cost a small request a tenth of its time', () => {
    expect(linesWith(service, /\bAPP_INTERCEPTOR\b|\buseGlobalInterceptors\b/)).toEqual([]);
  });

  it('makes connections to Redis in one place', () => {
    const elsewhere = service.filter((file) => !file.path.startsWith('src/platform/redis/'));
    expect(linesWith(elsewhere, /\bnew (Redis|Cluster|IORedis)\b|import (?!type)[^;]*from 'ioredis'/)).toEqual([]);
  });

  it('has query handlers that only read', () => {
    const queries = service.filter((file) => file.path.endsWith('.queries.ts'));
    const writing =
      /\binTransaction\b|\.(save|insert|update|delete|remove|upsert)\(|[`'"]\s*(INSERT|UPDATE|DELETE|REPLACE)\s/;
    expect(linesWith(queries, writing)).toEqual([]);
  });

  it('takes a transaction as the first parameter, where it takes one', () => {
    const later = service.filter((file) => /\w\s*,\s*tx: EntityManager\b/.test(file.text));
    expect(later.map((file) => file.path)).toEqual([]);
  });

  it('uses buses in controllers and processors only', () => {
    const elsewhere = service.filter(
      (file) => !/\.(controller|processor)\.ts$/.test(file.path) && !file.path.startsWith('src/apps/'),
    );
    expect(linesWith(elsewhere, /\b(CommandBus|QueryBus|EventBus)\b/)).toEqual([]);
  });
});

describe('the web application', () => {
  const web = sourceFiles('web/src').filter((file) => !file.path.endsWith('.d.ts'));
  const imports = (file: SourceFile): string[] =>
    [...file.text.matchAll(/(?:from|import) '([^']+)'|import\('([^']+)'\)/g)].map(
      ([, one, other]) => one ?? other ?? '',
    );

  it('knows nothing of the service, nor the service of it: they meet at the API', () => {
    expect(web.length).toBeGreaterThan(20);
    const outside = web.flatMap((file) =>
      imports(file)
        .filter((name) => name.startsWith('.'))
        .map((name) => new URL(name, `file:///${file.path}`).pathname)
        // the verifier is the customer's: it knows no service either
        .filter((path) => !path.startsWith('/web/src/') && path !== '/packages/verify/src/index.js')
        .map((path) => `${file.path}: ${path}`),
    );
    expect(outside).toEqual([]);
    expect(sources.filter((file) => imports(file).some((name) => /(^|\/)web\/src\//.test(name)))).toEqual([]);
  });

  it('switches no rule off, leaves nothing for later, and keeps files short', () => {
    expect(linesWith(web, /eslint-disable|@ts-ignore|@ts-nocheck|@ts-expect-error/)).toEqual([]);
    expect(linesWith(web, /\b(TODO|FIXME|XXX|HACK)\b|\bany\b(?=[>[,;)])/)).toEqual([]);
    expect(web.filter((file) => linesOf(file) > 300).map((file) => `${file.path}: ${linesOf(file)}`)).toEqual([]);
  });

  it('writes no markup out of texts', () => {
    expect(linesWith(web, /dangerouslySetInnerHTML|\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write/)).toEqual(
      [],
    );
  });
});
