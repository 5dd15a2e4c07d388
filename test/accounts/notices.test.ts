import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { AccountNotices, NOTICE_TYPES } from '../../src/modules/notices/index.js';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { MailServer, textOf } from '../support/mail-server.js';

const NEXT = 'Rainy-Day-8';

let mail: MailServer;
let api: RunningApi;
let accounts: Accounts;

beforeAll(async () => {
  mail = await MailServer.open();
  api = await startApi({ USER_RATE_LIMIT: 0, ...mail.settings });
  accounts = accountsOf(api);
});
afterAll(async () => {
  await api.stop();
  await mail.stop();
});

const call = (method: string, path: string, account: Account, body?: unknown) =>
  accounts.call(method, path, { token: accounts.token(account), ...(body !== undefined && { body }) });
/** An account with an endpoint that takes security events. */
const member = async (email: string | null): Promise<Account> => {
  const account = await accounts.account({ email });
  const hook = { url: 'https://shop.example/hook', events: ['account.security'] };
  expect((await call('POST', '/v6/api/webhooks', account, hook)).status).toBe(201);
  return account;
};
const told = async ({ id }: Account): Promise<unknown[]> => {
  const rows = await api.app
    .get(DataSource)
    .query<{ body: string }[]>('SELECT body FROM webhook_events WHERE account_id = ? ORDER BY id', [id]);
  return rows.map(({ body }) => JSON.parse(body) as unknown);
};
const event = (type: string, login: string, facts: object) => ({
  event: 'account.security',
  type,
  login,
  at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  ...facts,
});

it('a new key is told to the account, without the key', async () => {
  const owner = await member('keys@example.com');
  const created = await call('POST', '/v6/api/account/api-keys', owner, { name: 'Shop\r\nBcc: x@example.com' });
  const { key, prefix, name } = created.body['data'] as Record<string, string>;
  const by = owner.username;
  expect(await told(owner)).toEqual([event('api_key.created', owner.username, { name, prefix, by })]);
  const [sent] = await mail.to('keys@example.com');
  expect(sent).toMatchObject({ from: 'no-reply@example.com', to: ['keys@example.com'], isEncrypted: true });
  expect(textOf(sent!)).toContain(`prefix: ${prefix}`);
  expect(textOf(sent!)).toContain('name: Shop Bcc: x@example.com');
  expect(sent?.raw).not.toMatch(/^Bcc/im);
  expect(JSON.stringify([sent, await told(owner)])).not.toContain(key);
});

it('a changed password is told to who logs in with it, whoever changed it', async () => {
  const owner = await member('owner@example.com');
  const person = {
    username: `${owner.username}.p`,
    password: PASSWORD,
    firstname: 'P',
    lastname: 'Q',
    email: 'p@example.com',
  };
  const made = await call('POST', '/v6/api/account/users', owner, person);
  const { id } = made.body['data'] as { id: number };
  await call('PATCH', `/v6/api/account/users/${id}`, owner, { firstname: 'Other' });
  await call('PATCH', `/v6/api/account/users/${id}`, owner, { password: NEXT });
  await call('PUT', '/v6/api/account/password', owner, { current: PASSWORD, new: NEXT });
  expect(await told(owner)).toEqual([
    event('password.changed', person.username, { by: 'account' }),
    event('password.changed', owner.username, { by: 'account' }),
  ]);
  expect(textOf((await mail.to('p@example.com'))[0]!)).toContain(`login: ${person.username}`);
  expect(textOf((await mail.to('owner@example.com'))[0]!)).toContain(`login: ${owner.username}`);
  const staff = await accounts.account({ userType: 'super' });
  const path = `/v6/api/admin/accounts/${owner.username}`;
  expect((await call('PATCH', path, staff, { password: PASSWORD })).status).toBe(200);
  expect((await told(owner)).at(-1)).toEqual(event('password.changed', owner.username, { by: 'staff' }));
  expect(await mail.to('owner@example.com', 2)).toHaveLength(2);
});

it('each type has an e-mail, and an account without an address has none', async () => {
  const notices = api.app.get(AccountNotices, { strict: false });
  const [owner, silent] = [await member('all@example.com'), await member(null)];
  for (const type of NOTICE_TYPES) {
    await notices.notify(owner, { type, ip: '203.0.113.7' });
    await notices.notify(silent, { type });
  }
  const subjects = (await mail.to('all@example.com', NOTICE_TYPES.length)).map(
    ({ raw }) => /^Subject: .*$/m.exec(raw)?.[0],
  );
  expect(new Set(subjects).size).toBe(NOTICE_TYPES.length);
  expect(await told(silent)).toHaveLength(NOTICE_TYPES.length);
});

it('never fail the action: neither a dead mail server nor a failing database', async () => {
  const dead = await startApi({ ...api.environment, SMTP_URL: 'smtp://127.0.0.1:1' }, api.database);
  try {
    const owner = await member('lost@example.com');
    const there = accountsOf(dead);
    const created = await there.call('POST', '/v6/api/account/api-keys', { token: there.token(owner), body: {} });
    expect(created.status).toBe(201);
    const body = { id: -1, username: 'nobody', email: 'lost@example.com' };
    await dead.app.get(AccountNotices, { strict: false }).notify(body, { type: 'sessions.ended' });
    expect(mail.received.some(({ to }) => to.includes('lost@example.com'))).toBe(false);
  } finally {
    await dead.stop();
  }
});
