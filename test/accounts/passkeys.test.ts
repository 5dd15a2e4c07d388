import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, type Answer, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { SoftPasskey } from '../support/soft-passkey.js';

const SITE = 'https://sms.example.com';
const FACTOR = '/v6/api/account/second-factor';
const CONFIRM = '/v6/api/account/confirmation';
const INVALID = [401, 'Invalid second factor'];
const WRONG = [400, 'Invalid second factor'];
const ADDED = [200, 'Second factor added successfully'];
const LOGGED_IN = [200, 'Login successful'];

interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  allowCredentials?: { id: string }[];
  excludeCredentials?: { id: string }[];
}

let api: RunningApi;
let accounts: Accounts;

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0, PUBLIC_URL: `${SITE}/c/a` });
  accounts = accountsOf(api);
});
afterAll(() => api.stop());

const logIn = ({ username }: Account, more: object = {}): Promise<Answer> =>
  accounts.call('POST', '/v1/auth/login', { body: { email_or_username: username, password: PASSWORD, ...more } });
const short = ({ status, body }: Answer): [number, string | undefined] => [status, body.message];
const post = (token: string, path: string, body: object = {}) => accounts.call('POST', path, { token, body });
const tokenOf = async (account: Account): Promise<string> => String((await logIn(account)).body['token']);
const optionsOf = async (token: string, path = `${FACTOR}/passkeys/options`): Promise<Options> =>
  ((await post(token, path)).body['data'] as { options: Options }).options;
/** What the login asks for. */
const asked = async (account: Account): Promise<Options> => (await logIn(account)).body['passkey'] as Options;
const add = async (token: string, passkey: SoftPasskey, name?: string): Promise<Answer> =>
  post(token, `${FACTOR}/passkeys`, { name, passkey: passkey.register(await optionsOf(token)) });

/** An account with one passkey. */
async function enrolled(counter?: number): Promise<{ account: Account; token: string; passkey: SoftPasskey }> {
  const account = await accounts.account();
  const token = await tokenOf(account);
  const passkey = new SoftPasskey(SITE, counter);
  expect(short(await add(token, passkey, 'Laptop'))).toEqual(ADDED);
  return { account, token, passkey };
}

