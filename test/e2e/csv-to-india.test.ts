import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Report } from '../support/client.js';
import { type Service, startService } from '../support/processes.js';
import { carrierLedger, type CarrierMessage } from '../support/sandbox.js';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/start/csv-to-india.md'), 'utf8');
/** What the page says to type, in its order. */
const COMMANDS = [...PAGE.matchAll(/```sh\n(.*?)```/gs)].map(([, command = '']) => command);

let service: Service;
const directory = mkdtempSync(join(tmpdir(), 'csv-to-india-'));

beforeAll(async () => {
  service = await startService(1);
  mkdirSync(join(directory, '.data'));
  writeFileSync(join(directory, '.data/admin-password'), 'Admin-1234!\n');
});
afterAll(async () => {
  await service.stop();
  rmSync(directory, { recursive: true });
});

it('the page sends a CSV to India by its own commands', async () => {
  expect(COMMANDS).toHaveLength(6);
  const typed = COMMANDS.join('\n').replaceAll('http://127.0.0.1:3000', service.url);
  expect(typed).toContain(service.url);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', typed], { cwd: directory });
  const answers = stdout
    .replaceAll('}{', '}\n{')
    .split('\n')
    .filter((line) => line !== '');
  expect(JSON.parse(answers[0] ?? '')).toMatchObject({
    success: true,
    data: { sender_id: 'ACMEIN', status: 'approved' },
  });
  const report = JSON.parse(answers.at(-1) ?? '') as Report;
  expect(report.data.total_rows).toBe(3);
  expect(report.data.records.map(({ receiver, status }) => [receiver, status])).toEqual([
    ['919800000001', 'DELIVERED'],
    ['919800000002', 'DELIVERED'],
    ['919800000404', 'FAILED'],
  ]);
  const messages = (await carrierLedger(service)) as (CarrierMessage & { from: string })[];
  const texts = Object.fromEntries(messages.map(({ to, from, text }) => [to, `${from}: ${text}`]));
  expect(texts['919800000001']).toBe('ACMEIN: Dear Asha, your bill of Rs 1500 is due. Acme');
  expect(texts['919800000002']).toBe('ACMEIN: Dear customer, your bill of Rs 275 is due. Acme');
});
