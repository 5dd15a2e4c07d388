import { execFile } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonService, type Service } from '../support/processes.js';

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
});
