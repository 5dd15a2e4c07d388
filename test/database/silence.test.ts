import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningApi, startApi } from '../support/api.js';
import { Cable } from '../support/cable.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/processes.js';

const BOUNDS = {
  DATABASE_QUERY_TIMEOUT: 2_000,
  DATABASE_POOL_WAIT: 1_000,
  DATABASE_POOL_SIZE: 4,
  READY_SILENCE: 3_000,
  LIVE_SILENCE: 9_000,
};

describe('a database that falls silent', () => {
  let database: TestDatabase;
  let api: RunningApi;
  let cable: Cable;

  beforeEach(async () => {
    database = await createTestDatabase();
    cable = new Cable();
    const through = new URL(database.url);
    through.port = String(await cable.plug(new URL(database.url)));
    api = await startApi(BOUNDS, { ...database, url: through.href });
  });
  afterEach(async () => {
    await api.stop();
    await cable.cut();
    await database.drop();
  });

  const status = async (path: string): Promise<number> => (await fetch(api.url + path)).status;
  const asked = (): Promise<number> => status('/webhook/api/getGSMreport.php?request_id=none');
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${api.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };

  it('costs a request its time-out, not the process: the connections are made anew', async () => {
    await Promise.all(Array.from({ length: 8 }, asked));
    expect(cable.connections).toBeGreaterThan(1);
    cable.silence({ newToo: false });
    const begun = performance.now();
    await until('requests to be answered again', async () => (await asked()) === 404, 20_000);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(await metric('database_query_timeouts_total')).toBeGreaterThan(0);
    for (let i = 0; i < 8; i++) expect(await asked()).toBe(404);
    expect(await status('/health/ready')).toBe(200);
  });

  it('is told: not ready after some seconds, stuck after a while, and well again when it speaks', async () => {
    expect(await status('/health/ready')).toBe(200);
    cable.silence({ newToo: true });
    const failed = await Promise.all(Array.from({ length: 8 }, asked));
    expect(failed).toEqual(Array(8).fill(500));
    expect(await metric('database_pool_wait_timeouts_total')).toBeGreaterThan(0);
    await until('not to be ready', async () => (await status('/health/ready')) === 503, 20_000);
    expect(await status('/health/live')).toBe(200);
    await until('to be stuck', async () => (await status('/health/live')) === 503, 20_000);
    expect(await (await fetch(`${api.url}/health/live`)).json()).toEqual({ status: 'stuck' });
    cable.heal();
    await until('to be ready again', async () => (await status('/health/ready')) === 200, 30_000);
    expect(await status('/health/live')).toBe(200);
    expect(await asked()).toBe(404);
  });
});
