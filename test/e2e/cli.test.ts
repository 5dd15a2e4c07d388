import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, numbers } from '../support/client.js';
import { commonService, type Service, until } from '../support/processes.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const CLI = join(ROOT, 'dist/src/apps/cli/main.js');
const ADMIN = { SWITCHBOARD_USER: 'admin' };
const PASSWORD = 'Admin-1234!';

interface Run {
  code: number;
  out: string;
  err: string;
}

/** The operator's command line as a process, against the whole service. */
describe('the command line', () => {
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
    await setCredits(1_000);
    directory = mkdtempSync(join(tmpdir(), 'switchboard-cli-'));
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
  });

  /** Whatever demo has had before. */
  async function setCredits(amount: number): Promise<void> {
    const admin = await Client.login(service.url, 'admin', PASSWORD);
    const path = '/v6/api/admin/accounts/demo/credits';
    const { body } = await admin.call<{ data: { balance: string; available: number }[] }>('GET', path);
    const available = body.data.find(({ balance }) => balance === 'gsm_credits')?.available ?? 0;
    if (available !== amount) await admin.call('POST', path, { balance: 'gsm_credits', amount: amount - available });
  }

  /** @param typed standard input, a password mostly */
  async function cli(args: string[], environment: NodeJS.ProcessEnv = {}, typed = ''): Promise<Run> {
    const all = { ...service.environment, SWITCHBOARD_URL: service.url, ...environment };
    return run(process.execPath, [CLI, ...args], all, typed);
  }
  async function run(command: string, args: string[], environment: NodeJS.ProcessEnv, typed = ''): Promise<Run> {
    const child = spawn(command, args, { cwd: ROOT, env: { PATH: process.env['PATH'], ...environment } });
    const run: Run = { code: -1, out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (run.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (run.err += chunk.toString()));
    child.stdin.end(typed);
    const [code] = (await once(child, 'close')) as [number];
    return { ...run, code };
  }
  const asAdmin = (...args: string[]): Promise<Run> => cli(args, ADMIN, `${PASSWORD}\n`);
  const file = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };

  it('explains itself, and refuses wrong use with 2', async () => {
    const help = await cli(['--help']);
    expect(help.code).toBe(0);
    for (const word of [
      'create-admin',
      'reset-login',
      'grant-credits',
      'list',
      'show',
      'pause',
      'resume',
      'cancel',
      'retry',
      'routes',
      'accounts',
      'rates',
      '--json',
      '124',
      'send',
      'watch',
      'requeue',
      'keep-tables',
      'prove-balances',
      'Exit codes',
    ]) {
      expect(help.out).toContain(word);
    }
    expect((await cli(['send', '--help'])).out).toContain('--message <text>');
    const wrong: [string[], RegExp][] = [
      [['dance'], /^error: /],
      [['watch'], /^error: /],
      [['grant-credits', 'demo', 'gsm_credits', 'many'], /^error: /],
      [['send', 'x.csv'], /^error: /],
      [['send', 'x.csv', '--name', 'n'], /^error: --channel sms wants --message/],
      [['send', 'x.csv', '--name', 'n', '--channel', 'template'], /^error: --channel template wants --template/],
      [
        ['send', 'x.csv', '--name', 'n', '--message', 'm', '--audio', 'u'],
        /^error: --audio does not go with --channel sms/,
      ],
      [['watch', 'cli-1', '--timeout', 'soon'], /^error: .*90s/],
      [['list', '--limit', '1001'], /^error: .*1 to 1000/],
      [['--json', 'requeue', 'x'], /^--json does not go with requeue/],
      [['--token', 'x.y.z', 'watch', 'cli-1'], /^Use SWITCHBOARD_TOKEN: everybody/],
      [['--api-key', 'sk_x', 'watch', 'cli-1'], /^Use SWITCHBOARD_API_KEY: everybody/],
      [['send', 'x.csv', '--name', 'n', '--message', 'm', '--channel', 'unofficial', '--id', 'x'], /would send twice/],
    ];
    await Promise.all(
      wrong.map(async ([args, text]) => {
        const { code, err } = await cli(args);
        expect([code, err], args.join(' ')).toEqual([2, expect.stringMatching(text)]);
      }),
    );
  });

  it('is found by npm beside a running service, whose addresses it knows', async () => {
    const { DATABASE_URL, REDIS_URL } = service.environment;
    file('running.json', JSON.stringify({ SWITCHBOARD_URL: service.url, DATABASE_URL, REDIS_URL }));
    const npm = (args: string[], more = {}, typed = '') =>
      run('npm', ['run', '--silent', 'cli', '--', ...args], { ...more, HOME: directory, DATA_DIR: directory }, typed);
    const proved = await npm(['prove-balances', 'demo'], ADMIN, `${PASSWORD}\n`);
    expect([proved.code, proved.out]).toEqual([0, '6 balances agree with their ledger\n']);
    const woken = await npm(['requeue', 'nothing']);
    expect([woken.code, woken.err]).toEqual([1, expect.stringContaining('Campaign not found')]);
  });

  it('makes an admin who can log in', async () => {
    const made = await cli(['create-admin', 'night.shift', '--type', 'super'], {}, 'Night-1234!\n');
    expect(made).toEqual({ code: 0, out: 'Created the super account night.shift\n', err: expect.any(String) });
    await Client.login(service.url, 'night.shift', 'Night-1234!');
    const refused = await Promise.all([
      cli(['create-admin', 'night.shift'], {}, 'Night-1234!\n'),
      cli(['create-admin', 'weak'], {}, 'weak\n'),
      cli(['create-admin', 'a b'], {}, 'Night-1234!\n'),
    ]);
    expect(refused.map(({ code, err }) => [code, err])).toEqual([
      [1, 'Username already taken\n'],
      [1, 'Password must be at least 8 characters\n'],
      [1, 'username is invalid\n'],
    ]);
  });

  it('lets a super in again who lost password and second factor', async () => {
    const username = 'lost.super';
    await cli(['create-admin', username, '--type', 'super'], {}, 'Night-1234!\n');
    const { dataSource } = service.database;
    const read = <Row>(sql: string, values: unknown[] = []): Promise<Row[]> => dataSource.query(sql, values);
    const [account] = await read<{ id: number }>('SELECT id FROM accounts WHERE username = ?', [username]);
    const { token: former } = await Client.login(service.url, username, 'Night-1234!');
    const factor =
      "(id, account_id, holder_id, kind, name, created_at, confirmed_at) VALUES (?, ?, ?, 'totp', '', NOW(3), NOW(3))";
    await read(`INSERT INTO login_factors ${factor}`, [1, account?.id, account?.id]);
    await read('UPDATE accounts SET second_factor = 1, is_active = 0 WHERE id = ?', [account?.id]);
    const nothing = await cli(['reset-login', username], {});
    expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining('Say what is lost')]);
    expect((await cli(['reset-login', 'no.body', '--open'], {})).err).toBe('Account not found\n');
    const weak = await cli(['reset-login', username, '--password'], {}, 'weak\n');
    expect(weak.err).toContain('Password must be at least 8 characters');
    const lost = ['--password', '--second-factor', '--open'];
    const done = await cli(['reset-login', username, ...lost], {}, 'Other-1234!\n');
    expect([done.code, done.out]).toEqual([0, `${username} can log in again, and is signed out everywhere\n`]);
    const own = { headers: { authorization: `Bearer ${former}` } };
    await expect
      .poll(async () => (await fetch(`${service.url}/v6/api/account`, own)).status, { timeout: 10_000 })
      .toBe(401);
    await Client.login(service.url, username, 'Other-1234!');
    const entries = await read<Record<string, unknown>>("SELECT * FROM audit_log WHERE action = 'account.reset_login'");
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain('Other-1234!');
  });

  it('grants credits and takes them back, with the texts of the API', async () => {
    expect(await asAdmin('grant-credits', 'demo', 'gsm_credits', '5000', '--note', 'Invoice 1')).toMatchObject({
      code: 0,
      out: 'demo: gsm_credits 6000\n',
    });
    expect(await asAdmin('grant-credits', 'demo', 'gsm_credits', '--', '-1000')).toMatchObject({
      code: 0,
      out: 'demo: gsm_credits 5000\n',
    });
    const unknown = await asAdmin('grant-credits', 'nobody', 'gsm_credits', '1');
    expect([unknown.code, unknown.out]).toEqual([1, '']);
    const foreign = await cli(['grant-credits', 'demo', 'gsm_credits', '1'], { SWITCHBOARD_TOKEN: token });
    expect([foreign.code, foreign.err.split('\n')[0]]).toEqual([1, 'Forbidden']);
    const wrong = await cli(['grant-credits', 'demo', 'gsm_credits', '1'], ADMIN, 'wrong\n');
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('Invalid credentials\n')]);
    expect((await cli(['prove-balances'])).err).toContain('Say who you are');
  });

  it('sends to the numbers of a CSV file and watches the end', async () => {
    const rows = numbers(300).map((number, index) => `"Doe, no. ${index}";${number}`);
    const contacts = file('contacts.csv', `name;mobile\n${rows.join('\n')}\n`);
    const args = ['send', contacts, '--name', 'From a file', '--message', 'Hello', '--id', 'cli-1'];
    const sent = await cli(args, { SWITCHBOARD_TOKEN: token });
    expect(sent.code).toBe(0);
    expect(sent.out).toMatch(/^cli-1: accepted for 300 contacts, 300 credits\ncli-1 is completed: /);
    expect(sent.err).toBe('');
    expect((await demo.report('cli-1')).data.total_rows).toBe(300);
    expect((await cli(['watch', 'cli-1'], { SWITCHBOARD_TOKEN: token })).code).toBe(0);
    expect((await cli(['watch', 'nothing'], { SWITCHBOARD_TOKEN: token })).err).toMatch(/^Campaign not found\n/);
  });

  it('sends templates with the columns of the file, branded campaigns, and voice', async () => {
    const staff = await Client.login(service.url, 'admin', PASSWORD);
    const { body } = await demo.call<{ template_id: number }>('POST', '/webhook/api/createTemplates.php', {
      template_name: 'cli_ready',
      category: 'utility',
      template_body: 'Hello {{1}}, {{2}} is ready.',
    });
    await staff.call('POST', `/v6/api/admin/templates/${body.template_id}/approve`, {});
    const rows = file('people.csv', 'name,phone\nAsha,919800000001\n,919800000404\n');
    const template = ['--template', 'cli_ready', '--param', '{{name|friend}}', '--param', 'it'];
    const as = { SWITCHBOARD_TOKEN: token };
    const sent = await cli(['send', rows, '--name', 'T', '--channel', 'template', ...template], as);
    expect(sent).toMatchObject({ code: 0, out: expect.stringMatching(/for 2 contacts, 2 credits\n.* completed: /) });
    const branded = await cli(['send', rows, '--name', 'B', '--channel', 'branded', ...template, '--no-watch'], as);
    expect(branded).toMatchObject({ code: 0, out: expect.stringMatching(/^WCAMP_\w+: accepted for 2 contacts, 2 cr/) });
    const mend = ['send', file('b.csv', 'name,phone\n"A\na",919800000001\n'), '--name', 'M', '--channel', 'template'];
    expect((await cli([...mend, ...template], as)).err).toMatch(/Template parameters must not be blank/);
    expect((await cli([...mend, ...template, '--no-watch', '--flatten'], as)).out).toMatch(/for 1 contact/);
    const menu = file('menu.json', '{"rows":[{"digit":"1","action":"transfer","number":"4930123456"}]}');
    const spoken = ['send', rows, '--name', 'V', '--channel', 'voice', '--message', 'Hello.', '--menu', menu];
    const voice = await cli([...spoken, '--json', '--timeout', '1s'], as);
    expect(voice.code).toBe(124);
    const [accepted, looked] = voice.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(accepted).toMatchObject({ contacts: 2, ivr_enabled: true, status: 'Pending for Verification' });
    expect(looked).toMatchObject({ request_id: accepted!['request_id'], state: 'pending_approval' });
    expect(voice.err).toMatch(/^The time is up\. .*\nHint: It goes on; /);
    expect((await cli(['cancel', String(accepted!['request_id'])], as)).code).toBe(0);
  });

  it('lists and shows campaigns, changes them, and sends again to those that failed', async () => {
    const as = { SWITCHBOARD_TOKEN: token };
    const json = async (...args: string[]): Promise<never> =>
      JSON.parse((await cli([...args, '--json'], as)).out) as never;
    const list = await cli(['list', '--channel', 'voice', '--state', 'cancelled'], as);
    expect(list.out).toMatch(/^REQUEST ID +CHANNEL +STATE +RECIPIENTS/);
    expect(list.out).toMatch(/VCAMP_\w+ +voice +cancelled +2 /);
    expect(await json('list', '--limit', '1')).toMatchObject({ data: [{ channel: 'voice' }], limit: 1 });
    expect((await cli(['list', '--limit', '1'], as)).err).toMatch(/^There are more: --cursor \S+\n$/);
    expect((await cli(['list', '--search', 'nothing like it'], as)).out).toBe('None\n');
    expect((await cli(['list', '--state', 'odd'], as)).err).toMatch(/^state must be one of: /);
    expect((await asAdmin('list', '--username', 'demo', '--limit', '1')).out).toMatch(/ACCOUNT[^]* demo /);

    const one = file('one.csv', 'phone\n919800000404\n919800000001\n');
    const later = [...'--name Change --message m --id cli-3 --no-watch --schedule'.split(' '), '2035-01-01 10:00:00'];
    await cli(['send', one, ...later], as);
    expect((await cli(['pause', 'cli-3'], as)).out).toBe('cli-3 is paused\n');
    expect((await cli(['pause', 'cli-3'], as)).err).toMatch(/^Campaign is already paused\n/);
    expect(await json('resume', 'cli-3')).toMatchObject({ request_id: 'cli-3' });
    expect(await json('cancel', 'cli-3')).toMatchObject({ state: 'cancelled' });
    expect((await cli(['show', 'nothing'], as)).code).toBe(1);

    await cli(['send', one, '--name', 'Again', '--message', 'm', '--id', 'cli-4'], as);
    const shown = await cli(['show', 'cli-4'], as);
    expect(shown.out).toMatch(/request id +cli-4\n[^]*state +completed\n[^]*statuses +\w+ 1, \w+ 1\n/);
    expect(shown.out).toMatch(/route +sandbox\n[^]*text +m\npace +no limit\n/);
    expect(await json('show', 'cli-4')).toMatchObject({ request_id: 'cli-4', total_rows: 2 });
    expect((await cli(['retry', 'cli-4', '--quote'], as)).out).toBe(
      '0 contacts, 0 credits\n  permanent: 1, left out\n',
    );
    expect((await cli(['retry', 'cli-4'], as)).err).toMatch(/^Campaign has no failed recipients\n/);
    const again = await cli(['retry', 'cli-4', '--include', 'permanent'], as);
    expect(again).toMatchObject({
      code: 0,
      out: expect.stringMatching(/accepted for 1 contacts, 1 cr[^]* completed: FAILED 1/),
    });
  });

  it('shows staff routes, accounts and rates', async () => {
    const staff = await Client.login(service.url, 'admin', PASSWORD);
    await staff.call('PUT', '/v6/api/admin/rates/cli', [{ channel: 'sms', prefix: '91', credits_per_segment: 2 }]);
    expect((await asAdmin('routes')).out).toMatch(/^NAME +CHANNEL[^]*sandbox +sms +smpp +yes/);
    expect((await asAdmin('accounts', 'dem')).out).toMatch(/^USERNAME +TYPE[^]*\ndemo +/);
    expect((await asAdmin('rates')).out).toMatch(/^PLAN +REVISION +RATES[^]*\ncli +1 +1 /);
    expect((await asAdmin('rates', 'cli')).out).toMatch(/plan +cli\n[^]*sms +91 +2\n/);
    const all = await Promise.all(
      [['routes'], ['accounts'], ['rates'], ['rates', 'cli']].map((args) => asAdmin(...args, '--json')),
    );
    for (const { code, out } of all) expect([code, typeof JSON.parse(out)]).toEqual([0, 'object']);
    const refused = await cli(['routes'], { SWITCHBOARD_TOKEN: token });
    expect([refused.code, refused.err.split('\n')[0]]).toEqual([1, 'Forbidden']);
  });

  it('ends with 130 when it is interrupted', async () => {
    const data = { state: 'running', total_rows: 1, status_counts: { SENT: 1 } };
    const api = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const environment = { ...service.environment, SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: token };
    const asked = once(api, 'request');
    const child = spawn(process.execPath, [CLI, 'watch', 'cli-5', '--timeout', '10m'], { cwd: ROOT, env: environment });
    const ended = once(child, 'close');
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await asked;
    child.kill('SIGINT');
    expect([await ended, said]).toEqual([[130, null], '\nInterrupted\n']);
    api.closeAllConnections();
    api.close();
  });

  it('ends with 3 when a campaign is cancelled, and tells an API that is away', async () => {
    const scheduled = file('later.csv', numbers(3).join('\n'));
    const options = ['--name', 'Later', '--message', 'm', '--id', 'cli-2', '--schedule', '2035-01-01 10:00:00'];
    const sent = await cli(['send', scheduled, ...options, '--no-watch'], { SWITCHBOARD_TOKEN: token });
    expect(sent.out).toBe('cli-2: accepted for 3 contacts, 3 credits\n');
    expect(await cli(['requeue', 'cli-2'])).toMatchObject({ code: 0, out: 'cli-2 is accepted: 0 lanes woken\n' });
    expect(await cli(['keep-tables'])).toMatchObject({ code: 0 });
    await demo.call('POST', '/v6/api/campaigns/cli-2/cancel', {});
    const watched = await cli(['watch', 'cli-2'], { SWITCHBOARD_TOKEN: token });
    expect([watched.code, watched.err]).toEqual([3, expect.stringContaining('cli-2 is cancelled')]);
    const away = await cli(['watch', 'cli-2'], { SWITCHBOARD_TOKEN: token, SWITCHBOARD_URL: 'http://127.0.0.1:1' });
    expect([away.code, away.err.trim()]).toEqual([1, 'http://127.0.0.1:1 does not answer']);
  });

  it('wakes a stuck campaign, which then ends', async () => {
    await service.workers[0]!.stop();
    const requestId = await demo.broadcast(numbers(5));
    const { dataSource } = service.database;
    await dataSource.query(
      `UPDATE campaign_lanes SET wake_at = NULL
       WHERE campaign_id = (SELECT id FROM campaigns WHERE request_id = ?)`,
      [requestId],
    );
    await service.addWorker();
    const woken = await cli(['requeue', requestId]);
    expect(woken.code).toBe(0);
    expect(woken.out).toMatch(/ is accepted: [1-9]\d* lanes? woken\n$/);
    await until('the campaign to end', async () => (await demo.state(requestId)) === 'completed');
    expect((await cli(['requeue', requestId])).out).toContain('is completed: 0 lanes woken');
    expect(await cli(['requeue', 'nothing'])).toMatchObject({ code: 1, err: 'Campaign not found\n' });
    const audit: { subject: string }[] = await dataSource.query(
      "SELECT subject FROM audit_log WHERE action = 'campaign.requeue' AND actor = 'system'",
    );
    expect(audit).toEqual([{ subject: requestId }]);
  });

  it('proves balances, and ends with 3 where one is wrong', async () => {
    expect(await asAdmin('prove-balances', 'demo')).toMatchObject({
      code: 0,
      out: '6 balances agree with their ledger\n',
    });
    expect((await asAdmin('prove-balances')).out).toMatch(/^\d+ balances agree with their ledger\n$/);
    const add = (amount: number): Promise<unknown> =>
      service.database.dataSource.query(
        `UPDATE credit_balances SET available = available + ?
         WHERE balance = 'gsm_credits' AND account_id = (SELECT id FROM accounts WHERE username = 'demo')`,
        [amount],
      );
    await add(1);
    const wrong = await asAdmin('prove-balances');
    await add(-1);
    expect(wrong.code).toBe(3);
    expect(wrong.out).toMatch(/^demo: gsm_credits is \d+, its ledger says \d+\n$/);
  });

  it('never prints a password, a token or a stack', async () => {
    const [broken, unset] = await Promise.all([
      cli(['create-admin', 'other'], { DATABASE_URL: 'mysql://u:secret@127.0.0.1:1/x' }, 'Night-1234!\n'),
      cli(['requeue', 'x'], { DATABASE_URL: '' }),
    ]);
    expect([broken.code, broken.err]).toEqual([1, 'The database cannot be reached (ECONNREFUSED)\n']);
    expect(broken.out + broken.err).not.toMatch(/secret|Night-1234|127\.0\.0\.1|\n\s+at /);
    expect([unset.code, unset.err]).toEqual([1, expect.stringContaining('DATABASE_URL')]);
  });
});
