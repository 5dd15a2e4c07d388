import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const MALFORMED = 'Malformed JSON body';
const DEEPEST = 32;

let api: RunningApi;
let accounts: Accounts;
let account: Account;

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0, BROADCAST_RATE_LIMIT: 0 });
  accounts = accountsOf(api);
  account = await accounts.account();
});
afterAll(() => api.stop());

/** JSON text of lists or objects one within the other. */
const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
/** A body of so many levels, itself the first. */
const bodyOf = (levels: number): string => `{"message":"Hello","deep":${lists(levels - 1)}}`;

let keys = 0;
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  accounts.call('POST', path, {
    token: accounts.token(account),
    body,
    headers: { 'idempotency-key': `deep-${++keys}`, ...headers },
  });

describe('JSON deeper than 32 levels', () => {
  it('is a malformed body on every sending POST with an Idempotency-Key', async () => {
    const chat = (path: string): string => `/v6/api/${path}/24/${account.username}/messages`;
    const paths = [
      '/webhook/api/addbroadcastgsm.php',
      '/webhook/api/addbroadcastUnofficial.php',
      '/v5/api/session.php',
      '/v5/api/session1.php',
      '/v5/api/index.php/addbroadcast',
      chat('chat'),
      chat('chatTemplate'),
      chat('chatBranded'),
      '/v6/api/v1/voice/send',
    ];
    const bodies = [bodyOf(DEEPEST + 1), bodyOf(20_000), objects(20_000), lists(100_000)];
    const others: unknown[] = [];
    for (const path of paths) {
      for (const body of bodies) {
        const { status, body: answer } = await post(path, body);
        if (status !== 400 || answer.message !== MALFORMED) others.push([status, path, answer.message]);
      }
    }
    expect(others).toEqual([]);
  });

  it('is one without a key, on our own endpoints too', async () => {
    for (const path of ['/v1/auth/login', '/v6/api/campaigns/quote', '/v6/api/webhooks']) {
      const { status, body } = await post(path, bodyOf(8_000), { 'idempotency-key': '' });
      expect([path, status, body.message]).toEqual([path, 400, MALFORMED]);
    }
  });

  it('is taken up to 32 levels', async () => {
    const { body } = await post('/webhook/api/addbroadcastgsm.php', bodyOf(DEEPEST));
    expect(body.message).toMatch(/ are required$/);
  });

  it('is one in the JSON text of a form field', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = (text: string) =>
      post(
        '/webhook/api/createTemplates.php',
        new URLSearchParams({ template_name: 'deep', quick_reply_buttons: text }).toString(),
        headers,
      );
    const deep = await send(lists(50_000));
    expect([deep.status, deep.body.message]).toEqual([400, MALFORMED]);
    expect((await send(lists(DEEPEST))).body.message).not.toBe(MALFORMED);
  });
});
