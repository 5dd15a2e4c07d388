import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ON_MYSQL } from '../scripts/lib/checks.mjs';

const project = /--project[= ](\w+)/.exec(process.argv.join(' '))?.[1] ?? 'all';

// One for all files of a run, whichever process they run in (test/support/fuzz.ts). The same for everybody, so that a check
// which fails is the fault of a change; `random` looks for what nobody has seen yet.
const seed = process.env['FUZZ_SEED'] ?? '2024703964';
process.env['FUZZ_SEED'] = seed === 'random' ? String(randomInt(1, 2 ** 31)) : seed;

/** Unit specs stand beside their source; everything that needs servers stands under test/. */
export default defineConfig({
  // What a run leaves for the next one; runs of several projects at once must not share it.
  cacheDir: `node_modules/.cache/vitest/${project}`,
  test: {
    root: new URL('..', import.meta.url).pathname,
    setupFiles: ['test/support/setup.ts'],
    // Files share a process, which loads the service once: that is most of the time of a short file. Three at a time even
    // on a small machine, since they often wait; no more than four, which share the servers.
    isolate: false,
    // what a file is transformed to is kept by its content, for the other processes and the next run
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest/modules' },
    maxWorkers: Math.min(4, Math.max(3, availableParallelism())),
    // Waiting for a condition ends with it; only a fault waits for the end of the patience, and a machine may lend us half of
    // its processors for minutes.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 240_000,
    hookTimeout: 240_000,
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.spec.ts'] } },
      {
        extends: true,
        test: {
          name: 'architecture',
          include: ['test/architecture/**/*.test.ts'],
          globalSetup: ['test/support/schema.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{architecture,e2e}/**'],
          globalSetup: ['test/support/schema.ts', 'test/support/answers-check.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'mysql',
          include: ON_MYSQL,
          globalSetup: ['test/support/schema.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'web',
          include: ['web/test/**/*.test.ts'],
          globalSetup: ['test/support/schema.ts'],
          // one process, one service, one browser
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/schema.ts'],
          // One at a time: a worker that the machine stops for longer than its lease is a fault of its own.
          fileParallelism: false,
        },
      },
    ],
  },
});
