import { beforeAll, describe, expect, it } from 'vitest';
import {
  approvedTemplate,
  changeFaults,
  type ChatRecipient,
  connectChat,
  recipientsOf,
} from '../support/chat-service.js';
import { Client, numbers, numbersEnding } from '../support/client.js';
import { commonService, emptyRedis, type Service, until } from '../support/processes.js';
import { endReceiptTime, isSilentNumber, type OpenRecipient } from '../support/receipt-time.js';
import { type CarrierMessage, carrierLedger, carrierTotal } from '../support/sandbox.js';

const USERNAME = 'acme.chat';
const TOTAL = 30_000;
const NO_RECEIPT = 'No delivery receipt';
/** A killed worker leaves at most its open windows in doubt: one a lane, 500 recipients each, 8 lanes. */
const MOST_IN_DOUBT = 8 * 500;

/** Chat campaigns from request to the last status: API, two workers and the sandbox upstream as real processes. */
describe('chat campaigns over two workers', () => {
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
    await grant('chat_utility_credits', TOTAL);
    await grant('bulk_chat_credits', 5_000);
    client = await Client.login(service.url, USERNAME, 'Acme-1234!');
    await connectChat(service, admin, USERNAME, 2_500);
    await approvedTemplate(admin, client, {
      template_name: 'order_ready',
      category: 'utility',
      template_body: 'Order {{1}} is ready',
    });
  });

  const grant = (balance: string, amount: number) =>
    admin.call('POST', `/v6/api/admin/accounts/${USERNAME}/credits`, { balance, amount });

  const template = (path: string, to: string[]) =>
    client.call('POST', `/v6/api/${path}/24/${USERNAME}/messages`, {
      messaging_product: 'chat',
      to,
      type: 'template',
      template: {
        name: 'order_ready',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'A-4711' }] }],
      },
    });

  interface Detail {
    state: string;
    total_rows: number;
    status_counts: Record<string, number>;
    credits: number;
    completed_at: string | null;
  }
  /** The campaign as its owner sees it; at every look its counters add up to the total. */
  const look = async (requestId: string): Promise<Detail> => {
    const { data } = (await client.call<{ data: Detail }>('GET', `/v6/api/campaigns/${requestId}`)).body;
    expect(Object.values(data.status_counts).reduce((sum, count) => sum + count, 0)).toBe(data.total_rows);
    return data;
  };
  const completed = async (requestId: string): Promise<Detail> => {
    await until(`${requestId} to be completed`, async () => (await look(requestId)).state === 'completed', 200_000);
    return look(requestId);
  };
  /** What the upstream refuses in its answer is refunded, unless the worker died before it had the answer. */
  const refusedOf = (recipients: readonly { receiver: string; errorMessage: string | null }[]): number =>
    recipients.filter(
      ({ receiver, errorMessage }) => receiver.endsWith('603') && errorMessage !== 'No delivery receipt',
    ).length;
  const expectBooks = async (balance: string, stored: number): Promise<void> => {
    const path = `/v6/api/admin/accounts/${USERNAME}/credits/proof`;
    const proof = await admin.call<{ data: { balance: string; stored: number; ok: boolean }[] }>('GET', path);
    expect(proof.body.data.every((row) => row.ok)).toBe(true);
    expect(proof.body.data.find((row) => row.balance === balance)?.stored).toBe(stored);
  };

  it('30,000 template messages of every fate, a worker killed and Redis emptied in the middle', async () => {
    const contacts = numbers(TOTAL);
    const before = await available('chat_utility_credits');
    const { status, body } = await template('chatTemplate', contacts);
    expect([status, body['contacts']]).toEqual([201, TOTAL]);
    const requestId = String(body['request_id']);

    await until('5,000 messages at the upstream', async () => (await carrierTotal(service)) >= 5_000);
    await service.workers[0]?.stop('SIGKILL');
    await service.addWorker();
    await until('15,000 messages at the upstream', async () => (await carrierTotal(service)) >= 15_000);
    await emptyRedis(service);
    await endReceiptTime(service, requestId);
    const { status_counts: counts, credits } = await completed(requestId);

    const recipients = await recipientsOf(service, requestId);
    expect(recipients.map(({ receiver }) => receiver)).toEqual(contacts);
    const upstream = new Map((await carrierLedger(service)).map((message) => [message.to, message]));
    // Nothing was sent twice: the books of the upstream have as many entries as numbers, each under its own reference.
    expect(upstream.size).toBe(await carrierTotal(service));
    expect(new Set([...upstream.values()].map(({ ref }) => ref?.split('-')[1]))).toEqual(
      new Set(recipients.filter(({ receiver }) => upstream.has(receiver)).map(({ seq }) => String(seq))),
    );
    for (const recipient of recipients) expectSameWord(recipient, upstream.get(recipient.receiver));
    expect(TOTAL - upstream.size).toBeLessThanOrEqual(MOST_IN_DOUBT);

    const delivered = recipients.filter((recipient) => recipient.status === 'Delivered').length;
    expect(counts).toEqual({ DELIVERED: delivered, FAILED: TOTAL - delivered });
    // 404, 408 and 603 fail, and so does what a dead worker never got out of the house.
    expect(TOTAL - delivered).toBe(TOTAL - upstream.size + failuresAmong(upstream));
    expect(credits).toBe(TOTAL);
    await expectBooks('chat_utility_credits', before - TOTAL + refusedOf(recipients));
  });

  it('a branded campaign without what is no number, read in the end', async () => {
    const contacts = numbersEnding(2_000, '111', '918');
    const earlier = await carrierTotal(service);
    await grant('chat_utility_credits', contacts.length);
    const before = await available('chat_utility_credits');
    await changeFaults(service, { readReceipts: true, receiptsFirst: true });
    const { status, body } = await template('chatBranded', ['no number', ...contacts, '123']);
    expect([status, body['contacts']]).toEqual([202, contacts.length]);
    const requestId = String(body['request_id']);
    expect(requestId).toMatch(/^WCAMP_\d{8}_[A-Z0-9]{8}$/);

    await completed(requestId);
    // A campaign is over once all are delivered; reading comes after.
    await until('all to be read', async () => (await look(requestId)).status_counts['READ'] === contacts.length);
    expect((await look(requestId)).status_counts).toEqual({ READ: contacts.length });
    expect((await carrierTotal(service)) - earlier).toBe(contacts.length);
    await expectBooks('chat_utility_credits', before - contacts.length);
    await changeFaults(service, { readReceipts: false, receiptsFirst: false });
  });

  it('3,000 unofficial messages with two attachments each, a worker killed in the middle', async () => {
    const contacts = numbers(3_000, '9187654');
    const earlier = await carrierTotal(service);
    const before = await available('bulk_chat_credits');
    const { status, body } = await client.call('POST', '/webhook/api/addbroadcastUnofficial.php', {
      broadcast_name: 'offer',
      brodcast_service: 'sandbox-chat',
      contacts,
      message: 'Hello',
      img1: 'https://files.example/1.jpg',
      document: 'https://files.example/a.pdf',
    });
    expect([status, body['Credits']]).toEqual([200, 3_000]);
    const requestId = String(body['request_id']);
    await until('2,000 items at the gateway', async () => (await carrierTotal(service)) >= earlier + 2_000);
    await service.workers.at(-1)?.stop('SIGKILL');
    await service.addWorker();
    // What a dead worker sent a part of stays without its other parts' words.
    const isSilent = (recipient: OpenRecipient, items: readonly CarrierMessage[]): boolean =>
      isSilentNumber(recipient) || items.length < 3;
    await endReceiptTime(service, requestId, isSilent);
    const { status_counts: counts } = await completed(requestId);

    const items = (await carrierLedger(service)).slice(earlier);
    // No item twice: each has a reference of its own.
    expect(new Set(items.map(({ ref }) => ref)).size).toBe(items.length);
    const taken = new Map<string, CarrierMessage[]>();
    for (const item of items) taken.set(item.to, [...(taken.get(item.to) ?? []), item]);
    const recipients = await recipientsOf(service, requestId);
    for (const { receiver, status: word, errorMessage } of recipients) {
      const parts = taken.get(receiver) ?? [];
      const whole = parts.length === 3 && parts.every((part) => part.status === 'DELIVERED');
      expect(word, `${receiver} ${parts.length} ${errorMessage ?? ''}`).toBe(whole ? 'Delivered' : 'Failed');
    }
    const delivered = recipients.filter((recipient) => recipient.status === 'Delivered').length;
    expect(counts).toEqual({ DELIVERED: delivered, FAILED: 3_000 - delivered });
    expect(delivered).toBeGreaterThanOrEqual(3_000 - 3 * 3 - 2 * 500);
    await expectBooks('bulk_chat_credits', before - 3_000 + refusedOf(recipients));
  });

  const available = async (balance: string): Promise<number> => {
    const path = `/v6/api/admin/accounts/${USERNAME}/credits`;
    const { body } = await admin.call<{ data: { balance: string; available: number }[] }>('GET', path);
    return body.data.find((row) => row.balance === balance)?.available ?? 0;
  };
});

