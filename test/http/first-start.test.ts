import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test, type TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { FirstAccounts } from '../../src/apps/api/first-accounts.js';
import { migrate, whileLocked } from '../../src/apps/api/migrate.js';
import { PrepareModule } from '../../src/apps/api/prepare-database.js';
import { SandboxChat, SandboxRoutes } from '../../src/apps/api/sandbox-setup.js';
import { AccountDirectory, AccountRegistrar } from '../../src/modules/accounts/index.js';
import { ChatAccounts, RouteDirectory } from '../../src/modules/providers/index.js';
import { ENVIRONMENT, type Environment, InvalidEnvironment } from '../../src/platform/config/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { testEnvironment } from '../support/api.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/processes.js';

let database: TestDatabase;
let directory: string;
let key: Partial<Environment>;
const modules: TestingModule[] = [];

async function prepared(overrides: Partial<Environment>): Promise<TestingModule> {
  const environment = testEnvironment(database.url, { ...key, DATA_DIR: directory, ...overrides });
  const module = await Test.createTestingModule({ imports: [PrepareModule] })
    .overrideProvider(ENVIRONMENT)
    .useValue(environment)
    .compile();
  modules.push(module);
  return module.init();
}

beforeAll(async () => {
  database = await createTestDatabase();
  directory = await mkdtemp(join(tmpdir(), 'first-start-'));
  key = { ENCRYPTION_KEY: 'ab'.repeat(32) };
});
afterAll(async () => {
  for (const module of modules) await module.close();
  await database.drop();
  await rm(directory, { recursive: true });
});

