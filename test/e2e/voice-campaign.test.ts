import { beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { recipientsOf } from '../support/chat-service.js';
import { Client, numbers } from '../support/client.js';
import { commonService, emptyRedis, type Service, until } from '../support/processes.js';
import { endReceiptTime, type OpenRecipient } from '../support/receipt-time.js';
import { type CarrierMessage, carrierLedger, carrierTotal } from '../support/sandbox.js';

const USERNAME = 'acme.voice';
const TOTAL = 10_000;
/** Numbers of each fate among them; all others answer. */
const OF_EACH_FATE = TOTAL / 1_000;
const CREDITS = 12_000;
const NO_RECEIPT = 'No delivery receipt';
/** A killed worker leaves at most its open windows in doubt: one a lane, 500 recipients each, 4 lanes. */
const MOST_IN_DOUBT = 4 * 500;

/** A voice campaign from speech to the last word: API, two workers and the sandbox's telephone network as processes. */
describe('a voice campaign over two workers', () => {
  let service: Service;
  let admin: Client;
  let client: Client;

  beforeAll(async () => {
    service = await commonService(2);
    admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    await admin.call('POST', '/v6/api/admin/accounts', {
      username: USERNAME,
      password: 'Acme-1234!',
      firstname: 'Acme',
      lastname: 'Ltd',
    });
    const credits = { balance: 'voice_credits', amount: CREDITS };
    await admin.call('POST', `/v6/api/admin/accounts/${USERNAME}/credits`, credits);
    client = await Client.login(service.url, USERNAME, 'Acme-1234!');
  });

  interface Report {
    data: {
      total_rows: number;
      status_counts: Record<string, number>;
      summary: Record<string, string>;
      records: { receiver: string; status: string; duration: number }[];
    };
  }
  const report = async (requestId: string): Promise<Report['data']> => {
    const { data } = (await client.call<Report>('GET', `/v6/api/voice/report?request_id=${requestId}`)).body;
    expect(Object.values(data.status_counts).reduce((sum, count) => sum + count, 0)).toBe(TOTAL);
    return data;
  };
  const books = async (): Promise<{ stored: number; ok: boolean } | undefined> => {
    const path = `/v6/api/admin/accounts/${USERNAME}/credits/proof`;
    const { body } = await admin.call<{ data: { balance: string; stored: number; ok: boolean }[] }>('GET', path);
    return body.data.find(({ balance }) => balance === 'voice_credits');
  };

  it('10,000 calls of every fate and one retry, a worker killed and Redis emptied in the middle', async () => {
    const contacts = numbers(TOTAL);
    const before = (await books())?.stored ?? 0;
    const sent = await client.call('POST', '/v6/api/v1/voice/send', {
      broadcast_name: 'Reminder',
      message: 'Your order is ready.',
      contacts,
      retries: 1,
      retry_interval: 5,
    });
    expect([sent.status, sent.body['contacts'], sent.body['credits_deducted']]).toEqual([200, TOTAL, TOTAL]);
    const requestId = String(sent.body['request_id']);
    expect((await report(requestId)).status_counts).toEqual({ PENDING: TOTAL });
    expect(await carrierTotal(service)).toBe(0);

    const approved = await admin.call('POST', `/v6/api/admin/campaigns/${requestId}/approve`, {});
    expect(approved.status).toBe(200);
    await until('1,000 calls', async () => (await carrierTotal(service)) >= 1_000);
    await service.workers[0]?.stop('SIGKILL');
    await service.addWorker();
    await until('3,000 calls', async () => (await carrierTotal(service)) >= 3_000);
    await emptyRedis(service);
    await endReceiptTime(service, requestId, isSilent);
    await until(
      'the end',
      async () => {
        await report(requestId); // its counters add up at every look
        return (await client.state(requestId)) === 'completed';
      },
      220_000,
    );

    const { status_counts: counts, records } = await report(requestId);
    const recipients = await recipientsOf(service, requestId);
    const calls = new Map<string, number>();
    for (const { to } of await carrierLedger(service)) calls.set(to, (calls.get(to) ?? 0) + 1);
    let inDoubt = 0;
    for (const [index, { receiver, status, errorMessage }] of recipients.entries()) {
      const made = calls.get(receiver) ?? 0;
      // In doubt is whoever gave no word but by fate (…408), and whoever stood in a killed window and was never called.
      if (errorMessage === NO_RECEIPT && (made === 0 || !receiver.endsWith('408'))) {
        inDoubt += 1;
        expect(made, receiver).toBeLessThanOrEqual(2);
        continue;
      }
      const [word, times] = expected(receiver);
      expect([status, made], receiver).toEqual([word, times]);
      expect(records[index], receiver).toMatchObject({ receiver });
    }
    expect(inDoubt).toBeLessThanOrEqual(MOST_IN_DOUBT);
    expect(counts['ANSWERED']).toBeGreaterThanOrEqual(TOTAL - 5 * OF_EACH_FATE - inDoubt);
    expect(Object.keys(counts).sort()).toEqual(['ANSWERED', 'BUSY', 'FAILED', 'NO_ANSWER']);
    expect(await books()).toMatchObject({ stored: before - TOTAL, ok: true });
  });
});

/** No word comes of 408 and of what was never called; a second call may have stood in a killed window. */
const isSilent = ({ receiver, status }: OpenRecipient, calls: readonly CarrierMessage[]): boolean =>
  receiver.endsWith('408') ||
  calls.length === 0 ||
  (status === RecipientStatus.Unknown &&
    expected(receiver)[1] > 1 &&
    calls.every((call) => call.status !== 'ACCEPTED'));

/** The last word of a number, and how often it was called: what was in vain once more, what gave no word never again. */
function expected(receiver: string): [word: string, calls: number] {
  switch (receiver.slice(-3)) {
    case '404':
    case '603':
      return ['Failed', 2];
    case '408':
      return ['Failed', 1];
    case '480':
      return ['NoAnswer', 2];
    case '486':
      return ['Busy', 2];
    default:
      return ['Answered', 1];
  }
}
