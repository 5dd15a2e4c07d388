import { execFileSync, spawn } from 'node:child_process';
import { createServer, request as send, type Server } from 'node:http';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createSwitchboard,
  SwitchboardError,
  verifyWebhook,
  WebhookVerificationError,
} from '../../packages/client/src/index.js';
import { type Installation, openInstallation } from '../support/installation.js';
import { freePort } from '../support/processes.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const PACKAGE = join(ROOT, 'packages/client');
const GOOD = { broadcast_name: 'Spring', brodcast_service: 'main', contacts: ['919812345678'], message: 'Hello' };

let installation: Installation;
beforeAll(async () => {
  installation = await openInstallation();
});
afterAll(() => installation.stop());

/** What a caller's promise was rejected with. */
const refusal = async (work: Promise<unknown>): Promise<SwitchboardError> => {
  const error: unknown = await work.then(
    () => null,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(SwitchboardError);
  return error as SwitchboardError;
};

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });

/**
 * Stands between client and service. `fates`: what becomes of the first answers, one after the other; `lost` reaches the
 * service, a number answers in its place.
 */
async function between(fates: ('lost' | { status: number; headers?: Record<string, string>; body?: object })[]) {
  let requests = 0;
  const server = createServer((request, response) => {
    const fate = fates[requests++];
    if (fate && fate !== 'lost') {
      response.writeHead(fate.status, { 'content-type': 'application/json', ...fate.headers });
      response.end(JSON.stringify(fate.body ?? {}));
      return;
    }
    const { pathname, search } = new URL(request.url ?? '/', 'http://x');
    const { method, headers } = request;
    const onward = send(installation.url + pathname + search, { ...(method && { method }), headers }, (answer) => {
      if (fate === 'lost') {
        answer.resume().on('end', () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    seen: () => requests,
    client: createSwitchboard({ baseUrl, token: installation.owner.token, longestWait: 5_000 }),
    stop: () => close(server),
  };
}

async function behind<T>(
  fates: Parameters<typeof between>[0],
  work: (way: Awaited<ReturnType<typeof between>>) => Promise<T>,
) {
  const way = await between(fates);
  try {
    return await work(way);
  } finally {
    await way.stop();
  }
}

describe('calls', () => {
  it('answer what the operation answers, by key, by token, and by path', async () => {
    const { url, apiKey, owner } = installation;
    const byKey = createSwitchboard({ baseUrl: url, apiKey });
    const sent = await byKey.sendSmsBroadcast({ body: GOOD });
    expect(sent).toMatchObject({ status: 'PP1', username: owner.account.username, Credits: 1 });
    const byToken = createSwitchboard({ baseUrl: url, token: () => Promise.resolve(owner.token) });
    const { data } = await byToken.getCampaign({ path: { request_id: sent.request_id } });
    expect(data.request_id).toBe(sent.request_id);
    const list = await byToken.GET('/v6/api/campaigns', { params: { query: { limit: 1 } } });
    expect(list.data?.data).toHaveLength(1);
    expect((await byKey.getCredits()).data.length).toBeGreaterThan(0);
  });

  it('reject with what was wrong', async () => {
    const { url, apiKey } = installation;
    const client = createSwitchboard({ baseUrl: url, apiKey });
    const error = await refusal(client.sendSmsBroadcast({ body: { ...GOOD, contacts: ['919812345678', '12'] } }));
    expect(error).toMatchObject({
      status: 400,
      code: 'contact_length',
      field: 'contacts',
      index: 1,
      message: 'Each contact number must be between 9 and 30 digits',
    });
    expect(error.hint).toContain('2 digits');
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    const nowhere = createSwitchboard({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    expect(await refusal(nowhere.getCredits())).toMatchObject({ status: 0, code: 'network' });
  });
});

describe('retries', () => {
  it('send a broadcast once whose answer was lost', async () => {
    const before = await installation.get('/v6/api/campaigns?limit=1', installation.owner);
    const sent = await behind(['lost', { status: 503 }], async ({ client, seen }) => {
      const answer = await client.sendSmsBroadcast({ body: { ...GOOD, broadcast_name: 'Once' } });
      expect(seen()).toBe(3);
      return answer;
    });
    const after = await installation.get('/v6/api/campaigns?limit=1', installation.owner);
    expect(Number(after.body['total'])).toBe(Number(before.body['total']) + 1);
    expect((after.body['data'] as { request_id: string }[])[0]?.request_id).toBe(sent.request_id);
  });

  it('send one message once whose answer was lost, with a client_ref and without', async () => {
    const body = { channel: 'sms' as const, to: '+919812345678', text: 'Once' };
    for (const tags of [{ client_ref: 'lost-1' }, {}]) {
      const before = await installation.get('/v6/api/campaigns?limit=1', installation.owner);
      expect(before.status).toBe(200);
      const running = { status: 409, body: { success: false, code: 'client_ref_running' } };
      const { data } = await behind(['lost', running], async ({ client, seen }) => {
        const answer = await client.sendMessage({ body: { ...body, ...tags } });
        expect(seen()).toBe(3);
        return answer;
      });
      const after = await installation.get('/v6/api/campaigns?limit=1', installation.owner);
      expect(Number(after.body['total'])).toBe(Number(before.body['total']) + 1);
      const byKey = createSwitchboard({ baseUrl: installation.url, apiKey: installation.apiKey });
      expect((await byKey.getMessage({ path: { id: data.id } })).data).toMatchObject({ text: 'Once' });
      expect((await byKey.listMessages({ query: { limit: 1 } })).data[0]?.id).toBe(data.id);
    }
  });

  it('wait as long as Retry-After says, and not at all where that is too long', async () => {
    await behind([{ status: 429, headers: { 'retry-after': '1' } }], async ({ client, seen }) => {
      const began = Date.now();
      await client.getCredits();
      expect(Date.now() - began).toBeGreaterThanOrEqual(950);
      expect(seen()).toBe(2);
    });
    await behind([{ status: 503, headers: { 'retry-after': '3600' } }], async ({ client, seen }) => {
      expect(await refusal(client.getCredits())).toMatchObject({ status: 503, retryAfter: 3600 });
      expect(seen()).toBe(1);
    });
  });

  it('leave alone what may not be done twice, what was refused, and what nobody waits for', async () => {
    await behind([{ status: 503 }], async ({ client, seen }) => {
      await refusal(client.createApiKey({ body: { name: 'Twice' } }));
      expect(seen()).toBe(1);
    });
    await behind([], async ({ client, seen }) => {
      expect((await refusal(client.getCampaign({ path: { request_id: 'none' } }))).status).toBe(404);
      expect(seen()).toBe(1);
    });
    await behind([{ status: 503, headers: { 'retry-after': '4' } }], async ({ client }) => {
      const signal = AbortSignal.timeout(200);
      await expect(client.getCredits({ signal })).rejects.toMatchObject({ name: 'TimeoutError' });
    });
    await behind(Array<{ status: number }>(9).fill({ status: 502 }), async ({ client, seen }) => {
      expect((await refusal(client.getCredits())).status).toBe(502);
      expect(seen()).toBe(4);
    });
  });
});

describe('verifyWebhook', () => {
  const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;
  const OTHER = `whsec_${Buffer.from('another one of thirty-two bytes.').toString('base64')}`;
  const BODY = JSON.stringify({ event: 'gsm.status.update', providerMessageId: 'GSMCAMP_20261121_A1B2C3', text: 'ü' });

  const signed = (secret: string, at = new Date()) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, BODY),
  });

  it('takes what Standard Webhooks signs, in every form of headers and body', async () => {
    const headers = signed(SECRET);
    for (const known of [headers, new Headers(headers), { 'Webhook-Id': ['msg_1'], ...headers }])
      for (const body of [BODY, Buffer.from(BODY)])
        expect(await verifyWebhook({ secret: SECRET, headers: known, body })).toEqual(JSON.parse(BODY));
  });

  it('takes either secret while they are rotated', async () => {
    const old = signed(SECRET);
    const both = { ...old, 'webhook-signature': `${signed(OTHER)['webhook-signature']} ${old['webhook-signature']}` };
    for (const secret of [SECRET, OTHER, [OTHER, SECRET]])
      expect(await verifyWebhook({ secret, headers: both, body: BODY })).toMatchObject({ event: 'gsm.status.update' });
    expect(await verifyWebhook({ secret: [OTHER, SECRET], headers: old, body: BODY })).toBeTruthy();
  });

  it('refuses what was changed, what is old, and what lacks a header', async () => {
    const headers = signed(SECRET);
    const refused = (change: Partial<Parameters<typeof verifyWebhook>[0]>) =>
      expect(verifyWebhook({ secret: SECRET, headers, body: BODY, ...change })).rejects.toBeInstanceOf(
        WebhookVerificationError,
      );
    await refused({ body: BODY.replace('A1', 'A2') });
    await refused({ secret: OTHER });
    await refused({ headers: { ...headers, 'webhook-id': 'msg_2' } });
    await refused({ headers: { ...headers, 'webhook-signature': 'v1,!!! v2,x nonsense' } });
    await refused({ headers: signed(SECRET, new Date(Date.now() - 301_000)) });
    await refused({ headers: signed(SECRET, new Date(Date.now() + 302_000)) });
    await refused({ headers: { ...headers, 'webhook-timestamp': 'soon' } });
    for (const name of Object.keys(headers)) await refused({ headers: { ...headers, [name]: undefined } });
  });
});

describe('the package as it is published', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'switchboard-client-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const npm = (...args: string[]): string =>
    execFileSync('npm', args, { cwd: PACKAGE, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

  it('has its build, its types and its page, and the examples of the page compile and run', async () => {
    execFileSync(process.execPath, [join(ROOT, 'scripts/client.mjs')], { stdio: 'ignore' });
    const [packed] = JSON.parse(npm('pack', '--json', '--ignore-scripts', '--pack-destination', directory)) as [
      { filename: string; files: { path: string }[] },
    ];
    const paths = packed.files.map(({ path }) => path).sort();
    expect(paths.filter((path) => !path.startsWith('dist/'))).toEqual(['README.md', 'package.json']);
    const modules = ['client', 'errors', 'hints', 'index', 'operations', 'retries', 'schema', 'webhooks'];
    expect(paths.filter((path) => path.startsWith('dist/'))).toEqual(
      modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
    );

    const installed = join(directory, 'node_modules/@switchboard');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', join(directory, packed.filename), '-C', installed]);
    execFileSync('mv', [join(installed, 'package'), join(installed, 'client')]);
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types'])
      symlinkSync(join(ROOT, 'node_modules', name), join(directory, 'node_modules', name));
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module' }));
    const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
    const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, text = '']) => text);
    expect(examples).toHaveLength(5);
    const files = examples.map((text, index) => {
      writeFileSync(join(directory, `example${index}.ts`), text);
      return `example${index}.ts`;
    });
    const options = [
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      'node',
      '--lib',
      'es2022,dom,dom.iterable',
    ];
    execFileSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, '--skipLibCheck', ...files],
      {
        cwd: directory,
        stdio: 'inherit',
      },
    );
    const env = { ...process.env, SWITCHBOARD_URL: installation.url, SWITCHBOARD_KEY: installation.apiKey };
    const run = (file: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [file], { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] });
        let output = '';
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
        child.on('exit', (code) => (code === 0 ? resolve(output) : reject(new Error(`${file} ended with ${code}`))));
      });
    expect(await run('example0.js')).toMatch(/^\S+ PP1 1\n\w+ 1\n$/);
    expect(await run('example1.js')).toMatch(/^out_\d+_1 \w+ order-1042\n$/);
    expect(await run('example2.js')).toMatch(/^400 contact_length contacts 0\n.*3 digits/);

    const [port, secret] = [
      await freePort(),
      `whsec_${Buffer.from('thirty-two bytes of a secret, ok').toString('base64')}`,
    ];
    const endpoint = spawn(process.execPath, ['example4.js'], {
      cwd: directory,
      env: { ...env, PORT: String(port), WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let said = '';
      endpoint.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const body = JSON.stringify({ event: 'gsm.status.update', receiver: '919812345678', status: 'DELIVERED' });
      const push = async (signature: string): Promise<number> => {
        const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
        return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status;
      };
      const at = new Date();
      const timestamp = String(Math.floor(at.getTime() / 1000));
      const patience = { timeout: 20_000, interval: 50 };
      await expect.poll(() => push(new Webhook(secret).sign('msg_1', at, body)).catch(() => 0), patience).toBe(204);
      await expect.poll(() => said, patience).toBe('919812345678 DELIVERED\n');
      expect(await push('v1,AAAA')).toBe(400);
    } finally {
      endpoint.kill();
    }
  });
});
