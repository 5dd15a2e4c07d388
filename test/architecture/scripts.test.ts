import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorLines, filesAgain, unhandledErrors } from '../../scripts/lib/test-report.mjs';
import { ROOT } from './house.js';

/** Tests that have commands of their own, as they take long: what can be wrong with them early is seen here. */
describe('npm run test:cluster', () => {
  it('loads, and lists every row with its goal', () => {
    const rows = readdirSync(join(ROOT, 'test/cluster/rows')).map((file) => file.replace(/\.mjs$/, ''));
    const listed = execFileSync(process.execPath, ['test/cluster/run.mjs', '--list'], { cwd: ROOT, encoding: 'utf8' });
    const lines = listed.trim().split('\n');
    expect(lines.map((line) => line.split(':')[0]).sort()).toEqual(rows.sort());
    for (const line of lines) expect(line).toMatch(/^[a-z0-9-]+: .+ \(.+\)$/);
  });
});

describe('npm run test:faults', () => {
  it('loads, and lists every fault once, with what happens', () => {
    const listed = execFileSync(process.execPath, ['test/faults/run.mjs', '--list'], { cwd: ROOT, encoding: 'utf8' });
    const lines = listed.trim().split('\n');
    for (const line of lines) expect(line).toMatch(/^[a-z0-9-]+ +\S.+$/);
    const names = lines.map((line) => line.split(' ')[0]);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

/** What ends a run of passing tests that left something behind. */
const LATE = `
it('passes', () => {
  setTimeout(() => { throw new TypeError('late fault\\nand more of it'); });
});
it('lasts longer', async () => {
  await Promise.resolve(void Promise.reject(new Error('nobody looks', { cause: new Error('the cause') })));
  await new Promise((resolve) => setTimeout(resolve, 20));
});
`;
const NAMELESS = `
it('passes', async () => {
  setTimeout(() => { throw 'a text'; });
  await new Promise((resolve) => setTimeout(resolve, 20));
});
`;

describe('the summary of npm test', () => {
  const directory = mkdtempSync(join(tmpdir(), 'summary-'));
  const logOf = (...files: string[]): string => {
    const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--globals', '--root', directory, ...files];
    const env = { PATH: process.env['PATH'], FORCE_COLOR: '1' };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    expect(status).toBe(1);
    return stdout + stderr;
  };
  beforeAll(() => {
    writeFileSync(join(directory, 'late.test.js'), LATE);
    writeFileSync(join(directory, 'nameless.test.js'), NAMELESS);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('names errors that nobody awaited, and looks again at the files in which they came', () => {
    const errors = unhandledErrors(logOf('late'));
    expect(errorLines(errors).sort()).toEqual([
      'late.test.js: Uncaught Exception: TypeError: late fault',
      'late.test.js: Unhandled Rejection: Error: nobody looks',
    ]);
    expect(filesAgain(null, errors)).toEqual(['late.test.js']);
  });

  it('looks at nothing again where nobody knows the file', () => {
    const errors = unhandledErrors(logOf());
    expect(errorLines(errors)).toContain('no test file is known: Uncaught Exception: Unknown Error: a text');
    expect(errors).toHaveLength(3);
    expect(filesAgain(null, errors)).toEqual([]);
    expect(unhandledErrors(' Test Files  1 passed')).toEqual([]);
  });
});
