import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
