import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountRegistrar } from '../../src/modules/accounts/index.js';
import { readEnvironment } from '../../src/platform/config/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { MailServer, textOf } from '../support/mail-server.js';
import { hashOf } from '../support/passwords.js';
import { type Answer, type Member, PASSWORD } from '../support/sms.js';
import { openVerifications, type Verifications, wrong } from './support.js';

const AUTH = '/v6/api/v1/auth';
const PROOF = '/v6/api/account/proof';
const PAYER = 'house-payer';
const PER_DAY = 60;

let mail: MailServer;
let api: Verifications;
let payer: Member;
let count = 0;

const nextIp = (): string => `198.51.${(count >> 8) & 255}.${count & 255}`;

async function register(fields: Json = {}, there = api): Promise<Answer> {
  count += 1;
  const username = `fresh${count}`;
  return there.post(
    `${AUTH}/register`,
    null,
    {
      ...{ firstname: 'Jane', lastname: 'Doe', email: `${username}@example.com`, username, country: 'India' },
      ...{ password: PASSWORD, password_confirmation: PASSWORD, ...fields },
    },
    { 'x-forwarded-for': nextIp() },
  );
}

/** A registered account with the token of a login. */
async function fresh(fields: Json = {}, there = api): Promise<Member> {
  const made = await register(fields, there);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { username, id } = made.body['user'] as { username: string; id: number };
  const body = { email_or_username: username, password: PASSWORD };
  const login = await there.post(`${AUTH}/login`, null, body, { 'x-forwarded-for': nextIp() });
  return { account: { id, username } as Member['account'], token: String(login.body['token']) };
}

const prove = (member: Member, by: unknown, there = api, ip = nextIp()): Promise<Answer> =>
  there.post(PROOF, member, { by }, { 'x-forwarded-for': ip });
const check = (member: Member, id: unknown, code: string): Promise<Answer> =>
  api.post(`${PROOF}/check`, member, { id, code });
const codeIn = (text: string): string => /\d{6}/.exec(text)?.[0] ?? text;
const balances = async (member: Member): Promise<Json> =>
  Object.fromEntries(
    listOf(await api.get('/v6/api/account/credits', member)).map(({ balance, available }) => [balance, available]),
  );

async function payerOf(there: Verifications, credits: number): Promise<Member> {
  const passwordHash = await hashOf(PASSWORD);
  const account = await inTransaction(there.dataSource, (tx) =>
    there.part(AccountRegistrar).create(tx, {
      ...{ username: PAYER, passwordHash, firstname: 'House', lastname: 'Codes', country: 'India', countryCode: 'IN' },
      startingCredits: { gsm_credits: credits },
    }),
  );
  return { account, token: '' };
}

const SETTINGS = { REGISTRATION: 'verified', REGISTER_RATE_LIMIT: 0, TRUST_PROXY: '1' } as const;

beforeAll(async () => {
  mail = await MailServer.open({
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('full') ? new Error('no room') : null),
  });
  api = await openVerifications({
    ...SETTINGS,
    ...mail.settings,
    REGISTRATION_PAYER: PAYER,
    REGISTRATION_CODES_PER_NETWORK: 4,
    REGISTRATION_CODES_PER_DAY: 1_000,
  });
  payer = await payerOf(api, 1_000);
});
afterAll(async () => {
  await api.stop();
  await mail.stop();
});

