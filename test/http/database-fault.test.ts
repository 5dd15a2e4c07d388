import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApi, startApi } from '../support/api.js';
import { Cable } from '../support/cable.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let api: RunningApi;
let database: TestDatabase;
const cable = new Cable();

beforeAll(async () => {
  database = await createTestDatabase();
  const through = new URL(database.url);
  through.port = String(await cable.plug(new URL(database.url)));
  api = await startApi({}, { ...database, url: through.href });
  await cable.cut();
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

describe('without the database', () => {
  it('answers 500 with the text of reference/requests#error-bodies and nothing else', async () => {
    const response = await fetch(`${api.url}/v6/api/v1/auth/login`, {
      method: 'POST',
      body: JSON.stringify({ email_or_username: 'somebody', password: 'Secret-123' }),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      success: false,
      statusCode: 500,
      message: 'Database connection failed',
      error: 'Internal Server Error',
    });
  });

  it('is alive and not ready', async () => {
    expect((await fetch(`${api.url}/health/live`)).status).toBe(200);
    const ready = await fetch(`${api.url}/health/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({
      status: 'error',
      details: { database: { status: 'down' }, redis: { status: 'up' } },
    });
  });
});
