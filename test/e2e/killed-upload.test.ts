import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Leftovers } from '../../src/modules/recipient-lists/leftovers.store.js';
import { Client } from '../support/client.js';
import { type Service, startService, until } from '../support/processes.js';

const PIECE = Array.from({ length: 10_000 }, (_, at) => `${919_000_000_000 + at},Asha\n`).join('');

describe('an API that is killed while it takes an upload', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(0, { USER_RATE_LIMIT: '0' });
  });
  afterAll(() => service.stop());

  const count = async (table: string): Promise<number> => {
    const [row] = await service.database.dataSource.query<{ n: string }[]>(`SELECT COUNT(*) AS n FROM ${table}`);
    return Number(row?.n);
  };

  it('leaves rows that nobody sees, and a sweeper removes them when the lease is over', async () => {
    const client = await Client.login(service.url, 'demo', 'Demo-1234!');
    const { hostname, port } = new URL(service.url);
    const headers = { 'content-type': 'text/csv', authorization: `Bearer ${client.token}` };
    const upload = request({ hostname, port, method: 'POST', path: '/v6/api/uploads', headers });
    const broken = new Promise((resolve) => {
      upload.on('error', () => resolve('broken')).on('response', () => resolve('answered'));
    });
    upload.write(`to,name\n${PIECE}`);
    await until('the first rows', async () => (await count('recipient_upload_rows')) > 0);
    await service.api.stop('SIGKILL');
    expect(await broken).toBe('broken');
    await service.api.start();
    const list = await client.call<{ data: unknown[] }>('GET', '/v6/api/uploads');
    expect(list.body.data).toEqual([]);
    expect(await count('recipient_uploads')).toBe(1);
    const sweeper = new Leftovers(service.database.dataSource);
    await sweeper.sweep();
    expect(await count('recipient_uploads')).toBe(1);
    await service.database.dataSource.query(
      'UPDATE recipient_uploads SET lease_until = created_at, due_at = created_at',
    );
    await sweeper.sweep();
    expect(await count('recipient_uploads')).toBe(0);
    expect(await count('recipient_upload_rows')).toBe(0);
  });
});
