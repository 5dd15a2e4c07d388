import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonService, type Service, until } from '../support/processes.js';
import { carrierLedger } from '../support/sandbox.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const CLI = `${ROOT}dist/src/apps/cli/main.js`;

interface Run {
  code: number;
  out: string;
  err: string;
}

describe('the command line of single messages', () => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await commonService(1);
    const answer = await fetch(`${service.url}/v6/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email_or_username: 'demo', password: 'Demo-1234!' }),
    });
    token = ((await answer.json()) as { token: string }).token;
  });

  const cli = (args: string[], environment: NodeJS.ProcessEnv): Promise<Run> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'], ...service.environment, SWITCHBOARD_URL: service.url, ...environment };
      const child = execFile(process.execPath, [CLI, ...args], { env }, (_, out, err) =>
        resolve({ code: child.exitCode ?? -1, out, err }),
      );
    });

  it('sends one message once, shows and lists it', async () => {
    const as = { SWITCHBOARD_TOKEN: token };
    const args = ['message', 'send', '+919800000001', 'Hello', '--ref', 'cli-message', '--metadata', '{"order":7}'];
    const sent = await cli(args, as);
    expect(sent).toMatchObject({ code: 0, out: expect.stringMatching(/^out_\d+_1: queued, 1 credits, 1 segments\n$/) });
    expect((await cli(args, as)).out).toBe(sent.out);
    const id = sent.out.split(':')[0] ?? '';
    const shown = await cli(['message', 'show', id], as);
    expect(shown.out).toMatch(/client ref +cli-message\n[^]*metadata +\{"order":7\}\n/);
    const json = JSON.parse((await cli(['message', 'show', id, '--json'], as)).out) as object;
    expect(json).toMatchObject({ id, to: '919800000001', metadata: { order: 7 } });
    const list = await cli(['message', 'list', '--number', '+919800000001', '--limit', '1'], as);
    expect(list.out).toMatch(new RegExp(`^ID +DIRECTION[^]*\\n${id} +outbound +sms .* Hello\\n$`));

    const named = await cli(['message', 'send', '+919800000001', 'Hello', '--json'], as);
    const own = (JSON.parse(named.out) as { data: { id: string } }).data.id;
    expect((await cli(['message', 'show', own], as)).out).toMatch(/client ref +cli-[0-9a-f-]{36}\n/);

    const wrong = await cli([...args.slice(0, 4), '--metadata', '[1]'], as);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--metadata is no JSON object')]);
    expect((await cli(['message', 'send', '123', 'Hello'], as)).err).toMatch(/^to has fewer than 8 digits\n/);
    const template = [
      'message',
      'send',
      '+919800000001',
      '--channel',
      'template',
      '--template',
      'none',
      '--param',
      'x',
    ];
    expect((await cli(template, as)).err).toMatch(/^Template not found\n/);
    expect((await cli(['message', 'show', 'out_1_1'], as)).err).toMatch(/^Message not found\n/);
  });

  it('repeats what was not answered under one client_ref, and names it in the end', async () => {
    const refs: unknown[] = [];
    const answers = [502, 500, 200, 502, 502, 502];
    const api = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        refs.push((JSON.parse(Buffer.concat(chunks).toString()) as { client_ref?: unknown }).client_ref);
        const status = answers[refs.length - 1] ?? 500;
        const data = { id: 'out_1_1', status: 'queued', credits: 1, segments: 1 };
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(status === 200 ? { data } : { message: 'Unknown' }));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => api.once('listening', resolve));
    const as = {
      SWITCHBOARD_TOKEN: token,
      SWITCHBOARD_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    };
    expect((await cli(['message', 'send', '+919800000001', 'Hello'], as)).out).toMatch(/^out_1_1: queued/);
    const failed = await cli(['message', 'send', '+919800000001', 'Hello'], as);
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining(`--ref ${String(refs[3])}`)]);
    expect(new Set(refs.slice(0, 3)).size).toBe(1);
    expect(new Set(refs).size).toBe(2);
    api.closeAllConnections();
    api.close();
  });

  it('sends a code, and checks it', async () => {
    const as = { SWITCHBOARD_TOKEN: token };
    const started = await cli(['verify', 'start', '+919800000077', '--channel', 'sms', 'sms', '--app', 'CLI'], as);
    expect(started).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ver_\d+: pending over sms, 1 credits, next \S+\n$/),
    });
    const id = started.out.split(':')[0] ?? '';
    const again = await cli(['verify', 'start', '+919800000077', '--json'], as);
    expect(again.err).toMatch(/^Warning: Its code was sent less than 30 seconds ago\n/);
    expect(JSON.parse(again.out)).toMatchObject({ data: { id } });
    const textOf = async (): Promise<string | undefined> =>
      (await carrierLedger(service)).find(({ to }) => to === '919800000077')?.text;
    await until('the message', async () => (await textOf()) !== undefined);
    const code = (await textOf())?.slice(0, 6) ?? '';
    const wrong = await cli(['verify', 'check', id, code.startsWith('1') ? '222222' : '111111'], as);
    expect(wrong).toMatchObject({ code: 3, err: expect.stringMatching(/^wrong code, 4 attempts left\n/) });
    expect(await cli(['verify', 'check', id, code], as)).toMatchObject({ code: 0, out: 'approved\n' });
    const late = await cli(['verify', 'check', id, code, '--json'], as);
    expect(late).toMatchObject({ code: 1, err: expect.stringMatching(/^Verification is already approved\n/) });
  });
});
