import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { type Accounts, accountsOf } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const QUOTE = JSON.stringify({ channel: 'sms', message: 'Hello', contacts: ['919812345678'] });
/** Two at once, eight that wait, and one that is refused, if all of them share. */
const MANY = 11;

let api: RunningApi;
let accounts: Accounts;

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0, TRUST_PROXY: '1' });
  accounts = accountsOf(api);
});
afterAll(() => api.stop());

/** A body in chunks, of which no length tells how large it will be: begun, and not ended. */
function beginBody(path: string, start: string, more: Record<string, string>): ClientRequest {
  const { hostname, port } = new URL(api.url);
  const headers = { 'transfer-encoding': 'chunked', ...more };
  const out = request({ hostname, port, method: 'POST', path, headers, agent: false });
  out.on('error', () => undefined); // given up
  out.write(start);
  return out;
}

const tokenOf = (account: Account): { authorization: string } => ({
  authorization: `Bearer ${accounts.token(account)}`,
});

/** A quote that is begun. */
const begin = (account: Account, ip: string): ClientRequest =>
  beginBody('/v6/api/campaigns/quote', QUOTE.slice(0, 10), {
    ...tokenOf(account),
    'content-type': 'application/json',
    'x-forwarded-for': ip,
  });

/** The answer, or null when the request was given up. */
const answerTo = (out: ClientRequest): Promise<{ status: number | undefined; body: unknown } | null> =>
  (once(out, 'response') as Promise<[IncomingMessage]>).then(
    async ([incoming]) => ({ status: incoming.statusCode, body: await json(incoming) }),
    () => null,
  );

/** Large bodies are taken three at a time, two of one account and two of one network (reference/bulk#recipients). */
describe('bodies that are only begun', () => {
  afterEach(() => void vi.useRealTimers());

  const address = (index: number): string => `2001:db8:${index % 4}::1`;
  const neighbour = (index: number): string => `2001:db8:9::${index + 1}`;

  it.each([
    ['of one account, from many networks,', 1, address],
    ['of many accounts, from one network,', MANY, neighbour],
  ])('%s leave a permit to others', async (_what, count, ipOf) => {
    const senders = await Promise.all(Array.from({ length: count }, () => accounts.account()));
    const held = Array.from({ length: MANY }, (_, index) => begin(senders[index % count] as Account, ipOf(index)));
    try {
      const first = await Promise.race(held.map(answerTo));
      expect(first).toMatchObject({ status: 429, body: { message: 'Too many requests. Please try again later.' } });
      const other = begin(await accounts.account(), '198.51.100.7');
      other.end(QUOTE.slice(10));
      expect(await answerTo(other)).toMatchObject({ status: 200, body: { success: true } });
    } finally {
      for (const out of held) out.destroy();
    }
  });

  const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'x' };
  const json = { 'content-type': 'application/json', 'x-hub-signature-256': 'x' };
  const csv = { 'content-type': 'text/csv' };
  const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
  const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nto\n';

  it.each<[string, Record<string, string>, string]>([
    ['/v6/api/campaigns/quote', { 'content-type': 'application/json' }, QUOTE.slice(0, 10)],
    ['/v6/api/uploads', csv, 'to\n'],
    ['/v6/api/uploads', multipart, part],
    ['/v6/api/suppressions/import', csv, 'number\n'],
    ['/v6/api/account/business-profile/photo', multipart, part],
    ['/provider/voice/telephone/calls/1-1/steps/0/answered', form, 'CallSid=1'],
    ['/provider/voice/telephone/calls/1-1/status', form, 'CallSid=1'],
    ['/provider/chat/1', json, '{'],
  ])('are not waited for: they have ten seconds, and then a pace, on %s as %o', async (path, headers, start) => {
    const sender = await accounts.account();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const sent = { isOver: false };
    const known = path.startsWith('/provider/') ? {} : tokenOf(sender);
    const answer = answerTo(beginBody(path, start, { ...headers, ...known })).finally(() => (sent.isOver = true));
    while (!sent.isOver) {
      vi.advanceTimersByTime(1_000);
      await yieldToOthers();
    }
    expect(await answer).toMatchObject({ status: 400, body: { message: 'Request body comes too slowly' } });
  });
});