describe('REGISTRATION=verified', () => {
  it('lets a fresh account read, and send nothing at any door', async () => {
    const member = await fresh();
    const { username } = member.account;
    expect((await api.get('/v6/api/account', member)).body['data']).toMatchObject({ rights: ['read', 'self'] });
    expect(Object.values(await balances(member)).every((credits) => credits === 0)).toBe(true);
    const sms = { broadcast_name: 'x', brodcast_service: 'main', message: 'Hello', contacts: ['919812345678'] };
    const doors: [string, Json][] = [
      ['/webhook/api/addbroadcastgsm.php', sms],
      ['/webhook/api/addbroadcastUnofficial.php', sms],
      ['/v6/api/messages', { channel: 'sms', to: '+919812345678', text: 'Hello' }],
      [
        '/v6/api/campaigns',
        { channel: 'sms', broadcast_name: 'x', message: 'x', recipients: [{ to: '919812345678' }] },
      ],
      [
        '/v6/api/v1/voice/send',
        { broadcast_name: 'x', audio_url: 'http://127.0.0.1/x.mp3', contacts: ['919812345678'] },
      ],
      [`/v6/api/chatTemplate/24/${username}/messages`, { messaging_product: 'chat' }],
      [`/v6/api/chatBranded/24/${username}/messages`, { messaging_product: 'chat' }],
      [`/v6/api/chat/24/${username}/messages`, { messaging_product: 'chat' }],
      ['/v6/api/verifications', { to: '+919812345678' }],
      ['/v6/api/account/api-keys', { name: 'x' }],
      ['/v6/api/account/users', { username: 'xyz' }],
      ['/v6/api/webhooks', { url: 'https://example.com', events: ['gsm.status.update'] }],
    ];
    const answers = await Promise.all(doors.map(([path, body]) => api.post(path, member, body)));
    expect(answers.map(({ status, body }, index) => [doors[index]?.[0], status, body['message']])).toEqual(
      doors.map(([path]) => [path, 403, 'Prove your telephone number or e-mail address first']),
    );
    // without a token, by the username in the body, and by the password in the address
    expect((await api.post('/webhook/api/addbroadcastgsm.php', null, { ...sms, username })).status).toBe(403);
    const query = new URLSearchParams({ username, password: PASSWORD, number: '919812345678', message: 'Hello' });
    const answer = await fetch(`${api.url}/v5/api/sms_get.php?${query.toString()}`);
    expect(await answer.text()).not.toContain('GSMCAMP');
    const [campaigns] = await api.dataSource.query<{ n: number }[]>(
      'SELECT COUNT(*) AS n FROM campaigns WHERE account_id = ?',
      [member.account.id],
    );
    expect(Number(campaigns?.n)).toBe(0);
  });

  it('grants rights and starting credits with the code of an e-mail, once', async () => {
    const member = await fresh();
    const address = `${member.account.username}@example.com`;
    expect(dataOf(await api.get(PROOF, member))).toEqual({ due: true, ways: [{ by: 'email', to: address }] });
    const started = await prove(member, 'email');
    expect(started).toMatchObject({ status: 200, body: { data: { to: address, attempts_left: 5 } } });
    const { id } = dataOf(started);
    const [letter] = await mail.to(address);
    const code = codeIn(textOf(letter!));
    expect(letter?.raw.split('\r\n\r\n')[0]).not.toContain(code);
    // again within 30 seconds: the same, and no further e-mail
    expect(dataOf(await prove(member, 'email'))['id']).toBe(id);
    expect(await mail.to(address)).toHaveLength(1);
    expect(dataOf(await check(member, id, wrong(code)))).toMatchObject({ status: 'pending', attempts_left: 4 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => check(member, id, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await balances(member)).toMatchObject({ voice_credits: 10, chat_utility_credits: 10, gsm_credits: 0 });
    expect(dataOf(await api.get('/v6/api/account', member))['rights']).toContain('send:sms');
    expect(dataOf(await api.get(PROOF, member))).toEqual({ due: false, ways: [] });
    expect((await prove(member, 'email')).status).toBe(409);
    const log = await api.get('/v6/api/account/log', member);
    expect(JSON.stringify(log.body)).toContain('account.prove');
    expect((await api.post('/v6/api/account/api-keys', member, { name: 'x' })).status).toBe(201);
  });

  it('takes the code of an SMS that the payer pays, over the verification of telephone numbers', async () => {
    const before = await api.credits(payer);
    const member = await fresh({ mobile_no: '9812300011', email: 'full@example.com' });
    const { id, to } = dataOf(await prove(member, 'phone'));
    expect(to).toBe('919812300011');
    expect(before - (await api.credits(payer))).toBe(1);
    const code = await api.codeOf(id);
    const stranger = await fresh();
    expect((await check(stranger, id, code)).status).toBe(404);
    expect((await check(member, 'ver_x', code)).status).toBe(404);
    expect((await check(member, id, 'abc')).status).toBe(400);
    expect(dataOf(await check(member, id, code))).toMatchObject({ status: 'approved' });
    expect(await balances(member)).toMatchObject({ voice_credits: 10 });
  });

  it('ends with five wrong codes', async () => {
    const member = await fresh();
    const { id } = dataOf(await prove(member, 'email'));
    const code = await api.codeOf(id);
    for (let tries = 0; tries < 5; tries++) await check(member, id, wrong(code));
    expect(dataOf(await check(member, id, code))).toMatchObject({ status: 'too_many' });
    expect(await prove(member, 'email')).toMatchObject({ status: 429, body: { code: 'verification_locked' } });
    expect(dataOf(await api.get(PROOF, member))).toMatchObject({ due: true });
  });

  it('refuses disposable mailboxes, and says what cannot be proved', async () => {
    for (const domain of ['mailinator.com', 'inbox.mailinator.com'])
      expect(await register({ email: `x${count}@${domain}` })).toMatchObject({
        status: 400,
        body: { message: 'email is of a disposable domain' },
      });
    const member = await fresh({ mobile_no: '12', email: 'full2@example.com' });
    expect(await prove(member, 'post')).toMatchObject({ body: { message: 'by must be one of: email, phone' } });
    expect(await prove(member, 'phone')).toMatchObject({ status: 400, body: { code: 'proof_number' } });
    const dear = await fresh({ mobile_no: '88216123456', email: 'dear@example.com' });
    expect(await prove(dear, 'phone')).toMatchObject({ status: 400, body: { code: 'proof_number' } });
    expect(await prove(member, 'email')).toMatchObject({ status: 503, body: { code: 'proof_unavailable' } });
  });

  it('needs a way to send codes at the start of the service', () => {
    const NEEDED = {
      ...{ DATABASE_URL: 'mysql://user:password@localhost/name', REDIS_URL: 'redis://localhost' },
      ...{ JWT_SECRET: 'abcdefghijklmnopqrstuvwxyz0123456789', ENCRYPTION_KEY: '0123456789abcdef'.repeat(4) },
    };
    expect(() => readEnvironment({ ...NEEDED, REGISTRATION: 'verified' })).toThrow('REGISTRATION_PAYER');
    expect(readEnvironment({ ...NEEDED, REGISTRATION: 'verified', REGISTRATION_PAYER: PAYER }).REGISTRATION).toBe(
      'verified',
    );
  });
});

describe('the cost of strangers', () => {
  it('is bounded by network, and by account and mailbox', async () => {
    const ip = '203.0.113.9';
    const members = await Promise.all(Array.from({ length: 6 }, () => fresh()));
    const answers = await Promise.all(members.map((member) => prove(member, 'email', api, ip)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    expect(answers.find(({ status }) => status === 429)).toMatchObject({ body: { code: 'proof_limit' } });
    const one = await fresh({ email: 'one@example.com' });
    const two = await fresh({ email: 'one+2@example.com' });
    const sent: number[] = [];
    for (let index = 0; index < 7; index++) {
      const member = index % 2 === 0 ? one : two;
      const answer = await prove(member, 'email', api, `192.0.2.${index}`);
      sent.push(answer.status);
      if (answer.status === 200) await api.later(dataOf(answer)['id'], 31);
    }
    expect(sent).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });

  it('is at most the codes of the day, from however many accounts and addresses, also without Redis', async () => {
    const bounded = await openVerifications({
      ...SETTINGS,
      ...{ REGISTRATION_PAYER: PAYER, REGISTRATION_CODES_PER_DAY: PER_DAY, REDIS_URL: 'redis://127.0.0.1:1' },
    });
    try {
      const purse = await payerOf(bounded, 1_000);
      expect((await register({}, bounded)).body['message']).toBe('mobile_no is required');
      const passwordHash = await hashOf(PASSWORD);
      const members = await inTransaction(bounded.dataSource, async (tx) => {
        const made: Member[] = [];
        for (let index = 0; index < 200; index++) {
          const mobileNo = `9197${10_000_000 + index * 10_000}`;
          const person = { username: `crowd${index}`, passwordHash, firstname: 'A', lastname: 'B', mobileNo };
          const account = await bounded.part(AccountRegistrar).create(tx, { ...person, proofDue: true });
          made.push({ account, token: '' });
        }
        return made;
      });
      const tokens = members.map((member) => ({ ...member, token: bounded.tokenOf(member.account) }));
      const answers = await Promise.all(
        tokens.map((member, index) => prove(member, 'phone', bounded, `10.${index}.7.1`)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(PER_DAY);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(200 - PER_DAY);
      expect(1_000 - (await bounded.credits(purse))).toBe(PER_DAY);
    } finally {
      await bounded.stop();
    }
  });
});
