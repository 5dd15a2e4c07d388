import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { accountsOf } from '../support/accounts.js';
import { CountingSmsc } from '../support/counting-smsc.js';
import { dataOf, listOf } from '../support/campaigns.js';
import { type Member, openSms, type Sms } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

const WAIT = { timeout: 60_000, interval: 50 };
const [HEARD, SILENT] = ['919812345671', '919812345672'];
const { Delivered, Failed, Unknown } = RecipientStatus;

/** Messages that an SMPP carrier takes without an id: it may have them, and a receipt says so by their number. */
describe('answers without a message id', () => {
  let sms: Sms;
  let smsc: CountingSmsc;
  let worker: TestingModule;
  let member: Member;

  beforeAll(async () => {
    smsc = await CountingSmsc.open(4);
    smsc.isNameless = true;
    sms = await openSms({ PUBLIC_URL: 'https://sms.example' }, { route: false });
    const accounts = accountsOf(sms.api);
    const token = accounts.token(await accounts.account({ userType: 'super' }));
    const config = { host: '127.0.0.1', port: smsc.port, system_id: 'a', password: 'b', source_addr: 'Acme' };
    const body = { channel: 'sms', driver: 'smpp', config, is_default: true };
    const saved = await accounts.call('PUT', '/v6/api/admin/routes/nameless', { token, body });
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
    member = await sms.join(100);
    worker = await startWorker(sms.environment);
  });
  afterAll(async () => {
    await worker.close();
    await sms.stop();
    await smsc.stop();
  });

  const ask = async (path: string): ReturnType<Sms['request']> =>
    sms.request(path, { headers: { authorization: `Bearer ${member.token}` } });
  const statuses = async (requestId: string): Promise<number[]> => {
    const rows = await sms.dataSource.query<{ status: number }[]>(
      `SELECT r.status FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id WHERE c.request_id = ? ORDER BY r.seq`,
      [requestId],
    );
    return rows.map(({ status }) => status);
  };

  it('are of unknown outcome: delivered by a receipt for their number, else failed and not sent again', async () => {
    const body = { broadcast_name: 'n', brodcast_service: 'nameless', contacts: [HEARD, SILENT], message: 'hello' };
    const sent = await sms.broadcast(member, body);
    expect(sent.status, JSON.stringify(sent.body)).toBe(200);
    const requestId = String(sent.body['request_id']);
    await vi.waitUntil(async () => (await statuses(requestId)).every((status) => status === Number(Unknown)), WAIT);
    expect(smsc.taken.toSorted()).toEqual([HEARD, SILENT]);

    smsc.receipts([...smsc.sessions][0]!, ['4711'], HEARD);
    await vi.waitUntil(async () => (await statuses(requestId))[0] === Delivered, WAIT);
    expect(await statuses(requestId)).toEqual([Delivered, Unknown]);

    // as if 72 hours had gone by
    await sms.dataSource.query(
      `UPDATE campaigns c JOIN campaign_recipients r ON r.campaign_id = c.id
       SET c.overdue_check_at = UTC_TIMESTAMP(3), r.updated_at = UTC_TIMESTAMP(3) - INTERVAL 10 DAY WHERE c.request_id = ?`,
      [requestId],
    );
    await vi.waitUntil(async () => (await statuses(requestId))[1] === Failed, WAIT);
    const contacts = listOf(await ask(`/v6/api/campaigns/${requestId}/contacts`));
    expect(contacts.map(({ errorMessage }) => errorMessage)).toEqual([null, 'No delivery receipt']);
    const again = await sms.post(`/v6/api/campaigns/${requestId}/retry-failed`, member, {});
    expect(again.status, JSON.stringify(again.body)).toBe(409);
    expect(dataOf(await ask(`/v6/api/campaigns/${requestId}`))['state']).toBe('completed');
    expect(smsc.taken).toHaveLength(2);
  });
});