/** What the books and the upstream say of one recipient is the same; who failed failed for its own reason. */
function expectSameWord(recipient: ChatRecipient, message: CarrierMessage | undefined): void {
  const { receiver, status, errorCode, errorMessage } = recipient;
  const found = { status, errorCode, errorMessage };
  if (!message) expect(found, receiver).toEqual({ status: 'Failed', errorCode: null, errorMessage: NO_RECEIPT });
  else if (receiver.endsWith('404')) {
    expect(found, receiver).toEqual({ status: 'Failed', errorCode: 131026, errorMessage: 'Message undeliverable' });
  } else if (receiver.endsWith('408')) {
    expect(found, receiver).toEqual({ status: 'Failed', errorCode: null, errorMessage: NO_RECEIPT });
  } else if (receiver.endsWith('603')) {
    // The refusal itself may have been lost with the worker.
    expect(status, receiver).toBe('Failed');
    if (errorMessage !== NO_RECEIPT) expect(errorCode, receiver).toBe(131030);
  } else {
    expect(found, receiver).toEqual({ status: 'Delivered', errorCode: null, errorMessage: null });
    expect(message.status, receiver).toBe('DELIVERED');
  }
}

const failuresAmong = (upstream: ReadonlyMap<string, CarrierMessage>): number =>
  [...upstream.keys()].filter((to) => /(?:404|408|603)$/.test(to)).length;
