import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { requireVariable } from '../support/database.js';

const API = join(import.meta.dirname, '../../dist/src/apps/api/main.js');

describe('APIs that prepare the database themselves', () => {
  const name = `switchboard_test_${randomBytes(6).toString('hex')}`;
  const directory = mkdtempSync(join(tmpdir(), 'first-start-'));
  const url = new URL(requireVariable('DATABASE_URL'));
  let admin: mysql.Connection;
  beforeAll(async () => {
    admin = await mysql.createConnection(url.href);
    await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
    url.pathname = `/${name}`;
  });
  afterAll(async () => {
    await admin.query(`DROP DATABASE ${name}`);
    await admin.end();
    rmSync(directory, { recursive: true });
  });

  /** What one API prints until it listens; it is stopped then. */
  async function linesOf(environment: NodeJS.ProcessEnv): Promise<string[]> {
    const child = spawn(process.execPath, [API, '--prepare'], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.startsWith('{"ready":"api"')) break;
    }
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    return lines;
  }

  it('migrate and seed once, however many start together, and listen afterwards', async () => {
    const environment = {
      NODE_ENV: 'production',
      DATABASE_URL: url.href,
      REDIS_URL: requireVariable('REDIS_URL'),
      REDIS_PREFIX: name,
      JWT_SECRET: randomBytes(32).toString('hex'),
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      ADMIN_PASSWORD: 'Admin-1234!',
      DATA_DIR: directory,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'warn',
      SHUTDOWN_DELAY: '0s',
    };
    const said = await Promise.all([linesOf(environment), linesOf(environment)]);
    for (const lines of said) {
      expect(lines.indexOf('{"prepared":"api"}')).toBeGreaterThanOrEqual(0);
      expect(lines.findIndex((line) => line.startsWith('{"ready":"api"'))).toBe(lines.length - 1);
    }
    const created = said.flat().filter((line) => line.startsWith('Created the admin account'));
    expect(created).toEqual(['Created the admin account "admin" with the password of ADMIN_PASSWORD']);
    const migrations = said.flat().filter((line) => line.startsWith('Applied the migration'));
    expect(new Set(migrations).size).toBe(migrations.length);
    const [rows] = await admin.query<RowDataPacket[]>(`SELECT COUNT(*) AS applied FROM ${name}.migrations`);
    // the baseline notes the 77 migrations of 0.3.0, so that 0.3.0 can start on this database too
    expect(rows[0]?.['applied']).toBe(migrations.length + 77);
  });
});
