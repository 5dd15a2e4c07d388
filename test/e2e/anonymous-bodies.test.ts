import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, numbers } from '../support/client.js';
import { freePort, type Service, ServiceProcess, startService, until } from '../support/processes.js';

const MB = 1024 * 1024;
const ATTACK = new URL('../support/anonymous-attack.mjs', import.meta.url).pathname;
const MOST_GROWTH = 100 * MB;
const MOST_MS = 500;
const SENDS = 100;
const PAUSE_MS = 100;

/** What callers who are not known can do to an API as it runs in production (reference/requests#callers-who-are-not-known). */
describe.skipIf(!existsSync('/proc/self/status'))('200 bombs and 200 silent connections at once', () => {
  let service: Service;
  let api: ServiceProcess;
  let client: Client;
  let attack: ChildProcess | null = null;

  beforeAll(async () => {
    // its own: what is sent here waits for workers, and would keep those of other tests busy
    service = await startService(0, { BROADCAST_RATE_LIMIT: '0', USER_RATE_LIMIT: '0' });
    const port = await freePort();
    api = await new ServiceProcess('api', `http://127.0.0.1:${port}`, {
      ...service.environment,
      NODE_ENV: 'production',
      REQUIRE_SECOND_FACTOR: 'off', // scripts log in as staff here
      NODE_OPTIONS: '--max-semi-space-size=32',
      PORT: String(port),
    }).start();
    const admin = await Client.login(api.url, 'admin', 'Admin-1234!');
    const names = { username: 'steady', password: 'Steady-1234!', firstname: 'Steady', lastname: 'Ltd' };
    await admin.call('POST', '/v6/api/admin/accounts', names);
    await admin.call('POST', '/v6/api/admin/accounts/steady/credits', { balance: 'gsm_credits', amount: 100_000 });
    client = await Client.login(api.url, 'steady', 'Steady-1234!');
  });
  afterAll(async () => {
    attack?.kill('SIGKILL');
    await api.stop();
    await service.stop();
  });

  /** What the API needs now, bytes. */
  const resident = (): number =>
    1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${api.pid ?? 0}/status`, 'utf8'))?.[1]);

  /** How long the API and these tests have waited for a core that others had, ms: a busy machine says nothing of the API. */
  const waited = (): number => {
    const of = (pid: number): number => {
      const path = `/proc/${pid}/task/${pid}/schedstat`;
      return existsSync(path) ? Number(readFileSync(path, 'utf8').split(' ')[1]) / 1e6 : 0;
    };
    return of(api.pid ?? 0) + of(process.pid);
  };
  const clock = (): number => performance.now() - waited();

  /** Sends, one after the other; how long each took, and the most memory meanwhile. */
  const sendMany = async (): Promise<{ slowest: number; median: number; most: number }> => {
    const times: number[] = [];
    let most = 0;
    for (let count = 0; count < SENDS; count++) {
      const begun = clock();
      await client.broadcast(numbers(1));
      times.push(clock() - begun);
      most = Math.max(most, resident());
      await sleep(PAUSE_MS);
    }
    times.sort((a, b) => a - b);
    return { slowest: times.at(-1) ?? 0, median: times[times.length / 2] ?? 0, most };
  };

  it('take a bounded memory, and an authenticated send is answered meanwhile', async () => {
    // memory for young objects grows with the first traffic, whoever brings it
    for (let round = 0; round < 100; round++) {
      await Promise.all(Array.from({ length: 20 }, () => client.broadcast(numbers(20))));
    }
    const calm = await sendMany();
    const before = resident();
    attack = spawn(process.execPath, [ATTACK, api.url], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    attack.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const { slowest, median, most } = await sendMany();
    await until('the bombs to be answered', () => Promise.resolve(said.includes('\n')));
    const figures = {
      answers: JSON.parse(said) as Record<string, number>,
      growthMb: Math.round((most - before) / MB),
      slowestMs: Math.round(slowest),
      medianMs: Math.round(median),
      calmSlowestMs: Math.round(calm.slowest),
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    expect(most - before).toBeLessThan(MOST_GROWTH);
    // the slowest of before is what the machine itself adds at the moment
    expect(slowest - calm.slowest).toBeLessThan(MOST_MS);
    expect(Object.keys(figures.answers).filter((status) => !/^4\d\d$/.test(status))).toEqual([]);
  });
});
