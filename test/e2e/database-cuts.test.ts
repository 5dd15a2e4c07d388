import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataSourceOptions } from '../../src/platform/database/index.js';
import { Client, numbersEnding } from '../support/client.js';
import { commonService, type Service, until } from '../support/processes.js';
import { carrierLedger } from '../support/sandbox.js';

/** Campaigns of one recipient over a route that is paced, so that they leave in many windows: claimed, sent and written. */
const TOTAL = 800;
const PER_SECOND = 80;
const CUTS = 300;

/**
 * Connections that are cut between any two statements, again and again. The workers live, so they know what has left and
 * what has not: nobody is given up whom the carrier never saw, and nobody is sent to twice.
 */
describe('a database whose connections are cut in the middle of a campaign', () => {
  let service: Service;
  let admin: Client;
  let client: Client;
  /** the one connection that is never cut */
  let knife: DataSource;

  beforeAll(async () => {
    service = await commonService(0);
    knife = new DataSource(dataSourceOptions(service.database.url, 1));
    await knife.initialize();
    admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    await admin.call('POST', '/v6/api/admin/accounts/demo/credits', { balance: 'gsm_credits', amount: 1_000_000 });
    const login = { host: '127.0.0.1', system_id: 'cut', password: 'cut' };
    await admin.call('PUT', '/v6/api/admin/routes/cut', {
      ...{ channel: 'sms', driver: 'smpp', messages_per_second: PER_SECOND },
      config: { ...login, port: Number(service.environment['SANDBOX_SMPP_PORT']) },
    });
    client = await Client.login(service.url, 'demo', 'Demo-1234!');
  });
  afterAll(() => knife.destroy());

  /** Cuts what is in the middle of a statement. @returns how many connections that were */
  const cut = async (): Promise<number> => {
    const rows = await knife.query<{ id: string }[]>(
      `SELECT id FROM information_schema.processlist
       WHERE db = DATABASE() AND command <> 'Sleep' AND id <> CONNECTION_ID()`,
    );
    for (const { id } of rows) await knife.query(`KILL CONNECTION ${Number(id)}`).catch(() => undefined);
    return rows.length;
  };
  const open = async (): Promise<number> => {
    const [row] = await knife.query<{ open: string }[]>(
      `SELECT COUNT(*) AS open FROM campaigns WHERE request_id LIKE 'cut-%' AND completed_at IS NULL`,
    );
    return Number(row?.open);
  };

  it('nobody fails whom the carrier never saw, and nobody is sent to twice', async () => {
    const contacts = numbersEnding(TOTAL, '111', '921');
    await Promise.all(
      Array.from({ length: 20 }, async (_, part) => {
        for (let index = part; index < TOTAL; index += 20) {
          await client.broadcast([String(contacts[index])], {
            ...{ providermessageid: `cut-${index}`, brodcast_service: 'cut' },
          });
        }
      }),
    );
    await service.addWorker();
    await service.addWorker();
    let cuts = 0;
    while (cuts < CUTS && (await open()) > 0) cuts += await cut();
    expect(cuts).toBeGreaterThan(CUTS / 2);
    await until('every campaign to end', async () => (await open()) === 0, 120_000);
    const recipients = await knife.query<{ receiver: string; status: number; error_message: string | null }[]>(
      `SELECT r.receiver, r.status, r.error_message FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id
       WHERE c.request_id LIKE 'cut-%'`,
    );
    expect(recipients).toHaveLength(TOTAL);
    const carrier = (await carrierLedger(service)).map(({ to }) => to);
    const seen = new Set(carrier);
    expect(seen.size).toBe(carrier.length);
    expect(recipients.filter(({ receiver }) => !seen.has(receiver))).toEqual([]);
    const proof = await admin.call<{ data: { ok: boolean }[] }>('GET', '/v6/api/admin/accounts/demo/credits/proof');
    expect(proof.body.data.every((row) => row.ok)).toBe(true);
  });
});