describe('a passkey', () => {
  it('is added with recovery codes, and shown at the login', async () => {
    const account = await accounts.account();
    const token = await tokenOf(account);
    const options = await optionsOf(token);
    expect(options.rp?.id).toBe('sms.example.com');
    const passkey = new SoftPasskey(SITE);
    const added = await post(token, `${FACTOR}/passkeys`, { name: 'Laptop', passkey: passkey.register(options) });
    expect((added.body['data'] as { recovery_codes: string[] }).recovery_codes).toHaveLength(10);
    const again = await optionsOf(token);
    expect(again.excludeCredentials).toMatchObject([{ id: passkey.id }]);
    const refused = await logIn(account);
    expect(refused.body).toMatchObject({ code: 'second_factor_required', methods: ['passkey', 'recovery_code'] });
    const question = refused.body['passkey'] as Options;
    expect(question).toMatchObject({ rpId: 'sms.example.com', allowCredentials: [{ id: passkey.id }] });
    expect(short(await logIn(account, { passkey: passkey.show(question) }))).toEqual(LOGGED_IN);
    const shown = (await accounts.call('GET', FACTOR, { token })).body['data'] as { factors: object[] };
    expect(shown.factors).toMatchObject([{ kind: 'passkey', name: 'Laptop' }]);
  });

  it('is shown to a challenge once, of its own login, purpose and session', async () => {
    const { account, token, passkey } = await enrolled();
    const other = await enrolled();
    const question = await asked(account);
    const answer = passkey.show(question);
    const tries = await Promise.all(Array.from({ length: 4 }, () => logIn(account, { passkey: answer })));
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(short(await logIn(account, { passkey: answer }))).toEqual(INVALID);
    const [theirs, ofEnrolment, ofConfirmation, ours] = [
      await asked(other.account),
      await optionsOf(token),
      await optionsOf(token, `${CONFIRM}/options`),
      await asked(account),
    ];
    for (const foreign of [theirs, ofEnrolment, ofConfirmation, { challenge: 'bWFkZSB1cA' }])
      expect(short(await logIn(account, { passkey: passkey.show(foreign) }))).toEqual(INVALID);
    expect(short(await post(token, CONFIRM, { passkey: passkey.show(ours) }))).toEqual(WRONG);
    expect(short(await post(other.token, CONFIRM, { passkey: other.passkey.show(ofConfirmation) }))).toEqual(WRONG);
    const fresh = passkey.show(await optionsOf(token, `${CONFIRM}/options`));
    expect(short(await post(token, CONFIRM, { passkey: fresh }))).toEqual([200, 'Confirmed successfully']);
    expect(short(await post(token, CONFIRM, { passkey: fresh }))).toEqual(WRONG);
  });

  it('of another login, another site or another key is refused, and so is what is no answer', async () => {
    const { account, passkey } = await enrolled();
    const other = await enrolled();
    expect(short(await logIn(account, { passkey: other.passkey.show(await asked(account)) }))).toEqual(INVALID);
    const phished = passkey.show(await asked(account), 'https://sms.example.com.evil.example');
    expect(short(await logIn(account, { passkey: phished }))).toEqual(INVALID);
    const forged = new SoftPasskey(SITE).show(await asked(account));
    expect(short(await logIn(account, { passkey: { ...forged, id: passkey.id, rawId: passkey.id } }))).toEqual(INVALID);
    for (const odd of [5, 'text', [], {}, { response: {} }, { id: 1, response: { clientDataJSON: 'x' } }])
      expect(short(await logIn(account, { passkey: odd }))).toEqual(INVALID);
    const { challenge } = await asked(account);
    const clientDataJSON = Buffer.from(JSON.stringify({ challenge })).toString('base64url');
    expect(short(await logIn(account, { passkey: { id: passkey.id, response: { clientDataJSON } } }))).toEqual(INVALID);
  });

  it('that counts is refused when its counter does not go up: it may be a copy', async () => {
    const { account, passkey } = await enrolled(5);
    expect(short(await logIn(account, { passkey: passkey.show(await asked(account)) }))).toEqual(LOGGED_IN);
    const [one, two] = [await asked(account), await asked(account)];
    passkey.counter = 20;
    expect(short(await logIn(account, { passkey: passkey.show(one) }))).toEqual(LOGGED_IN);
    passkey.counter = 20;
    expect(short(await logIn(account, { passkey: passkey.show(two) }))).toEqual(INVALID);
    passkey.counter = 3;
    expect(short(await logIn(account, { passkey: passkey.show(await asked(account)) }))).toEqual(INVALID);
  });

  it('is added once, with a good answer to a fresh challenge of the own session, and at most twenty times', async () => {
    const { account, token, passkey } = await enrolled();
    expect(short(await add(token, passkey))).toEqual(WRONG);
    const options = await optionsOf(token);
    const second = new SoftPasskey(SITE);
    expect(
      short(await post(token, `${FACTOR}/passkeys`, { passkey: second.register(options, 'https://evil.example') })),
    ).toEqual(WRONG);
    expect(short(await post(token, `${FACTOR}/passkeys`, { passkey: second.register(options) }))).toEqual(WRONG);
    expect(short(await post(token, `${FACTOR}/passkeys`, {}))).toEqual(WRONG);
    expect(short(await post(token, `${FACTOR}/passkeys`, { name: 'x'.repeat(65) }))).toEqual([400, 'name is invalid']);
    const elsewhere = String((await logIn(account, { passkey: passkey.show(await asked(account)) })).body['token']);
    const foreign = second.register(await optionsOf(elsewhere));
    expect(short(await post(token, `${FACTOR}/passkeys`, { passkey: foreign }))).toEqual(WRONG);
    const added = await add(token, second);
    expect([added.status, added.body['data']]).toEqual([200, { recovery_codes: [] }]);
    for (let count = 2; count < 20; count++) expect(short(await add(token, new SoftPasskey(SITE)))).toEqual(ADDED);
    expect(short(await add(token, new SoftPasskey(SITE)))).toEqual([409, 'At most 20 passkeys are allowed']);
  });
});