describe('the first start', () => {
  it('lets one process at a time prepare', async () => {
    let inside = 0;
    const enter = (): Promise<number> =>
      whileLocked(
        database.dataSource,
        async () => {
          inside++;
          const together = inside;
          await new Promise((resolve) => setTimeout(resolve, 50));
          inside--;
          return together;
        },
        20,
      );
    expect(await Promise.all([enter(), enter(), enter()])).toEqual([1, 1, 1]);
    expect(await migrate(database.dataSource)).toEqual([]);
  });

  it('leaves the lock to a holder that lives, however long it takes, and takes over from one that is dead', async () => {
    const { dataSource } = database;
    const held = async (): Promise<{ owner: string | null; beat: number; looks: number }> =>
      (
        await dataSource.query<{ owner: string | null; beat: number; looks: number }[]>(
          'SELECT owner, beat, looks FROM preparation_lock',
        )
      )[0]!;
    const order: string[] = [];
    const slow = whileLocked(
      dataSource,
      async () => {
        const { looks } = await held();
        // A waiter that went by a fixed time would have lost its patience twice over.
        await until('the other to look on', async () => Number((await held()).looks) > Number(looks) + 40);
        order.push('slow');
      },
      10,
    );
    await until('the lock to be held', async () => (await held()).owner !== null);
    await whileLocked(dataSource, () => Promise.resolve(order.push('next')), 10);
    await slow;
    expect(order).toEqual(['slow', 'next']);

    await dataSource.query("UPDATE preparation_lock SET owner = 'somebody who was killed'");
    const { looks } = await held();
    await whileLocked(dataSource, () => Promise.resolve(), 10);
    expect(Number((await held()).looks) - Number(looks)).toBeGreaterThanOrEqual(20);
    expect((await held()).owner).toBeNull();
  });

  it('tells when another has taken over meanwhile, and hands on what the work threw', async () => {
    const { dataSource } = database;
    const robbed = whileLocked(
      dataSource,
      () => dataSource.query("UPDATE preparation_lock SET owner = 'thief'"),
      10_000,
    );
    await expect(robbed).rejects.toThrow('Another process took over');
    await dataSource.query('UPDATE preparation_lock SET owner = NULL');
    await expect(whileLocked(dataSource, () => Promise.reject(new Error('no such table')))).rejects.toThrow('no such');
    expect(await dataSource.query('SELECT owner FROM preparation_lock')).toEqual([{ owner: null }]);
  });

  it('makes the first admin with a random password, keeps it for the owner alone and prints it nowhere', async () => {
    const accounts = (await prepared({ NODE_ENV: 'production' })).get(FirstAccounts);
    const lines = await accounts.ensure();
    const file = join(directory, 'admin-password');
    const password = (await readFile(file, 'utf8')).trim();
    expect(lines).toEqual([`Created the admin account "admin" with the password in ${file}`]);
    expect(password.length).toBeGreaterThan(16);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await accounts.ensure()).toEqual([]);
    const rows = await database.dataSource.query('SELECT username, user_type FROM accounts');
    expect(rows).toEqual([{ username: 'admin', user_type: 'super' }]);
  });

  it('wants ADMIN_PASSWORD where none can be kept, and makes nothing', async () => {
    const file = join(directory, 'admin-password'); // a file where a directory is due
    const accounts = (await prepared({ DATA_DIR: file, ADMIN_USERNAME: 'second' })).get(FirstAccounts);
    await expect(accounts.ensure()).rejects.toThrow(
      /ADMIN_PASSWORD: needed, because none can be kept in DATA_DIR .*EEXIST/,
    );
    expect(await database.dataSource.query('SELECT username FROM accounts')).toHaveLength(1);
  });

  it('never touches an existing admin, and does not print ADMIN_PASSWORD', async () => {
    const before = await database.dataSource.query('SELECT * FROM accounts');
    const again = await prepared({ ADMIN_PASSWORD: 'Another-Password-1' });
    expect(await again.get(FirstAccounts).ensure()).toEqual([]);
    expect(await database.dataSource.query('SELECT * FROM accounts')).toEqual(before);
    const other = await prepared({ ADMIN_USERNAME: 'chief', ADMIN_PASSWORD: 'Another-Password-1' });
    const lines = await other.get(FirstAccounts).ensure();
    expect(lines.join()).toContain('chief');
    expect(lines.join()).not.toContain('Another-Password-1');
  });

  it('wants of ADMIN_PASSWORD what it wants of every password, and says what is wrong', async () => {
    const faults: [string, string][] = [
      ['short', 'Password must be at least 8 characters'],
      ['alllowercase-1', 'Password must contain at least one uppercase letter'],
      [`Aa1-${'ü'.repeat(35)}`, 'Password must be at most 72 bytes'],
    ];
    for (const [password, text] of faults) {
      const module = await prepared({ ADMIN_USERNAME: 'weak', ADMIN_PASSWORD: password });
      const outcome = module.get(FirstAccounts).ensure();
      await expect(outcome).rejects.toThrow(InvalidEnvironment);
      await expect(outcome).rejects.toThrow(`ADMIN_PASSWORD: ${text}`);
      await expect(outcome).rejects.not.toThrow(password);
    }
    expect(await modules[0]!.get(AccountDirectory).byUsername('weak')).toBeNull();
  });

  it('stops when the admin’s name belongs to somebody else, in whatever case', async () => {
    const password = 'Another-Password-1';
    const registrar = modules[0]!.get(AccountRegistrar);
    const somebody = { username: 'Taken', passwordHash: 'x', firstname: 'A', lastname: 'B' };
    await inTransaction(modules[0]!.get(DataSource), (tx) => registrar.create(tx, somebody));
    const start = async (name: string): Promise<unknown> =>
      (await prepared({ ADMIN_USERNAME: name, ADMIN_PASSWORD: password })).get(FirstAccounts).ensure();
    await expect(start('Taken')).rejects.toThrow(/ADMIN_USERNAME: "Taken" exists already and is no super account/);
    await expect(start('TAKEN')).rejects.toThrow(/ADMIN_USERNAME: "TAKEN" differs only .* from the existing "Taken"/);
    await expect(start('ADMIN')).rejects.toThrow(/"ADMIN" differs only .* from the existing "admin"/);
    expect(await start('admin')).toEqual([]);
  });

  it('makes the demo account and the sandbox routes in development only', async () => {
    const ports = { SANDBOX_PORT: 40_001, SANDBOX_SMPP_PORT: 40_002, PORT: 40_003 };
    const production = await prepared({ NODE_ENV: 'production', ...ports });
    await production.get(FirstAccounts).ensure();
    await production.get(SandboxRoutes).ensure();
    await production.get(SandboxChat).ensure();
    expect(await production.get(AccountDirectory).byUsername('demo')).toBeNull();
    expect(await production.get(RouteDirectory).list()).toEqual([]);

    const development = await prepared({ NODE_ENV: 'development', ...ports });
    expect(await development.get(FirstAccounts).ensure()).toHaveLength(1);
    await development.get(SandboxRoutes).ensure();
    await development.get(SandboxChat).ensure();
    const balances = await database.dataSource.query<{ available: number }[]>(
      'SELECT available FROM credit_balances b JOIN accounts a ON a.id = b.account_id WHERE a.username = ?',
      ['demo'],
    );
    expect(balances.map((row) => Number(row.available))).toEqual(Array(6).fill(1000));
    const routes = await development.get(RouteDirectory).list();
    expect(routes.map((route) => [route.name, route.driver, route.isDefault])).toEqual([
      ['sandbox', 'smpp', true],
      ['sandbox-chat', 'http', true],
      ['sandbox-http', 'http', false],
      ['sandbox-voice', 'twilio', true],
    ]);
    const token = routes[3]?.config['auth_token'];
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    const demo = await development.get(AccountDirectory).byUsername('demo');
    const chat = await development.get(ChatAccounts).find(demo?.id ?? 0, 'official');
    expect(chat).toMatchObject({ url: 'http://127.0.0.1:40001/v21.0/100000000000001', provider: 'meta_cloud' });
    const secret = routes[2]?.callbackSecret ?? '';
    expect(routes[2]?.config['body']).toMatchObject({
      callback_url: `http://127.0.0.1:40003/provider/sms/sandbox-http/${secret}`,
    });

    const moved = await prepared({
      NODE_ENV: 'development',
      ...ports,
      SANDBOX_SMPP_PORT: 40_009,
      SANDBOX_PORT: 40_008,
    });
    await moved.get(SandboxRoutes).ensure();
    await moved.get(SandboxChat).ensure();
    expect(await moved.get(ChatAccounts).find(demo?.id ?? 0, 'official')).toMatchObject({
      url: 'http://127.0.0.1:40008/v21.0/100000000000001',
      appSecret: chat?.appSecret,
    });
    expect(await moved.get(RouteDirectory).byName('sandbox')).toMatchObject({
      isDefault: true,
      config: { port: 40_009, system_id: 'switchboard' },
    });
    expect((await moved.get(RouteDirectory).byName('sandbox-http'))?.callbackSecret).toBe(secret);
    expect(await moved.get(RouteDirectory).byName('sandbox-voice')).toMatchObject({
      channel: 'voice',
      isDefault: true,
      config: { base_url: 'http://127.0.0.1:40008', auth_token: token },
    });
  });
});
