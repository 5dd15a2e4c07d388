import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { commonService, type Service } from '../support/processes.js';

const CLI = new URL('../../dist/src/apps/cli/main.js', import.meta.url).pathname;

interface Run {
  code: number;
  out: string;
  err: string;
}

describe('files of the command line', () => {
  let service: Service;
  let demo: Client;
  let token: string;
  let directory: string;

  beforeAll(async () => {
    service = await commonService(1);
    demo = await Client.login(service.url, 'demo', 'Demo-1234!');
    const answer = await fetch(`${service.url}/v6/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email_or_username: 'demo', password: 'Demo-1234!' }),
    });
    token = ((await answer.json()) as { token: string }).token;
    directory = mkdtempSync(join(tmpdir(), 'switchboard-cli-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const file = (name: string, content: string): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  const cli = (args: string[], environment: NodeJS.ProcessEnv): Promise<Run> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'], ...service.environment, SWITCHBOARD_URL: service.url, ...environment };
      const child = execFile(process.execPath, [CLI, ...args], { env }, (_, out, err) =>
        resolve({ code: child.exitCode ?? -1, out, err }),
      );
    });

  it('says what is wrong with the file', async () => {
    const options = ['--name', 'n', '--message', 'm'];
    const missing = join(directory, 'missing.csv');
    const empty = file('empty.csv', '\n');
    const short = file('short.csv', 'number\n123\n');
    const wrong: [string[], string][] = [
      [[missing], `${missing} cannot be read: ENOENT`],
      [[empty], `${empty} has no numbers`],
      [[short], `Numbers of ${short} that cannot be read: 1; nothing was sent`],
      [[short, '--column', 'phone'], `${short} has no column "phone"`],
      [
        [file('open.csv', 'number\n"919812345678\n919812345679\n')],
        'Row 1 of the file has a quote that opens or closes in the wrong place; row 0 is the header',
      ],
      [[file('old.xls', '\0\0\0\0')], 'File is neither a text nor a spreadsheet (.xlsx)'],
    ];
    await Promise.all(
      wrong.map(async ([args, text]) => {
        const { code, err } = await cli(['send', ...args, ...options], { SWITCHBOARD_TOKEN: token });
        expect([code, err.split('\n')[0]], args.join(' ')).toEqual([1, text]);
      }),
    );
  });

  it('reads numbers strictly, and says of each why it cannot be read', async () => {
    const good = file('good.csv', 'number\n+91 98123-45678\n0091 9812345679\n９１９８１２３４５６７０\n');
    const [as, said] = [{ SWITCHBOARD_TOKEN: token }, ['--name', 'n', '--message', 'm']];
    const sent = await cli(['send', good, ...said, '--id', 'cli-read', '--no-watch'], as);
    expect([sent.code, sent.out]).toEqual([0, 'cli-read: accepted for 3 contacts, 3 credits\n']);
    const { body } = await demo.call('GET', '/v6/api/campaigns/cli-read/contacts');
    const receivers = (body['data'] as { receiver: string }[]).map(({ receiver }) => receiver);
    expect(receivers).toEqual(['919812345678', '919812345679', '919812345670']);
    const bad = file('bad.csv', 'number\n919812345678.0\n9.198000012E+11\n9800000012 / 9800000013\n919812345678\n');
    const refused = await cli(['send', bad, ...said], as);
    expect(refused.err.trimEnd().split('\n')).toEqual([
      `Numbers of ${bad} that cannot be read: 3; nothing was sent`,
      '  919812345678.0: number looks like a decimal of a spreadsheet',
      '  9.198000012E+11: number is in the exponent notation of a spreadsheet, which loses digits',
      '  9800000012 / 9800000013: number holds two numbers in one cell',
    ]);
    const skipping = await cli(['send', bad, ...said, '--skip-faults', '--no-watch'], as);
    expect(skipping).toMatchObject({ code: 0, out: expect.stringMatching(/: accepted for 1 contacts, 1 credits\n$/) });
    expect(skipping.err.trimEnd().split('\n')).toEqual([
      'Warning: 3 rows were left out',
      ...refused.err.trimEnd().split('\n').slice(1),
    ]);
    const twice = file('twice.csv', 'name,number\nAsha,+91 98123 45678\nRavi,919812345678\nMani,919812345679\n');
    const once = ['send', twice, '--name', 'n', '--message', 'Hi {{name}}', '--remove-duplicates', '--no-watch'];
    const removed = await cli(once, as);
    expect([removed.code, removed.err]).toEqual([
      0,
      expect.stringMatching(/^Warning: 1 rows were left out\n {2}919812345678: /),
    ]);
    expect(removed.out).toMatch(/: accepted for 2 contacts, 2 credits\n$/);
    expect((await cli([...once, '--id', 'x'], as)).code).toBe(2);
    expect((await cli([...once, '--channel', 'voice'], as)).err).toMatch(
      /--remove-duplicates does not go with --channel voice/,
    );
    const call = ['send', twice, '--name', 'n', '--channel', 'voice', '--message', 'Hi', '--no-watch'];
    expect(await cli([...call, '--caller-id', '9.198E+11'], as)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/--caller-id: number is in the exponent notation/) as string,
    });
  });
});
