import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cable } from '../support/cable.js';
import { CELL_TOKEN, createDirectory, type DirectoryDatabase } from '../support/cells.js';
import { approvedTemplate, connectChat } from '../support/chat-service.js';
import { Client, numbersEnding } from '../support/client.js';
import { startRedisNode } from '../stage/redis-cluster.mjs';
import { freePort, type Service, ServiceProcess, startService, until } from '../support/processes.js';

const PASSWORD = 'Sunny-Day-7';
const SMS = '/webhook/api/addbroadcastgsm.php';
const REPORT = '/webhook/api/getGSMreport.php';
const LETTERS = ['a', 'b'] as const;
type Letter = (typeof LETTERS)[number];

interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown> & { message?: string; data: Record<string, unknown> };
}

/** Two whole installations behind one front; each may read and write its own database and the directory, and nothing else. */
describe('two cells behind a front', () => {
  const cable = new Cable();
  const lines = {} as Record<Letter, Cable>;
  const cells = {} as Record<Letter, Service>;
  const clients = {} as Record<Letter, Client>;
  const admins = {} as Record<Letter, Client>;
  let directory: DirectoryDatabase;
  let ownRedis: Awaited<ReturnType<typeof startRedisNode>>;
  let front: ServiceProcess;

  const name = (cell: Letter): string => `${cell}client`;
  const database = (url: string): string => new URL(url).pathname.slice(1);

  beforeAll(async () => {
    directory = await createDirectory();
    const port = await freePort();
    /** filled as the databases are made, before anything is said */
    const listened: string[] = [];
    const settings =
      (cell: Letter) =>
      async (own: { url: string }): Promise<NodeJS.ProcessEnv> => {
        listened.push(database(own.url));
        const ports = await lines[cell].plug(new URL(own.url));
        return {
          CELL: cell,
          CELL_TOKEN,
          ...(cell === 'b' && { REDIS_URL: ownRedis.url }),
          DATABASE_URL: Object.assign(new URL(own.url), { host: `127.0.0.1:${ports}` }).href,
          DIRECTORY_URL: directory.url,
          JWT_SECRET: randomBytes(32).toString('hex'), // a cell's own
          PUBLIC_URL: `http://127.0.0.1:${port}/c/${cell}`,
          TRUST_PROXY: '1',
          BROADCAST_RATE_LIMIT: '0',
          VOICE_DEFAULT_CALLER_ID: '918000000001',
        };
      };
    for (const cell of LETTERS) lines[cell] = new Cable(listened);
    ownRedis = await startRedisNode();
    cells.a = await startService(1, settings('a'));
    cells.b = await startService(1, settings('b'), cells.a);
    const direct = new URL(directory.url);
    const cablePort = await cable.plug(direct);
    front = await new ServiceProcess('front', `http://127.0.0.1:${port}`, {
      NODE_ENV: 'test',
      PORT: String(port),
      CELLS: LETTERS.map((cell) => `${cell}=${cells[cell].url}`).join(','),
      CELL_TOKEN,
      DIRECTORY_URL: Object.assign(direct, { host: `127.0.0.1:${cablePort}` }).href,
      TRUST_PROXY: 'true',
      LOG_LEVEL: 'warn',
    }).start();
    for (const cell of LETTERS) {
      admins[cell] = await Client.login(`${front.url}/c/${cell}`, 'admin', 'Admin-1234!');
      // receipts come over any session of a system id
      const { status } = await admins[cell].call('PUT', '/v6/api/admin/routes/own', {
        channel: 'sms',
        driver: 'smpp',
        config: {
          host: '127.0.0.1',
          port: Number(cells.a.environment['SANDBOX_SMPP_PORT']),
          system_id: cell,
          password: 'x',
        },
      });
      expect(status).toBeLessThan(300);
    }
  });
  afterAll(async () => {
    await front.stop();
    await cells.b.stop();
    await cells.a.stop();
    await Promise.all([cable.cut(), lines.a.cut(), lines.b.cut()]);
    await ownRedis.stop();
    await directory.drop();
  });

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetch(front.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      redirect: 'manual',
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : { text }) as Answer['body'],
    };
  };
  const register = (username: string, headers: Record<string, string> = {}): Promise<Answer> =>
    call(
      'POST',
      '/v6/api/v1/auth/register',
      {
        ...{ firstname: 'A', lastname: 'B', username, email: `${username}@x.example` },
        ...{ password: PASSWORD, password_confirmation: PASSWORD },
      },
      headers,
    );
  const cellOf = async (username: string): Promise<string | undefined> =>
    (await directory.query<{ cell: string }>('SELECT cell FROM cell_names WHERE value = ?', [username]))[0]?.cell;
  const sms = (fields: Record<string, unknown> = {}) => ({
    ...{ broadcast_name: 'test', brodcast_service: 'own', message: 'Hello' },
    ...{ contacts: numbersEnding(2, '111') },
    ...fields,
  });
  const delivered = (id: string, headers: Record<string, string> = {}): Promise<void> =>
    until(`${id} to be delivered`, async () => {
      const { status, body } = await call('GET', `${REPORT}?request_id=${id}`, undefined, headers);
      expect(status, id).toBe(200);
      return (body.data['status_counts'] as Record<string, number>)['DELIVERED'] === body.data['total_rows'];
    });

  it('registers each name once, in a cell of its choice or of the client’s', async () => {
    for (const cell of LETTERS) {
      expect((await register(name(cell), { 'x-cell': cell })).status).toBe(201);
      expect(await cellOf(name(cell))).toBe(cell);
      expect((await register(name(cell).toUpperCase())).body.message).toBe('Email already registered');
    }
    const placed = new Set<string | undefined>();
    for (let i = 0; placed.size < 2; i++) {
      expect((await register(`placed${i}`, { 'x-forwarded-for': `203.0.113.${i}` })).status).toBe(201);
      placed.add(await cellOf(`placed${i}`));
    }
    const user = await call('POST', '/v1/auth/login', {
      email_or_username: `${name('b').toUpperCase()}@x.example`,
      password: PASSWORD,
    });
    expect(user).toMatchObject({ status: 200, body: { user: { username: name('b') } } });
    for (const cell of LETTERS) clients[cell] = await Client.login(front.url, name(cell), PASSWORD);
  });

  it('lets staff work in the cell that they name, and in none that they do not', async () => {
    for (const cell of LETTERS) {
      for (const balance of ['gsm_credits', 'bulk_chat_credits', 'voice_credits', 'chat_utility_credits']) {
        const path = `/v6/api/admin/accounts/${name(cell)}/credits`;
        expect((await admins[cell].call('POST', path, { balance, amount: 1_000 })).status).toBe(200);
      }
    }
    const path = `/v6/api/admin/accounts/${name('b')}`;
    const bearerOf = (cell: Letter) => ({ authorization: `Bearer ${admins[cell].token}` });
    const bearer = bearerOf('a');
    expect((await call('GET', path, undefined, { ...bearerOf('b'), 'x-cell': 'b' })).status).toBe(200);
    expect((await call('GET', path, undefined, { ...bearer, 'x-cell': 'a' })).status).toBe(404);
    // staff of the same name stands there, with a password of its own
    expect((await call('GET', path, undefined, { ...bearer, 'x-cell': 'b' })).status).toBe(401);
    // a token is good in the cell that signed it, and goes there where none is named
    expect((await call('GET', path, undefined, bearerOf('b'))).status).toBe(200);
    expect((await call('GET', path, undefined, bearer)).status).toBe(404);
    const [head, payload = '', signature] = String(admins.a.token).split('.');
    const { cell: signer, ...claims } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { cell: string };
    expect(signer).toBe('a');
    const unsigned = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
    const unnamed = await call('GET', path, undefined, { authorization: `Bearer ${unsigned}` });
    expect([unnamed.status, unnamed.body.message]).toEqual([400, 'Name the cell in X-Cell or as /c/<letter>: a, b']);
    expect((await call('GET', path, undefined, { ...bearer, 'x-cell': 'z' })).body.message).toBe(
      'X-Cell must be one of: a, b',
    );
    expect((await call('GET', '/c/z/docs')).status).toBe(404);
    const page = await call('GET', '/c/b/admin');
    expect([page.status, page.headers.get('location')]).toEqual([302, '/c/b/app']);
    const root = await call('GET', '/');
    expect([root.status, root.headers.get('location')]).toEqual([302, '/app']);
    for (const path of ['/app', '/c/b/app', '/c/b/app/campaigns/GSM_1']) {
      const script = /src="([^"]+\.js)"/.exec(String((await call('GET', path)).body['text']))?.[1] ?? '';
      const address = new URL(script, front.url + path).pathname;
      expect(address).toMatch(path.startsWith('/c/b/') ? /^\/c\/b\/app\/assets\// : /^\/app\/assets\//);
      expect((await call('GET', address)).status, path).toBe(200);
    }
    expect((await call('GET', '/c/b/docs-json')).body['servers']).toContainEqual({
      url: '/c/b',
      description: 'this cell',
    });
    expect((await call('GET', '/c')).body['text']).toContain('href="/c/b/app"');
  });

  it('sends SMS from both, told by token, body, form, key and query, and reports without a token', async () => {
    const ids: string[] = [];
    for (const cell of LETTERS) {
      const letter = new RegExp(`^GSMCAMP_\\d{8}_${cell.toUpperCase()}[A-Z0-9]{5}$`);
      const key = await clients[cell].call<{ key: string; data?: { key: string } }>(
        'POST',
        '/v6/api/account/api-keys',
        { name: 'k' },
      );
      const secret = String(key.body.data?.key ?? key.body.key);
      const other = clients[cell === 'a' ? 'b' : 'a'];
      const form = new URLSearchParams({
        ...sms(),
        username: name(cell),
        contacts: '917000000111',
      });
      const sent = [
        await call('POST', SMS, sms(), { authorization: `Bearer ${clients[cell].token}` }),
        await call('POST', SMS, sms({ username: name(cell) }), { authorization: `Bearer ${other.token}` }),
        await call('POST', SMS, form.toString(), { 'content-type': 'application/x-www-form-urlencoded' }),
        await call('POST', SMS, sms(), { 'x-api-key': secret }),
        await call(
          'GET',
          `/v5/api/sms_get.php?${new URLSearchParams({ username: name(cell), password: PASSWORD, message: 'Hi', number: '917000000111' }).toString()}`,
        ),
      ];
      for (const { status, body } of sent) {
        expect([status, body['request_id']], JSON.stringify(body)).toEqual([200, expect.stringMatching(letter)]);
        ids.push(String(body['request_id']));
      }
    }
    // a service that is not there goes over the default route, which both cells' sessions share: only routes of their own here
    await Promise.all(ids.filter((_, index) => index % 5 !== 4).map((id) => delivered(id)));
  });

  it('tells the same chosen id of two accounts apart, or tells it to none', async () => {
    for (const cell of LETTERS) {
      const bearer = { authorization: `Bearer ${clients[cell].token}` };
      expect((await call('POST', SMS, sms({ providermessageid: 'order-1' }), bearer)).status).toBe(200);
      expect((await call('POST', SMS, sms({ providermessageid: `only-${cell}` }), bearer)).status).toBe(200);
      const report = await call('POST', REPORT, { providermessageid: 'order-1' }, bearer);
      expect(report.body.data['summary']).toMatchObject({ username: name(cell) });
      expect((await call('GET', `${REPORT}?request_id=only-${cell}`)).body.data['summary']).toMatchObject({
        username: name(cell),
      });
    }
    const open = await call('GET', `${REPORT}?request_id=order-1`);
    expect([open.status, open.body.message]).toEqual([404, 'Report not found']);
    for (const id of ['none', '%C3%A9']) expect((await call('GET', `${REPORT}?request_id=${id}`)).status).toBe(404);
    expect((await call('GET', REPORT)).body.message).toBe('request_id is required');
  });

  it('sends on every other channel, with callbacks that name their cell', async () => {
    await connectChat(Object.assign({}, cells.b), admins.b, name('b'), 100);
    const template = { template_name: 'ready', category: 'utility', template_body: 'Order {{1}} is ready' };
    await approvedTemplate(admins.b, clients.b, template);
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'A-1' }] }];
    const message = { messaging_product: 'chat', to: ['917000000111'], type: 'template' };
    const body = { ...message, template: { name: 'ready', language: { code: 'en_US' }, components } };
    const templates = await clients.b.call('POST', `/v6/api/chatTemplate/24/${name('b')}/messages`, body);
    expect(templates.status, JSON.stringify(templates.body)).toBe(201);
    expect((await call('GET', `/webhook/api/templates.php?username=${name('b')}`)).status).toBe(200);
    const ids = [String(templates.body['request_id'])];
    for (const cell of LETTERS) {
      const contacts = numbersEnding(2, '111');
      const chat = await clients[cell].call(
        'POST',
        '/webhook/api/addbroadcastUnofficial.php',
        sms({ brodcast_service: 'x' }),
      );
      expect(String(chat.body['request_id'])).toMatch(new RegExp(`^CHATCAMP_\\d{8}_${cell.toUpperCase()}`));
      const voice = await clients[cell].call('POST', '/v6/api/v1/voice/send', {
        broadcast_name: 'v',
        message: 'Hello',
        contacts,
      });
      const id = String(voice.body['request_id']);
      expect(id).toMatch(new RegExp(`^VCAMP_\\d{8}_${cell.toUpperCase()}[A-Z0-9]{7}$`));
      expect(new URL(String(voice.body['audio_url'])).pathname).toMatch(new RegExp(`^/c/${cell}/audio/`));
      expect((await fetch(String(voice.body['audio_url']))).status).toBe(200);
      expect((await admins[cell].call('POST', `/v6/api/admin/campaigns/${id}/approve`, {})).status).toBe(200);
      ids.push(String(chat.body['request_id']), id);
    }
    const owners = [clients.b, clients.a, clients.a, clients.b, clients.b];
    for (const [index, id] of ids.entries()) {
      const owner = owners[index];
      await until(`${id} to be completed`, async () => (await owner?.state(id)) === 'completed');
    }
  });

  it('carries uploads and streams of events', async () => {
    const csv = `to,name\n${Array.from({ length: 100_000 }, (_, i) => `9170${String(i).padStart(8, '0')},Asha ${i}`).join('\n')}\n`;
    const upload = await call('POST', '/v6/api/uploads', csv, {
      'content-type': 'text/csv',
      authorization: `Bearer ${clients.b.token}`,
    });
    expect(upload.status, JSON.stringify(upload.body)).toBe(201);
    expect(JSON.stringify(upload.body)).toContain('100000');
    const id = await clients.a.broadcast(numbersEnding(1, '111'), { brodcast_service: 'own' });
    const abort = new AbortController();
    const events = await fetch(`${front.url}/v6/api/campaigns/${id}/events`, {
      headers: { authorization: `Bearer ${clients.a.token}` },
      signal: abort.signal,
    });
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    const reader = events.body?.getReader();
    let told = '';
    while (!told.includes(id)) told += Buffer.from((await reader?.read())?.value ?? []).toString();
    abort.abort();
  });

  it('has no statement and no connection of a cell that names the database of another', () => {
    const names = LETTERS.map((cell) => database(String(cells[cell].environment['DATABASE_URL'])));
    expect(names[0]).not.toBe(names[1]);
    for (const [index, cell] of LETTERS.entries()) expect(lines[cell].heard).toEqual([names[index]]);
  });

  it('knows accounts without the directory, and finds others by asking', async () => {
    await cable.cut();
    expect((await clients.b.call('GET', '/v6/api/account/credits')).status).toBe(200);
    const login = { email_or_username: `${name('a')}@x.example`, password: PASSWORD };
    expect((await call('POST', '/v6/api/v1/auth/login', login)).status).toBe(200);
  });

  it('serves one cell while the other is gone, and says so of that alone', async () => {
    const id = await clients.b.broadcast(numbersEnding(1, '111'), { brodcast_service: 'own' });
    await cells.a.api.stop('SIGKILL');
    const gone = await call('GET', '/v6/api/account/credits', undefined, {
      authorization: `Bearer ${clients.a.token}`,
    });
    expect(gone.body).toMatchObject({
      success: false,
      statusCode: 503,
      message: 'Service Unavailable',
      error: 'Service Unavailable',
    });
    expect([gone.status, gone.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await call('POST', SMS, sms(), { authorization: `Bearer ${clients.a.token}` })).status).toBe(503);
    expect((await call('GET', `${REPORT}?request_id=GSMCAMP_20260501_A12345`)).status).toBe(503);
    expect((await call('GET', `${REPORT}?request_id=only-b`)).status).toBe(503);
    const bearer = { authorization: `Bearer ${clients.b.token}` };
    expect((await call('GET', `${REPORT}?request_id=only-b`, undefined, bearer)).status).toBe(200);
    await delivered(id);
    expect((await clients.b.call('GET', '/v6/api/account/credits')).status).toBe(200);
    const unknown = await call('GET', '/v6/api/account/credits', undefined, { authorization: 'Bearer x.y.z' });
    expect(unknown.status).toBe(401);
    expect((await register('meanwhile', { 'x-forwarded-for': '203.0.113.1' })).status).toBe(201);
    expect(await cellOf('meanwhile')).toBe('b');
    expect((await call('GET', '/health/ready')).body).toEqual({
      status: 'ok',
      details: { a: { status: 'down' }, b: { status: 'up' } },
    });
    await cells.a.api.start();
    expect((await clients.a.call('GET', '/v6/api/account/credits')).status).toBe(200);
    const metrics = async (): Promise<string> => String((await call('GET', '/metrics')).body['text']);
    expect(await metrics()).toMatch(/front_request_duration_seconds_count\{cell="b",status="200"\}/);
    // a client has its answer before the front has closed the request
    await expect.poll(metrics, { timeout: 60_000 }).toMatch(/front_requests_under_way\{cell="a"\} 0/);
  });

  it('ends without failing a request', async () => {
    const under = Array.from({ length: 20 }, () =>
      call('GET', '/v6/api/account/credits', undefined, { authorization: `Bearer ${clients.b.token}` }),
    );
    const code = front.stop();
    expect((await Promise.all(under)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await code).toBe(0);
  });
});
