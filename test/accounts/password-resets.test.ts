import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountsOf, type Accounts, PASSWORD, unhurried } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { MailServer, textOf } from '../support/mail-server.js';
import { until } from '../support/processes.js';

const PATH = '/v6/api/v1/auth/password-resets';
const AUTH = '/v6/api/v1/auth';
const NEXT = 'Rainy-Day-8';
const ACCEPTED = { success: true, message: 'If the login has an e-mail address, a link is on its way' };

let mail: MailServer;
let api: RunningApi;
let accounts: Accounts;
let dataSource: DataSource;
let lastIp = 0;
const freshIp = (): string => `10.8.${lastIp >> 8}.${lastIp++ & 255}`;

beforeAll(async () => {
  mail = await MailServer.open();
  api = await startApi({ TRUST_PROXY: '1', USER_RATE_LIMIT: 0, REGISTER_RATE_LIMIT: 60, ...mail.settings });
  accounts = accountsOf(api);
  dataSource = api.app.get(DataSource);
});
afterAll(async () => {
  await api.stop();
  await mail.stop();
});

const ask = (name: string, ip = freshIp()) => accounts.call('POST', PATH, { body: { email_or_username: name }, ip });
const use = (token: string, password = NEXT) =>
  unhurried(() => accounts.row('POST', `${AUTH}/links/use`, { body: { token, password }, ip: freshIp() }));
const linkIn = async (address: string, which = 1): Promise<string> => {
  const text = textOf((await mail.to(address, which))[which - 1]!);
  return /https:\/\/send\.example\.com\/app\/(?:new-password|join)#([\w-]{43})/.exec(text)?.[1] ?? text;
};

/** Every statement about links and names that the service sends until 250 links were written or not, without its values. */
async function statementsOf(work: () => Promise<void>): Promise<string[]> {
  const seen: string[] = [];
  const { driver } = dataSource;
  const make = driver.createQueryRunner.bind(driver);
  driver.createQueryRunner = (mode) => {
    const runner = make(mode);
    const query = runner.query.bind(runner) as (text: string, ...rest: unknown[]) => Promise<unknown>;
    runner.query = ((text: string, ...rest: unknown[]) => {
      if (/one_time_links|login_identities/.test(text)) seen.push(text.replace(/\s+/g, ' '));
      return query(text, ...rest);
    }) as typeof runner.query;
    return runner;
  };
  try {
    await work();
    const written = () => seen.filter((text) => text.startsWith('INSERT INTO one_time_links')).length;
    await until('every request to be worked off', () => Promise.resolve(written() >= 250));
  } finally {
    driver.createQueryRunner = make;
  }
  return seen;
}

it('is answered alike for 500 names, known and unknown, with the same statements', async () => {
  const costOf = async (names: readonly string[]): Promise<{ answers: string[]; counts: Record<string, number> }> => {
    const answers: string[] = [];
    const statements = await statementsOf(async () => {
      for (const name of names) {
        const { status, body } = await ask(name);
        answers.push(JSON.stringify([status, body]));
      }
    });
    const counts: Record<string, number> = {};
    for (const text of statements) counts[text] = (counts[text] ?? 0) + 1;
    return { answers, counts };
  };
  const people = Array.from({ length: 250 }, (_, index) => `reset${index}`);
  await Promise.all(people.map((username) => accounts.account({ username, email: `${username}@example.com` })));
  const there = await costOf(people);
  const away = await costOf(Array.from({ length: 250 }, (_, index) => `nowhere${index}`));
  expect(new Set([...there.answers, ...away.answers])).toEqual(new Set([JSON.stringify([202, ACCEPTED])]));
  expect(Object.values(there.counts)).toEqual([250, 250, 250, 250]);
  expect(away.counts).toEqual(there.counts);
  expect(await mail.to('reset249@example.com')).toHaveLength(1);
}, 180_000);

