import { createCipheriv, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { ChatAccounts } from '../../src/modules/providers/index.js';
import { sealedIn, Sealer, SealRenewal } from '../../src/platform/security/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const [OLD, NEW] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')] as const;
const PATH = '/v6/api/admin/chat-accounts';
const TOKEN = 'graph-access-token';

const configOf = (name: string): string => sealedIn('routes', 'config', name);
/** Of the first webhook: its secret, then the one before. */
const secretsAt = (index: number): string =>
  sealedIn('webhook_endpoints', index === 0 ? 'secret' : 'previous_secret', 1);

/** ENCRYPTION_KEY is changed in three steps, with processes of two steps side by side at each. */
describe('a change of ENCRYPTION_KEY', () => {
  let before: RunningApi;
  let accounts: Accounts;
  let token: string;

  beforeAll(async () => {
    before = await startApi({ ENCRYPTION_KEY: OLD, ENCRYPTION_KEYS_ACCEPTED: [NEW] });
    accounts = accountsOf(before);
    token = accounts.token(await accounts.account({ userType: 'super' }));
  });
  afterAll(() => before.stop());

  const account = async (): Promise<number> => {
    const { id, username } = await accounts.account();
    const body = { provider: 'meta_cloud', token: TOKEN, url: 'https://graph.example/v21.0/1' };
    expect((await accounts.call('PUT', `${PATH}/${username}`, { token, body })).status).toBe(200);
    return id;
  };
  const sealed = async (): Promise<string[]> => {
    const rows = await before.app.get(DataSource).query<{ config: string }[]>('SELECT config FROM routes ORDER BY id');
    return rows.map(({ config }) => config);
  };
  const tokenOf = async (api: RunningApi, accountId: number): Promise<string | null | undefined> => {
    const chatAccounts = api.app.get(ChatAccounts, { strict: false });
    chatAccounts.forget();
    return (await chatAccounts.find(accountId, 'official'))?.token;
  };
  /** A customer's webhook with a secret, and the one before it. */
  const webhook = async (): Promise<string[]> => {
    const who = accounts.token(await accounts.account());
    const body = { url: 'https://shop.example/hook', events: ['gsm.status.update'] };
    const created = (await accounts.call('POST', '/v6/api/webhooks', { token: who, body })).body;
    const { id, secret } = created['data'] as { id: number; secret: string };
    const rotated = (await accounts.call('POST', `/v6/api/webhooks/${id}/rotate-secret`, { token: who })).body;
    return [(rotated['data'] as { secret: string }).secret, secret];
  };
  const sealedSecrets = async (): Promise<string[]> => {
    const rows = await before.app
      .get(DataSource)
      .query<{ secret: string; previous_secret: string }[]>('SELECT secret, previous_secret FROM webhook_endpoints');
    return rows.flatMap((row) => [row.secret, row.previous_secret]);
  };
  const instance = (ENCRYPTION_KEY: string, ENCRYPTION_KEYS_ACCEPTED: string[]): Promise<RunningApi> =>
    startApi({ ...before.environment, ENCRYPTION_KEY, ENCRYPTION_KEYS_ACCEPTED }, before.database);

  it('seals everything anew, and nothing is closed to anybody meanwhile', async () => {
    const ids = [await account(), await account()];
    const secrets = await webhook();
    const oldPrefix = new Sealer({ ENCRYPTION_KEY: OLD }).prefix;
    expect((await sealed()).every((text) => text.startsWith(oldPrefix))).toBe(true);
    const during = await instance(NEW, [OLD]);
    const { prefix } = during.app.get(Sealer);
    await vi.waitUntil(
      async () => [...(await sealed()), ...(await sealedSecrets())].every((text) => text.startsWith(prefix)),
      { timeout: 60_000 },
    );
    const reader = new Sealer({ ENCRYPTION_KEY: NEW });
    expect((await sealedSecrets()).map((text, index) => reader.open(text, secretsAt(index)))).toEqual(secrets);
    for (const id of ids) for (const api of [before, during]) expect(await tokenOf(api, id)).toBe(TOKEN);
    // The process of the step before still writes under the old key; the new one reads it, and renews it at its next start.
    const late = await account();
    expect(await tokenOf(during, late)).toBe(TOKEN);
    expect(await during.app.get(SealRenewal).renew()).toBe(1);
    await during.stop();
    const after = await instance(NEW, []);
    for (const id of [...ids, late]) expect(await tokenOf(after, id)).toBe(TOKEN);
    await after.stop();
  });

  it('is finished once, by many processes at the same time, over many rows', async () => {
    const source = before.app.get(DataSource);
    const sealer = new Sealer({ ENCRYPTION_KEY: OLD });
    const rows = Array.from({ length: 1_200 }, (_, index) => [
      `r${index}`,
      sealer.seal(`{"n":${index}}`, configOf(`r${index}`)),
    ]);
    await source.query(
      `INSERT INTO routes (name, channel, driver, config, callback_secret, pace_us, created_at, updated_at)
       VALUES ${rows.map(() => "(?, 'chat', 'meta_cloud', ?, 'x', 0, NOW(3), NOW(3))").join(', ')}`,
      rows.flat(),
    );
    const others = await Promise.all([instance(NEW, [OLD]), instance(NEW, [OLD])]);
    const { prefix } = new Sealer({ ENCRYPTION_KEY: NEW });
    await vi.waitUntil(async () => (await sealed()).every((text) => text.startsWith(prefix)), { timeout: 60_000 });
    const opened = await source.query<{ name: string; config: string }[]>(
      "SELECT name, config FROM routes WHERE name LIKE 'r%' ORDER BY id",
    );
    const reader = new Sealer({ ENCRYPTION_KEY: NEW });
    expect(opened.map(({ name, config }) => reader.open(config, configOf(name)))).toEqual(
      rows.map((_, index) => `{"n":${index}}`),
    );
    for (const other of others) await other.stop();
  });

  it('gives a place to what was sealed without one, and nothing opens in another place', async () => {
    const source = before.app.get(DataSource);
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', Buffer.from(NEW, 'hex'), nonce);
    const bytes = Buffer.concat([nonce, cipher.update('{}'), cipher.final(), cipher.getAuthTag()]);
    const reader = new Sealer({ ENCRYPTION_KEY: NEW });
    await source.query(
      `INSERT INTO routes (name, channel, driver, config, callback_secret, pace_us, created_at, updated_at)
       VALUES ('former', 'chat', 'meta_cloud', ?, 'x', 0, NOW(3), NOW(3))`,
      [`${reader.prefix}${bytes.toString('base64url')}`],
    );
    const during = await instance(NEW, [OLD]);
    await during.app.get(SealRenewal).renew();
    await during.stop();
    const [row] = await source.query<{ config: string }[]>("SELECT config FROM routes WHERE name = 'former'");
    expect(row?.config.startsWith(reader.boundPrefix)).toBe(true);
    expect(reader.open(row?.config ?? '', configOf('former'))).toBe('{}');
    expect(() => reader.open(row?.config ?? '', configOf('r1'))).toThrow();
    const [one, two] = [await account(), await account()];
    const chat = before.app.get(ChatAccounts, { strict: false });
    await source.query(
      'UPDATE routes a JOIN routes b ON b.account_id = ? SET a.config = b.config WHERE a.account_id = ?',
      [one, two],
    );
    chat.forget();
    expect((await chat.find(one, 'official'))?.token).toBe(TOKEN);
    await expect(chat.find(two, 'official')).rejects.toThrow();
  });

  it('leaves alone what no key opens', async () => {
    const source = before.app.get(DataSource);
    const lost = new Sealer({ ENCRYPTION_KEY: randomBytes(32).toString('hex') }).seal('{}', configOf('lost'));
    await source.query(
      `INSERT INTO routes (name, channel, driver, config, callback_secret, pace_us, created_at, updated_at)
       VALUES ('lost', 'chat', 'meta_cloud', ?, 'x', 0, NOW(3), NOW(3))`,
      [lost],
    );
    const during = await instance(NEW, [OLD]);
    expect(await during.app.get(SealRenewal).renew()).toBe(0);
    await during.stop();
    expect(await source.query("SELECT config FROM routes WHERE name = 'lost'")).toEqual([{ config: lost }]);
  });
});
