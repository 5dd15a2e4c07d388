import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LargeDraftRecipients } from '../../src/modules/engine/accept/large-drafts.js';
import { Client, numbers } from '../support/client.js';
import { startEngineOn } from '../support/engine.js';
import { type Service, startService, until } from '../support/processes.js';

const TOTAL = 200_000;

describe('an API that is killed while it accepts a large campaign', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(0, { BROADCAST_RATE_LIMIT: '0', USER_RATE_LIMIT: '0', BODY_LIMIT: '64mb' });
  });
  afterAll(() => service.stop());

  const count = async (table: string): Promise<number> => {
    const [row] = await service.database.dataSource.query<{ n: string }[]>(`SELECT COUNT(*) AS n FROM ${table}`);
    return Number(row?.n);
  };

  it('leaves no campaign, no debit, and recipients for the sweeper; the next API accepts it', async () => {
    const admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    await admin.call('POST', '/v6/api/admin/accounts/demo/credits', { balance: 'gsm_credits', amount: TOTAL });
    const contacts = numbers(TOTAL);
    const client = await Client.login(service.url, 'demo', 'Demo-1234!');
    const broken = client.broadcast(contacts).then(
      () => 'answered',
      () => 'broken',
    );
    await until('the first recipients', async () => (await count('campaign_recipients')) > 0);
    await service.api.stop('SIGKILL');
    expect(await broken).toBe('broken');
    expect(await count('campaigns')).toBe(0);
    expect(await count("credit_ledger WHERE kind = 'debit'")).toBe(0);
    expect(await count('acceptances_under_way')).toBe(1);
    const left = await count('campaign_recipients');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(TOTAL);

    const sweeper = await startEngineOn(service.database.url);
    const staged = sweeper.get(LargeDraftRecipients, { strict: false });
    await staged.sweep();
    expect(await count('campaign_recipients')).toBe(left);
    await service.database.dataSource.query('UPDATE acceptances_under_way SET lease_until = UTC_TIMESTAMP(3)');
    await staged.sweep();
    expect([await count('campaign_recipients'), await count('acceptances_under_way')]).toEqual([0, 0]);
    await sweeper.close();

    await service.api.start();
    await client.broadcast(contacts);
    expect(await count('campaign_recipients')).toBe(TOTAL);
    const proof = await admin.call<{ data: { ok: boolean }[] }>('GET', '/v6/api/admin/accounts/demo/credits/proof');
    expect(proof.body.data.every((row) => row.ok)).toBe(true);
  });
});
