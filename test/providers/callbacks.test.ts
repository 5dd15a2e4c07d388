import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReceiptSink } from '../../src/modules/providers/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const PATH = '/v6/api/admin/routes';
const HTTP = {
  url: 'http://127.0.0.1:9/send',
  headers: { Authorization: 'Bearer very-secret' },
  body: { to: '{{to}}' },
  receipt: {
    id_path: 'message.id',
    status_path: 'message.state',
    status_map: { ok: 'delivered', no: 'failed' },
    error_code_path: 'code',
  },
};

let api: RunningApi;
let accounts: Accounts;

beforeAll(async () => {
  api = await startApi({ PUBLIC_URL: 'https://sms.example/' });
  accounts = accountsOf(api);
});
afterAll(async () => api.stop());

describe('callbacks of carriers', () => {
  let path: string;
  let wrong: string;

  beforeAll(async () => {
    const token = accounts.token(await accounts.account({ userType: 'super' }));
    const route = { channel: 'sms', driver: 'http', config: HTTP };
    const { body } = await accounts.call('PUT', `${PATH}/gateway`, { token, body: route });
    const url = new URL(String((body['data'] as { callback_url: string }).callback_url));
    expect(url.origin).toBe('https://sms.example');
    expect((body['data'] as { config: unknown }).config).toMatchObject({ headers: { Authorization: '***' } });
    path = url.pathname;
    wrong = `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`;
  });

  const unmatched = async (): Promise<string[]> => {
    const rows: { provider_message_id: string }[] = await api.database.dataSource.query(
      'SELECT provider_message_id FROM parked_receipts ORDER BY provider_message_id',
    );
    return rows.map((row) => row.provider_message_id);
  };

  it('hand receipts to the engine, from a body or a query', async () => {
    expect(api.app.get(ReceiptSink, { strict: false })).toBeDefined();
    const one = await accounts.call('POST', path, { body: { message: { id: 'a1', state: 'OK' } } });
    expect([one.status, one.body]).toEqual([200, { success: true, receipts: 1 }]);
    const list = await accounts.call('POST', path, {
      body: [{ message: { id: 'a2', state: 'no' }, code: 7 }, { message: { id: 'a3', state: 'odd' } }, null, 5],
    });
    expect(list.body).toEqual({ success: true, receipts: 1 });
    expect((await accounts.call('GET', `${path}?id=a4&status=ok`)).body).toEqual({ success: true, receipts: 0 });
    expect(await unmatched()).toEqual(['a1', 'a2']);
  });

  it.each([
    ['a wrong secret', () => wrong],
    ['another channel', () => path.replace('/sms/', '/unofficial/')],
    ['an unknown route', () => path.replace('/gateway/', '/nobody/')],
    ['a route without callbacks', () => path.replace('/gateway/', '/first/')],
  ])('%s: 403 and no effect', async (_name, target) => {
    const before = await unmatched();
    expect(await accounts.row('POST', target(), { body: { message: { id: 'evil', state: 'ok' } } })).toEqual([
      403,
      'Forbidden',
    ]);
    expect(await accounts.row('GET', `${target()}?id=evil&status=ok`)).toEqual([403, 'Forbidden']);
    expect(await unmatched()).toEqual(before);
  });

  const post = async (type: string, body: string) => {
    const answer = await fetch(api.url + path, { method: 'POST', headers: { 'content-type': type }, body });
    return [answer.status, (await answer.json()) as Record<string, unknown>] as const;
  };
  const dropped = async (reason: string): Promise<number> => {
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    const found = new RegExp(`callbacks_dropped_total\\{.*reason="${reason}".*\\} (\\d+)`).exec(metrics);
    return Number(found?.[1] ?? 0);
  };

  it.each([
    ['application/xml', '<message><id>x1</id><state>ok</state></message>'],
    ['text/xml; charset=utf-8', '<?xml version="1.0"?>\n<dlr><message id="x2" state="no"/><code>7</code></dlr>'],
    ['application/soap+xml', '<e:E xmlns:e="u"><message><id>x3</id><state>OK</state></message></e:E>'],
    ['text/plain', '{"message":{"id":"x4","state":"ok"}}'],
    ['text/html', ' <message><id>x5</id><state>ok</state></message>'],
    ['application/x-www-form-urlencoded', '<message><id>x6</id><state>ok</state></message>'],
    ['application/octet-stream', '{"message":{"id":"x7","state":"ok"}}'],
  ])('read a body of %s for what it is', async (type, body) => {
    expect(await post(type, body)).toEqual([200, { success: true, receipts: 1 }]);
    expect(await unmatched()).toContain(/x[0-9]/.exec(body)?.[0]);
  });

  it('refuse what they cannot read, and count it', async () => {
    const before = await dropped('unknown_body');
    for (const [type, body] of [
      ['text/plain', 'message a9 was delivered'],
      ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="id"\r\n\r\na9\r\n--b--'],
      ['application/msgpack', '\u0081\u00a2id'],
    ] as const) {
      const [status, said] = await post(type, body);
      expect([status, said['code'], said['message']]).toEqual([
        415,
        'unknown_body',
        'The body must be JSON, XML or form fields',
      ]);
    }
    expect(await dropped('unknown_body')).toBe(before + 3);
    for (const body of ['<a>', '<a>&', '<a><b></a>', '<a>'.repeat(100_000), '<a/>'.repeat(9)])
      expect((await post('text/xml', body))[0]).toBe(400);
    expect(await dropped('malformed_xml')).toBeGreaterThanOrEqual(5);
  });

  it('count entries without an id, and words that the route does not know', async () => {
    const [ids, words] = [await dropped('no_id'), await dropped('unknown_status')];
    const body = [{ message: { state: 'ok' } }, { message: { id: 'a8', state: 'odd' } }];
    expect((await accounts.call('POST', path, { body })).body).toEqual({ success: true, receipts: 0 });
    expect([await dropped('no_id'), await dropped('unknown_status')]).toEqual([ids + 1, words + 1]);
  });

  it('take up to 1 MB, and survive anything', async () => {
    for (const body of ['null', '5', '"text"', '[]', '{"message":{"id":{"a":1},"state":["ok"]}}']) {
      expect((await accounts.call('POST', path, { body })).status).toBe(200);
    }
    expect((await accounts.call('POST', path, { body: '{' })).status).toBe(400);
    expect((await accounts.call('POST', path, { body: { text: 'x'.repeat(900_000) } })).status).toBe(200);
    expect((await accounts.call('POST', path, { body: { text: 'x'.repeat(1_100_000) } })).status).toBe(413);
    const head = await fetch(api.url + path, { method: 'HEAD' });
    expect(head.status).toBe(405);
  });
});
