import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { Cable } from '../support/cable.js';
import { numbers } from '../support/client.js';
import { until } from '../support/processes.js';
import { openSms, type Sms } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

/** Twenty such workers, and the APIs beside them, stay within a hundred connections (docs/reference/running.md#database). */
const POOL = 4;
const CAMPAIGNS = 6;
const CONTACTS = 1_000;
const SINGLES = 50;

describe('connections of a worker', () => {
  const cable = new Cable();
  let gateway: Server;
  let sms: Sms;
  let worker: TestingModule;

  beforeAll(async () => {
    let serial = 0;
    gateway = createServer((request, response) => {
      request.resume().on('end', () => response.end(JSON.stringify({ id: `id-${++serial}` })));
    }).listen(0, '127.0.0.1');
    sms = await openSms({}, { route: false });
    const routes = sms.part(RouteDirectory);
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`;
    const config = { url, body: { to: '{{to}}', text: '{{text}}' }, id_path: 'id' };
    const draft = {
      name: 'main',
      channel: 'sms' as const,
      driver: 'http',
      config,
      messagesPerSecond: null,
      isDefault: true,
    };
    await sms.dataSource.transaction((tx) => routes.put(tx, draft));
    routes.forget();
    const through = new URL(sms.database.url);
    through.port = String(await cable.plug(new URL(sms.database.url)));
    worker = await startWorker({ ...sms.environment, DATABASE_URL: through.href, DATABASE_POOL_SIZE: POOL });
  });
  afterAll(async () => {
    await worker.close();
    await cable.cut();
    await sms.stop();
    gateway.close();
  });

  it('are no more than its pool at full work, and hardly any at rest', async () => {
    const member = await sms.join(100_000);
    const send = (contacts: string[]) =>
      sms.broadcast(member, { broadcast_name: 'Test', brodcast_service: 'main', contacts, message: 'Hello' });
    const answers = await Promise.all([
      ...Array.from({ length: CAMPAIGNS }, () => send(numbers(CONTACTS))),
      ...Array.from({ length: SINGLES }, () => send(numbers(1))),
    ]);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    let most = 0;
    await until(
      'everything to be sent',
      async () => {
        most = Math.max(most, cable.connections);
        const [row] = await sms.dataSource.query<{ open: number }[]>(
          'SELECT COUNT(*) AS open FROM campaigns WHERE sent_at IS NULL',
        );
        return Number(row?.open) === 0;
      },
      110_000,
    );
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(POOL);
    await expect.poll(() => cable.connections, { timeout: 60_000 }).toBeLessThanOrEqual(2);
  });
});
