import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, numbersEnding } from '../support/client.js';
import { requireVariable } from '../support/database.js';
import { Gate } from '../support/gate.js';
import { carrierTotal } from '../support/sandbox.js';
import { type Service, startService } from '../support/processes.js';

/**
 * Redis is disposable: without it sends are accepted, and they leave when it is back (reference/running#without-redis).
 */
describe('without Redis', () => {
  let service: Service;
  let client: Client;
  let gate: Gate;

  beforeAll(async () => {
    const redis = new URL(requireVariable('REDIS_URL'));
    gate = new Gate({ host: redis.hostname, port: Number(redis.port || 6379) });
    redis.host = `127.0.0.1:${await gate.open()}`;
    service = await startService(1, { REDIS_URL: redis.href, BROADCAST_RATE_LIMIT: '3' });
    client = await Client.login(service.url, 'demo', 'Demo-1234!');
  });
  afterAll(async () => {
    await service.stop();
    await gate.close();
  });

  it('accepts, counts requests per process, says so when asked, and sends when Redis is back', async () => {
    const first = await client.broadcast(numbersEnding(5, '111'));
    await client.completed(first);
    await gate.close();

    const accepted = [await client.broadcast(numbersEnding(7, '222')), await client.broadcast(numbersEnding(7, '333'))];
    const ready = await fetch(`${service.url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(JSON.stringify(await ready.json())).toMatch(/"redis":\{"status":"down"/);
    await client.broadcast(numbersEnding(1, '444'));
    await expect(client.broadcast(numbersEnding(1, '555'))).rejects.toThrow('429');
    expect(await carrierTotal(service)).toBe(5);
    for (const requestId of accepted) expect((await client.report(requestId)).data.status_counts).toEqual({ PP1: 7 });

    await gate.open();
    for (const requestId of accepted) {
      expect((await client.completed(requestId)).data.status_counts).toEqual({ DELIVERED: 7 });
    }
  });
});
