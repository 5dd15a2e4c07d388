import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cable } from '../support/cable.js';
import { Client, numbersEnding } from '../support/client.js';
import { requireVariable } from '../support/database.js';
import { commonService, type Service, type ServiceProcess, until } from '../support/processes.js';

/** A worker whose connections to the database fall silent, as behind a firewall that forgets them: nobody says goodbye. */
describe('a database that falls silent under a worker', () => {
  let service: Service;
  let worker: ServiceProcess;
  let client: Client;
  const cable = new Cable();

  beforeAll(async () => {
    service = await commonService(0);
    const through = new URL(service.database.url);
    through.port = String(await cable.plug(new URL(requireVariable('DATABASE_URL'))));
    worker = await service.addWorker({
      DATABASE_URL: through.href,
      DATABASE_QUERY_TIMEOUT: '5s',
      DATABASE_POOL_WAIT: '2s',
      LANE_LEASE: '4s',
      WEBHOOK_TIMEOUT: '4s',
      READY_SILENCE: '3s',
      LIVE_SILENCE: '12s',
    });
    client = await Client.login(service.url, 'demo', 'Demo-1234!');
  });
  afterAll(async () => {
    cable.heal();
    await worker.stop();
    await cable.cut();
  });

  const status = async (path: string): Promise<number> => (await fetch(worker.url + path)).status;
  const send = async (prefix: string): Promise<void> => {
    const requestId = await client.broadcast(numbersEnding(50, '111', prefix));
    expect((await client.completed(requestId, 60_000)).data.status_counts).toEqual({ DELIVERED: 50 });
  };

  it('sends again within 30 s, over connections made anew', async () => {
    await send('921');
    cable.silence({ newToo: false });
    const begun = performance.now();
    await send('922');
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(await status('/health/ready')).toBe(200);
  });

  it('shows in ready and live of the worker, heals, and lets it end by SIGTERM in bounded time', async () => {
    cable.silence({ newToo: true });
    await until('the worker not to be ready', async () => (await status('/health/ready')) === 503, 15_000);
    await until('the worker to be stuck', async () => (await status('/health/live')) === 503, 30_000);
    cable.heal();
    await until('the worker to be ready', async () => (await status('/health/ready')) === 200, 30_000);
    expect(await status('/health/live')).toBe(200);
    await send('923');
    cable.silence({ newToo: true });
    const begun = performance.now();
    await worker.stop('SIGTERM');
    // A lease and what closing takes: 4 s + 10 s.
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});