it('sends a link by e-mail to the login that was named, and sets its password', async () => {
  const account = await accounts.account({ email: 'acme@example.com' });
  const token = accounts.token(account);
  const person = {
    username: `${account.username}.p`,
    password: PASSWORD,
    firstname: 'P',
    lastname: 'Q',
    email: 'pq@example.com',
  };
  await accounts.call('POST', '/v6/api/account/users', { token, body: person });
  expect((await ask('PQ@example.com')).body).toEqual(ACCEPTED);
  const link = await linkIn('pq@example.com');
  expect(mail.received.some(({ to }) => to.includes('acme@example.com'))).toBe(false);
  expect(await use(link)).toEqual([200, 'Password set successfully']);
  expect(textOf((await mail.to('pq@example.com', 2))[1]!)).toContain('by: link');
  expect((await accounts.row('GET', '/v6/api/account', { token }))[0]).toBe(200); // the account itself is as before
  await ask(account.username);
  expect(await use(await linkIn('acme@example.com'))).toEqual([200, 'Password set successfully']);
  expect((await accounts.row('GET', '/v6/api/account', { token }))[0]).toBe(401);
  const [row] = await dataSource.query<{ password_set_by: string | null }[]>(
    'SELECT password_set_by FROM accounts WHERE id = ?',
    [account.id],
  );
  expect(row?.password_set_by).toBeNull();
});

it('replaces the former link, and reaches neither closed, invited nor unaddressed logins', async () => {
  const account = await accounts.account({ email: 'twice@example.com' });
  await ask(account.username);
  const first = await linkIn('twice@example.com');
  await ask(account.username);
  const second = await linkIn('twice@example.com', 2);
  expect(await use(first)).toEqual([404, 'This link is not valid']);
  expect(await use(second)).toEqual([200, 'Password set successfully']);
  const closed = await accounts.account({ email: 'closed@example.com', isActive: false });
  const silent = await accounts.account({ email: null });
  const invited = { username: 'invited.one', email: 'invited@example.com' };
  const fresh = accounts.token(await accounts.account());
  const sent = await accounts.call('POST', '/v6/api/account/users/invitations', { token: fresh, body: invited });
  expect(sent.body['data']).toMatchObject({ link: null, emailed: true });
  for (const name of [closed.username, silent.username, invited.username]) expect((await ask(name)).status).toBe(202);
  await ask(account.username); // after all of them
  await mail.to('twice@example.com', 4);
  expect(mail.received.filter(({ to }) => to.includes('closed@example.com'))).toEqual([]);
  expect(mail.received.filter(({ to }) => to.includes('invited@example.com'))).toHaveLength(1);
  const join = { token: await linkIn('invited@example.com'), password: NEXT, firstname: 'In', lastname: 'Vited' };
  expect(await accounts.row('POST', `${AUTH}/links/use`, { body: join, ip: freshIp() })).toEqual([
    200,
    'Password set successfully',
  ]);
});

it('is limited by address and by name, alike for unknown names', async () => {
  await accounts.account({ username: 'limited', email: 'limited@example.com' });
  for (const name of ['limited', 'unlimited']) {
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1) statuses.push((await ask(name)).status);
    expect(statuses).toEqual([...(Array(10).fill(202) as number[]), 429, 429]);
  }
  const ip = freshIp();
  const statuses = await Promise.all(
    Array.from({ length: 70 }, async (_, index) => (await ask(`many${index}`, ip)).status),
  );
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect(await accounts.row('POST', PATH, { body: {}, ip: freshIp() })).toEqual([400, 'email_or_username is required']);
  expect((await accounts.row('POST', PATH, { body: { email_or_username: {} }, ip: freshIp() }))[0]).toBe(400);
});

it('is taken by no other header: names cannot add recipients', async () => {
  const account = await accounts.account({
    email: 'inject@example.com',
    firstname: 'A\r\nBcc: mallory@example.com',
    lastname: 'B',
  });
  const name = 'inject.guest';
  const body = { username: name, email: 'guest@example.com', firstname: 'X\r\nBcc: mallory@example.com' };
  await accounts.call('POST', '/v6/api/account/users/invitations', { token: accounts.token(account), body });
  const [sent] = await mail.to('guest@example.com');
  expect(sent?.to).toEqual(['guest@example.com']);
  expect(sent?.raw.split('\r\n\r\n')[0]).not.toMatch(/^bcc:/im);
  expect(mail.received.some(({ to }) => to.includes('mallory@example.com'))).toBe(false);
});
