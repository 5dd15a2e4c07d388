import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Drain } from '../../src/platform/observability/index.js';
import { type RunningApi, startApi } from '../support/api.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
const running: RunningApi[] = [];

async function start(...args: Parameters<typeof startApi>): Promise<RunningApi> {
  const api = await startApi(args[0], database);
  running.push(api);
  return api;
}

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  for (const api of running) await api.stop();
  await database.drop();
});

describe('health', () => {
  it('is ready with database and Redis', async () => {
    const api = await start();
    const response = await fetch(`${api.url}/health/ready`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      status: 'ok',
      details: { database: { status: 'up' }, redis: { status: 'up' } },
    });
  });

  it('is ready without Redis, and says so; requests are answered', async () => {
    const api = await start({ REDIS_URL: 'redis://127.0.0.1:1', BROADCAST_RATE_LIMIT: 2 });
    const response = await fetch(`${api.url}/health/ready`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: 'ok', details: { redis: { status: 'down' } } });
    expect((await fetch(`${api.url}/webhook/api/getGSMreport.php?request_id=none`)).status).toBe(404);
  });

  it('is not ready once it stops, and ends its connections', async () => {
    const api = await start();
    api.app.get(Drain).begin();
    const response = await fetch(`${api.url}/health/ready`);
    expect(response.status).toBe(503);
    expect(response.headers.get('connection')).toBe('close');
    expect(await response.json()).toMatchObject({ status: 'shutting_down' });
  });
});

describe('metrics', () => {
  it('are open outside production and count requests by route', async () => {
    const api = await start();
    await fetch(`${api.url}/webhook/api/getGSMreport.php?request_id=none`);
    const text = await (await fetch(`${api.url}/metrics`)).text();
    expect(text).toContain('route="/webhook/api/getGSMreport.php"');
    expect(text).toContain('process_cpu_user_seconds_total');
  });

  it('do not exist in production without a token', async () => {
    const api = await start({ NODE_ENV: 'production' });
    expect((await fetch(`${api.url}/metrics`)).status).toBe(404);
  });

  it('want the token where there is one', async () => {
    const api = await start({ NODE_ENV: 'production', METRICS_TOKEN: 'metrics-token-of-a-test' });
    expect((await fetch(`${api.url}/metrics`)).status).toBe(401);
    const wrong = { Authorization: 'Bearer metrics-token-of-a-tesT' };
    expect((await fetch(`${api.url}/metrics`, { headers: wrong })).status).toBe(401);
    const right = { Authorization: 'Bearer metrics-token-of-a-test' };
    expect((await fetch(`${api.url}/metrics`, { headers: right })).status).toBe(200);
  });
});

describe('CORS', () => {
  it('is off by default', async () => {
    const api = await start();
    const response = await fetch(`${api.url}/health/live`, { headers: { Origin: 'https://app.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('allows the origins of CORS_ORIGINS and no other', async () => {
    const api = await start({ CORS_ORIGINS: ['https://app.example'] });
    const allowed = await fetch(`${api.url}/health/live`, { headers: { Origin: 'https://app.example' } });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    const other = await fetch(`${api.url}/health/live`, { headers: { Origin: 'https://evil.example' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});
