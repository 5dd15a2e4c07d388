import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataSourceOptions } from '../../src/platform/database/index.js';
import { Client, numbersEnding } from '../support/client.js';
import { type Service, type ServiceProcess, startService, until } from '../support/processes.js';
import { endReceiptTime } from '../support/receipt-time.js';
import { carrierLedger } from '../support/sandbox.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const CLI = join(ROOT, 'dist/src/apps/cli/main.js');
const RECIPIENTS = 6_000;
const OTHER_KEY = '0123456789abcdef'.repeat(4);
const PACED = { brodcast_service: 'slow' };

interface Run {
  code: number;
  out: string;
  err: string;
}

/** Every number ends in 111: the sandbox delivers to all that reach it. */
describe('a copy of the database', () => {
  let service: Service;
  let admin: Client;
  let client: Client;
  let directory: string;
  const copy = (name: string): string => join(directory, name);

  beforeAll(async () => {
    service = await startService(1, {
      RECEIPT_TIMEOUT: '1h',
      LANE_LEASE: '2s',
      BROADCAST_RATE_LIMIT: '0',
      USER_RATE_LIMIT: '0',
    });
    directory = mkdtempSync(join(tmpdir(), 'switchboard-copies-'));
    admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    await admin.call('POST', '/v6/api/admin/accounts/demo/credits', { balance: 'gsm_credits', amount: 1_000_000 });
    const login = { host: '127.0.0.1', system_id: 'slow', password: 'slow' };
    await admin.call('PUT', '/v6/api/admin/routes/slow', {
      ...{ channel: 'sms', driver: 'smpp', messages_per_second: 200 },
      config: { ...login, port: Number(service.environment['SANDBOX_SMPP_PORT']) },
    });
    client = await Client.login(service.url, 'demo', 'Demo-1234!');
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    await service.stop();
  });

  async function cli(args: string[], environment: NodeJS.ProcessEnv = {}): Promise<Run> {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], ...service.environment, ...environment },
    });
    const run: Run = { code: -1, out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (run.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (run.err += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return { ...run, code };
  }

  async function faults(change: object): Promise<void> {
    const response = await fetch(`${service.sandboxUrl}/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    });
    expect(response.ok).toBe(true);
  }
  const atCarrier = async (prefix: string): Promise<string[]> =>
    (await carrierLedger(service)).map((entry) => entry.to).filter((to) => to.startsWith(prefix));
  const reached = (prefix: string, least: number): Promise<void> =>
    until(`${least} messages at the carrier`, async () => (await atCarrier(prefix)).length >= least);
  const expectNoDouble = async (prefix: string): Promise<Set<string>> => {
    const sent = await atCarrier(prefix);
    const numbers = new Set(sent);
    expect(sent.length).toBe(numbers.size);
    return numbers;
  };
  const proved = async (): Promise<void> => {
    const { body } = await admin.call<{ data: { ok: boolean; usage: { ok: boolean } }[] }>(
      'GET',
      '/v6/api/admin/accounts/demo/credits/proof',
    );
    expect(body.data.every(({ ok, usage }) => ok && usage.ok)).toBe(true);
  };
  const available = async (): Promise<number> => {
    const path = '/v6/api/admin/accounts/demo/credits';
    const { body } = await admin.call<{ data: { balance: string; available: number }[] }>('GET', path);
    return body.data.find(({ balance }) => balance === 'gsm_credits')?.available ?? 0;
  };

  /** All processes die at once, and the database with them. */
  async function disaster(survivor?: ServiceProcess): Promise<void> {
    const dead = [service.api, ...service.workers].filter((process) => process !== survivor);
    await Promise.all(dead.map((process) => process.stop('SIGKILL')));
    const { dataSource, url } = service.database;
    await dataSource.query(`DROP DATABASE \`${new URL(url).pathname.slice(1)}\``);
  }
  async function startAgain(): Promise<void> {
    await service.api.start();
    await service.addWorker();
    const { database } = service;
    await database.dataSource.destroy();
    database.dataSource = await new DataSource(dataSourceOptions(database.url, 4)).initialize();
    database.drop = async () => {
      await database.dataSource.query(`DROP DATABASE \`${new URL(database.url).pathname.slice(1)}\``);
      await database.dataSource.destroy();
    };
  }

  it('of an hour ago never sends again what left since, and every recipient has an end', async () => {
    const start = await available();
    await faults({ holdReceipts: true });
    const requestId = await client.broadcast(numbersEnding(RECIPIENTS, '111', '916'), PACED);
    const paused = await client.broadcast(numbersEnding(300, '111', '917'), PACED);
    await client.call('POST', `/v6/api/campaigns/${paused}/pause`, {});
    const later = await client.broadcast(numbersEnding(10, '111', '918'), {
      ...PACED,
      schedule_time: '2099-01-01 00:00:00',
    });
    await reached('916', 500);
    const taken = await cli(['backup', copy('hour'), '--verify']);
    expect(taken).toMatchObject({ code: 0, err: '' });
    expect(taken.out).toMatch(/MiB, sha256 [0-9a-f]{64}\n(.*\n)?Read again: whole\n/);
    const noted = () => service.database.dataSource.query<{ ended_at: Date }[]>('SELECT ended_at FROM last_backup');
    const [first] = await noted();
    expect(first).toBeDefined();
    expect((await cli(['note-backup'])).out).toContain('Recorded');
    expect((await noted())[0]?.ended_at.getTime()).toBeGreaterThan(first?.ended_at.getTime() ?? Infinity);

    // what the copy knows nothing of
    const lost = await client.broadcast(numbersEnding(50, '111', '919'));
    await client.call('POST', `/v6/api/campaigns/${paused}/resume`, {});
    const before = (await atCarrier('916')).length;
    await reached('916', Math.min(before + 400, RECIPIENTS)); // a slow copy lasts for most of them
    await reached('917', 50);
    await disaster();
    const sentBefore = new Set((await carrierLedger(service)).map((entry) => entry.to));

    const restored = await cli(['restore', copy('hour')]);
    expect(restored).toMatchObject({ code: 0, err: '' });
    expect(restored.out).toMatch(/\d+ recipients of 2 campaigns may have been sent to since/);
    expect(restored.out).toContain('1 campaigns before their schedule are paused');
    await startAgain();
    await faults({ holdReceipts: false });

    const undecided = await cli(['undecided']);
    expect(undecided.out).toMatch(new RegExp(`${later} .* held before its schedule\n`));
    expect((await client.call('GET', `/v6/api/campaigns/${lost}`)).status).toBe(404);
    for (const id of [requestId, paused]) {
      await endReceiptTime(service, id, ({ receiver }) => !sentBefore.has(receiver));
      await until(`${id} to end`, async () => (await client.state(id)) === 'completed');
      for (const record of (await client.report(id)).data.records) {
        expect([record.receiver, record.status]).toEqual([
          record.receiver,
          sentBefore.has(record.receiver) ? 'DELIVERED' : 'FAILED',
        ]);
      }
    }
    expect((await expectNoDouble('91')).size).toBe(sentBefore.size);
    // whoever left is paid for, and nobody else; what was accepted after the copy never was, to this database
    const paid = [...sentBefore].filter((to) => !to.startsWith('919')).length + 10;
    expect(await available()).toBe(start - paid);
    await proved();
  });

  it('is sent on where the operator says so', async () => {
    const requestId = await client.broadcast(numbersEnding(600, '111', '926'), PACED);
    await reached('926', 100);
    await client.call('POST', `/v6/api/campaigns/${requestId}/pause`, {});
    await Promise.all(service.workers.map((worker) => worker.stop()));
    expect((await cli(['backup', copy('stopped')])).code).toBe(0);
    await disaster();
    expect((await cli(['restore', copy('stopped'), '--resume-unsent'])).out).toContain('nothing has left since');
    await startAgain();
    await client.call('POST', `/v6/api/campaigns/${requestId}/resume`, {});
    await client.completed(requestId);
    expect((await expectNoDouble('926')).size).toBe(600);
    await proved();
  });

  it('keeps a worker of the former life out that lived through it all', async () => {
    await faults({ holdReceipts: true });
    const requestId = await client.broadcast(numbersEnding(3_000, '111', '946'), PACED);
    await reached('946', 100);
    expect((await cli(['backup', copy('survived')])).code).toBe(0);
    await reached('946', (await atCarrier('946')).length + 300);
    const survivor = service.workers.at(-1);
    survivor?.signal('SIGSTOP');
    await disaster(survivor);
    expect((await cli(['restore', copy('survived')])).code).toBe(0);
    survivor?.signal('SIGCONT');
    await startAgain();
    await faults({ holdReceipts: false });
    await endReceiptTime(service, requestId);
    await client.completed(requestId);
    const sent = await expectNoDouble('946');
    for (const { receiver, status } of (await client.report(requestId)).data.records) {
      expect([receiver, status]).toEqual([receiver, sent.has(receiver) ? 'DELIVERED' : 'FAILED']);
    }
    await proved();
  });

  it('is refused where it is not whole, not for this place, or of another key', async () => {
    const whole = copy('whole');
    expect((await cli(['backup', whole])).code).toBe(0);
    const broken = (name: string, change: (path: string) => void): string => {
      cpSync(whole, copy(name), { recursive: true });
      change(copy(name));
      return copy(name);
    };
    const manifest = (path: string, change: object): void => {
      const file = join(path, 'manifest.json');
      writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...change }));
    };
    const cut = broken('cut', (path) => {
      const file = join(path, 'database.sql.gz');
      writeFileSync(file, readFileSync(file).subarray(0, 1_000));
    });
    const later = broken('later', (path) => manifest(path, { migrations: ['Tomorrow1900000000000'] }));
    const bare = broken('bare', (path) => rmSync(join(path, 'manifest.json')));
    const unsigned = broken('unsigned', (path) => rmSync(join(path, 'manifest.sig')));
    const elsewhere = new URL(service.database.url);
    elsewhere.pathname = '/';
    const refused: [string[], NodeJS.ProcessEnv, RegExp][] = [
      [['backup', whole], {}, /is not empty/],
      [['restore', whole], {}, /The database switchboard\w* is not empty \(\d+ tables\)/],
      [['restore', cut, '--check'], {}, /cannot be read|digest is another/],
      [['restore', later, '--check'], {}, /was changed after it was signed.*--accept-unsigned/],
      [['restore', later, '--check', '--accept-unsigned'], {}, /of a later version \(Tomorrow1900000000000\)/],
      [['restore', bare, '--check'], {}, /manifest\.json is missing/],
      [['restore', unsigned, '--check'], {}, /is not signed: manifest\.sig is missing/],
      [['restore', whole, '--check'], { ENCRYPTION_KEY: OTHER_KEY }, /signed under another ENCRYPTION_KEY/],
      [
        ['restore', whole, '--check', '--accept-unsigned'],
        { ENCRYPTION_KEY: OTHER_KEY },
        /Secrets of the copy were sealed under another ENCRYPTION_KEY/,
      ],
      [['backup', copy('none')], { PATH: directory }, /mariadb-dump is not installed/],
      [['restore', whole], { DATABASE_URL: elsewhere.href }, /must name a database/],
      [['backup', copy('away')], { DATABASE_URL: 'mysql://u:secret@127.0.0.1:1/x' }, /cannot be reached/],
      [['fence'], {}, /other connections use this database/],
    ];
    await Promise.all(
      refused.map(async ([args, environment, text]) => {
        const { code, err } = await cli(args, environment);
        expect([code, err], args.join(' ')).toEqual([1, expect.stringMatching(text)]);
        expect(err).not.toMatch(/secret|\n\s+at /);
      }),
    );
    expect((await cli(['restore', whole, '--check'])).out).toContain('is whole and can be restored here');
    const vouched = await cli(['restore', unsigned, '--check', '--accept-unsigned']);
    expect(vouched.out).toContain('is whole and can be restored here');
  });

  it('that came back by other means is fenced in its place, and leaves the decision to the operator', async () => {
    const requestId = await client.broadcast(numbersEnding(600, '111', '936'), PACED);
    await reached('936', 100);
    await client.call('POST', `/v6/api/campaigns/${requestId}/pause`, {});
    const other = await client.broadcast(numbersEnding(300, '111', '956'), PACED);
    await client.call('POST', `/v6/api/campaigns/${other}/pause`, {});
    await Promise.all([service.api, ...service.workers].map((process) => process.stop()));
    const { database } = service;
    await database.dataSource.destroy();
    const fenced = await cli(['fence']);
    expect(fenced).toMatchObject({ code: 0, err: '' });
    expect(fenced.out).toMatch(/\d+ recipients of 2 campaigns may have been sent to since/);
    database.dataSource = await new DataSource(dataSourceOptions(database.url, 4)).initialize();
    await startAgain();
    expect((await cli(['resume-unsent'])).code).toBe(2);
    expect((await cli(['resume-unsent', requestId])).code).toBe(0);
    expect((await cli(['resume-unsent', requestId])).err).toContain('left nothing undecided');
    const { out } = await cli(['undecided']);
    expect(out).toContain(`${other}  demo  sms  paused`);
    expect(out).not.toContain(requestId);
    expect((await cli(['resume-unsent', '--all'])).code).toBe(0);
    for (const id of [requestId, other]) {
      await client.call('POST', `/v6/api/campaigns/${id}/resume`, {});
      await client.completed(id);
    }
    expect((await expectNoDouble('936')).size).toBe(600);
    expect((await expectNoDouble('956')).size).toBe(300);
    await proved();
  });
});
