import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CustomerEvents } from '../../src/modules/customer-events/index.js';
import { CampaignAcceptance, RecipientStatus } from '../../src/modules/engine/index.js';
import { Settlement } from '../../src/modules/engine/settle/settlement.js';
import { ChatInbox } from '../../src/modules/providers/chat-inbox.store.js';
import { ChatAccounts } from '../../src/modules/providers/index.js';
import { CUSTOMER_EVENT_TYPES } from '../../src/modules/webhooks/events.js';
import { ScheduledMessageStore } from '../../src/modules/session-messages/scheduled-messages.store.js';
import { SessionMessageStore } from '../../src/modules/session-messages/session-messages.store.js';
import { DeliveryQueue, IS_ANY_ENDPOINT_DUE } from '../../src/modules/webhooks/delivery/delivery-queue.store.js';
import { EndpointMoments } from '../../src/modules/webhooks/endpoints.store.js';
import { WebhookRetention } from '../../src/modules/webhooks/delivery/webhook-retention.js';
import { inTransaction, jsonRows } from '../../src/platform/database/index.js';
import { Sealer } from '../../src/platform/security/index.js';
import { dataOf, type Json } from '../support/campaigns.js';
import type { Member } from '../support/sms.js';
import { type Hook, openWebhooks, type Webhooks } from '../support/webhooks.js';

const NUMBERS = ['919812345671', '919812345672'];

/** Events are written with what they tell of (reference/webhooks#when). No worker runs here: nothing is delivered. */
describe('events for webhooks', () => {
  let webhooks: Webhooks;
  let get: <T>(type: abstract new (...parameters: never[]) => T) => T;

  beforeAll(async () => {
    webhooks = await openWebhooks();
    get = (type) => webhooks.part(type);
  });
  afterAll(() => webhooks.stop());

  async function listener(events: readonly string[] = CUSTOMER_EVENT_TYPES): Promise<Member> {
    const member = await webhooks.join({ gsm_credits: 100, voice_credits: 100 });
    await webhooks.hook(member, [...events]);
    return member;
  }

  const record = (event: string, id: string, receiver: string, status: string, more: Json = {}): Json => ({
    event,
    providerMessageId: id,
    receiver,
    status,
    status_code: status === 'FAILED' ? 1 : 0,
    error_code: null,
    errorMessage: null,
    ...more,
  });

  it('tell of SMS: SENT, DELIVERED, FAILED, then of the completed campaign; none of PP1', async () => {
    const member = await listener();
    const id = await webhooks.send(member, NUMBERS);
    expect(await webhooks.recorded(member)).toEqual([]);
    await webhooks.begin(id);
    await webhooks.submit(id, 1, `c-${id}`);
    await webhooks.receipt(id, `c-${id}`, 'delivered');
    await webhooks.receipt(id, `c-${id}`, 'delivered');
    await webhooks.settle(id, [2], RecipientStatus.Unknown);
    await webhooks.settle(id, [2], RecipientStatus.Failed, `It's "off" \\' \\ \\n\n😀`, true);
    const recorded = await webhooks.recorded(member);
    expect(recorded).toEqual([
      record('gsm.status.update', id, NUMBERS[0]!, 'SENT'),
      record('gsm.status.update', id, NUMBERS[0]!, 'DELIVERED'),
      record('gsm.status.update', id, NUMBERS[1]!, 'FAILED', { errorMessage: `It's "off" \\' \\ \\n\n😀` }),
      { event: 'campaign.completed', request_id: id, total_rows: 2, status_counts: { DELIVERED: 1, FAILED: 1 } },
    ]);
    expect(Object.keys(recorded[0]!)).toEqual([
      'event',
      'providerMessageId',
      'receiver',
      'status',
      'status_code',
      'error_code',
      'errorMessage',
    ]);
    const report = await webhooks.request(`/webhook/api/getGSMreport.php?request_id=${id}`);
    expect(dataOf(report)['records']).toEqual([recorded[1], recorded[2]]);
  });

  it('tell of voice with the duration, and only of final words', async () => {
    const member = await listener();
    const { requestId: id } = await get(CampaignAcceptance).accept({
      accountId: member.account.id,
      channel: 'voice',
      requestId: { given: `VCAMP_TEST_${member.account.id}` },
      broadcastName: 'Call',
      service: 'main',
      routeId: 1,
      content: { audio_url: 'http://x.example/a', caller_id: '1', menu: null, retries: 1, retry_interval: 5 },
      balance: 'voice_credits',
      unitCredits: 1,
      recipients: NUMBERS,
      initialState: 'accepted',
    });
    const campaignId = await webhooks.idOf(id);
    const settle = (seq: number, to: RecipientStatus, durationSeconds?: number, errorCode: number | null = null) =>
      inTransaction(get(DataSource), (tx) =>
        get(Settlement).settle(tx, [
          {
            ...{ campaignId, seq, to, errorCode, errorText: null, refund: false, attempted: true },
            ...(durationSeconds !== undefined && { durationSeconds }),
          },
        ]),
      );
    await settle(1, RecipientStatus.Submitted);
    await settle(1, RecipientStatus.Retrying, 0, 486);
    await settle(1, RecipientStatus.Submitted);
    await settle(1, RecipientStatus.Answered, 17);
    await settle(2, RecipientStatus.Submitted);
    await settle(2, RecipientStatus.Busy, 0, 486);
    expect(await webhooks.recorded(member)).toEqual([
      record('voice.status.update', id, NUMBERS[0]!, 'ANSWERED', { duration: 17 }),
      record('voice.status.update', id, NUMBERS[1]!, 'BUSY', { error_code: 486, duration: 0 }),
      { event: 'campaign.completed', request_id: id, total_rows: 2, status_counts: { ANSWERED: 1, BUSY: 1 } },
    ]);
  });

  it('tell of session messages and of what contacts write, once each', async () => {
    const member = await listener();
    const routeId = await webhooks.connect(member, 'official');
    const store = get(SessionMessageStore);
    const add = (dueAt: Date | null) =>
      store.add({
        to: NUMBERS[0]!,
        content: { type: 'text', text: { body: 'Hi' } },
        ...{ accountId: member.account.id, createdBy: 'account:1:demo' },
        routeId,
        label: null,
        dueAt,
      });
    await store.submitted({ id: await add(null), accountId: member.account.id, routeId }, 'wamid.1');
    await webhooks.chatReceipt(routeId, 'wamid.1', 'delivered');
    await webhooks.chatReceipt(routeId, 'wamid.1', 'read');
    await webhooks.chatReceipt(routeId, 'wamid.1', 'delivered');
    const scheduled = await add(new Date(Date.now() - 1_000));
    const due = get(ScheduledMessageStore);
    for (const claimed of await due.claim({ most: 10, mostOfOne: 10, except: [] })) await due.begin(claimed);
    await store.failed({ id: scheduled, accountId: member.account.id, routeId }, 131026, 'Ticket Expired');
    const account = await get(ChatAccounts).byId(routeId);
    const message = {
      id: 'wamid.in',
      from: NUMBERS[0],
      timestamp: '1763700000',
      type: 'text',
      text: { body: 'STOP it' },
    };
    const inbound = {
      messageId: 'wamid.in',
      number: NUMBERS[0]!,
      userId: null,
      type: 'text',
      sentAt: new Date(1_763_700_000_000),
      message,
    };
    const system = { ...inbound, messageId: 'wamid.sys', type: 'system', message: { ...message, type: 'system' } };
    await Promise.all([1, 2, 3].map(() => get(ChatInbox).take(account!, [inbound, inbound, system], new Date())));
    expect(await webhooks.recorded(member)).toEqual([
      ...['SENT', 'DELIVERED', 'READ'].map((word) => record('chat.status.update', 'wamid.1', NUMBERS[0]!, word)),
      record('chat.status.update', String(scheduled), NUMBERS[0]!, 'FAILED', {
        error_code: 131026,
        errorMessage: 'Ticket Expired',
      }),
      { event: 'chat.message.received', ...message, from_user_id: null },
    ]);
  });

  it('tell of templates: every status', async () => {
    const member = await listener();
    await webhooks.template(member, 'order_ready', { status: 3 });
    const [row] = await webhooks.dataSource.query<{ id: number }[]>('SELECT id FROM templates WHERE account_id = ?', [
      member.account.id,
    ]);
    const staff = await webhooks.join(0, { userType: 'super' });
    await webhooks.act(`/v6/api/admin/templates/${row!.id}/reject`, staff, { reason: 'Too loud' });
    await webhooks.request(`/v6/api/templates/${row!.id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${member.token}` },
      body: JSON.stringify({ template_body: 'Softer' }),
    });
    await webhooks.act(`/v6/api/admin/templates/${row!.id}/approve`, staff, { revision: 2 });
    const base = { event: 'template.status.update', template_id: row!.id, template_name: 'order_ready' };
    expect(await webhooks.recorded(member)).toEqual([
      { ...base, status: 2, reason: 'Too loud' },
      { ...base, status: 3, reason: null },
      { ...base, status: 1, reason: null },
    ]);
  });

  it('stand and fall with the status', async () => {
    const member = await listener();
    const id = await webhooks.send(member, NUMBERS);
    const campaignId = await webhooks.idOf(id);
    const change = { campaignId, seq: 1, to: RecipientStatus.Submitted, errorCode: null, errorText: null };
    await expect(
      inTransaction(get(DataSource), async (tx) => {
        await get(Settlement).settle(tx, [{ ...change, refund: false, attempted: true }]);
        const [written] = await tx.query<{ count: string }[]>(
          'SELECT COUNT(*) AS count FROM webhook_events WHERE account_id = ?',
          [member.account.id],
        );
        expect(Number(written?.count)).toBe(1);
        throw new Error('the commit fails');
      }),
    ).rejects.toThrow('the commit fails');
    expect(await webhooks.recorded(member)).toEqual([]);
  });

  it('are not written unless an active endpoint of the account takes the type; a new one counts at once', async () => {
    const member = await webhooks.join();
    await listener(); // somebody else's
    const off = await webhooks.hook(member, ['gsm.status.update']);
    await webhooks.hook(member, ['campaign.completed', 'chat.status.update']);
    await webhooks.call('PATCH', `/${off.id}`, member, { status: 'disabled' });
    const id = await webhooks.send(member, [...NUMBERS, '919812345673']);
    await webhooks.settle(id, [1], RecipientStatus.Submitted);
    const gone = await webhooks.hook(member, ['gsm.status.update']);
    await webhooks.call('DELETE', `/${gone.id}`, member);
    await webhooks.settle(id, [2], RecipientStatus.Submitted);
    expect(await webhooks.recorded(member)).toEqual([]);
    await webhooks.hook(member, ['gsm.status.update']);
    await webhooks.settle(id, [3], RecipientStatus.Submitted);
    expect(await webhooks.recorded(member)).toEqual([record('gsm.status.update', id, '919812345673', 'SENT')]);
  });

  it('are looked for by the moments of their endpoints, however many are idle and however much waits', async () => {
    const member = await webhooks.join();
    const [due, later, off] = [
      await webhooks.hook(member, ['gsm.status.update']),
      await webhooks.hook(member, ['gsm.status.update']),
      await webhooks.hook(member, ['gsm.status.update']),
    ];
    await webhooks.call('PATCH', `/${off.id}`, member, { status: 'disabled' });
    const ids = jsonRows(Array.from({ length: 10_000 }, (_, index) => [`evt_wait${index}`]));
    for (const [{ id }, hours] of [
      [due, 0],
      [later, 1],
      [off, 0],
    ] as const) {
      await webhooks.dataSource.query(
        `INSERT INTO webhook_deliveries (endpoint_id, event_id, due_at, tries, attempts, revision)
         SELECT ?, j.id, UTC_TIMESTAMP(3) + INTERVAL ? HOUR, 0, 0, 0
         FROM JSON_TABLE(?, '$[*]' COLUMNS (id VARCHAR(40) CHARACTER SET ascii PATH '$[0]')) j`,
        [id, hours, ids],
      );
    }
    await webhooks.dataSource.query(
      `INSERT INTO webhook_endpoints (account_id, url, events, status, secret, fence, created_at, updated_at)
       SELECT account_id, url, events, status, secret, 0, created_at, updated_at FROM webhook_endpoints e
       JOIN JSON_TABLE(?, '$[*]' COLUMNS (id VARCHAR(40) PATH '$[0]')) j WHERE e.id = ?`,
      [ids, later.id],
    );
    await webhooks.dataSource.query('ANALYZE TABLE webhook_deliveries, webhook_endpoints');
    const momentOf = async ({ id }: Hook): Promise<Date | null> => {
      const [row] = await webhooks.dataSource.query<{ at: Date | null }[]>(
        'SELECT next_due_at AS at FROM webhook_endpoints WHERE id = ?',
        [id],
      );
      return row?.at ?? null;
    };
    // Whatever moved their moments away, the sweep finds the one with something due, and no other.
    expect(await get(EndpointMoments).repair()).toBeGreaterThan(0);
    expect(await momentOf(due)).not.toBeNull();
    expect([await momentOf(later), await momentOf(off)]).toEqual([null, null]);
    await webhooks.dataSource.query('UPDATE webhook_endpoints SET next_due_at = UTC_TIMESTAMP(3) WHERE id = ?', [
      later.id,
    ]);
    const look = (): Promise<number[]> =>
      inTransaction(webhooks.dataSource, async (tx) => {
        const reads = async (): Promise<number> => {
          const rows = await tx.query<{ Value: string }[]>("SHOW SESSION STATUS LIKE 'Handler_read%'");
          return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
        };
        const before = await reads();
        const [found] = await tx.query<{ due: number }[]>(`SELECT ${IS_ANY_ENDPOINT_DUE} AS due`);
        expect(Number(found?.due)).toBe(1);
        const { endpoints } = await new DeliveryQueue(webhooks.dataSource, get(Sealer)).waiting(tx, 1_000);
        expect((await reads()) - before).toBeLessThan(500);
        return endpoints.map(({ id }) => id);
      });
    expect(await look()).toContain(due.id);
    // What turned out to be empty is looked at when its next delivery is due.
    expect((await momentOf(later))?.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    for (const { id } of [due, later, off]) {
      await webhooks.dataSource.query('DELETE FROM webhook_deliveries WHERE endpoint_id = ?', [id]);
    }
  });

  describe('due at an endpoint', () => {
    let member: Member;
    let hook: Hook;
    const isDue = async (): Promise<boolean> => {
      const { endpoints } = await new DeliveryQueue(webhooks.dataSource, get(Sealer)).waiting(
        webhooks.dataSource,
        1_000,
      );
      return endpoints.some(({ id }) => id === hook.id);
    };
    /**
     * Writes an event for the endpoint.
     * @param meanwhile before the commit
     * @returns how many rows were changed by it
     */
    const record = async (meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<number> => {
      let [isWritten, commit] = [(): void => undefined, (): void => undefined];
      const written = new Promise<void>((resolve) => (isWritten = resolve));
      const mayCommit = new Promise<void>((resolve) => (commit = resolve));
      const changed = inTransaction(webhooks.dataSource, async (tx) => {
        const updates = async (): Promise<number> => {
          const [row] = await tx.query<{ Value: string }[]>("SHOW SESSION STATUS LIKE 'Handler_update'");
          return Number(row?.Value);
        };
        const before = await updates();
        const body = { event: 'gsm.status.update' };
        await get(CustomerEvents).publish(tx, [{ accountId: member.account.id, type: 'gsm.status.update', body }]);
        const after = await updates();
        isWritten();
        await mayCommit;
        return after - before;
      });
      await Promise.race([written, changed]);
      await meanwhile().finally(commit);
      return changed;
    };
    const empty = (): Promise<unknown> =>
      webhooks.dataSource.query('DELETE FROM webhook_deliveries WHERE endpoint_id = ?', [hook.id]);

    beforeEach(async () => {
      member = await webhooks.join();
      hook = await webhooks.hook(member, ['gsm.status.update']);
    });
    afterEach(() => empty());

    it('are found once they are committed; the row of an endpoint that is due is not written again', async () => {
      expect(await isDue()).toBe(false);
      expect(await record(async () => expect(await isDue()).toBe(false))).toBe(1);
      expect(await isDue()).toBe(true);
      expect(await record()).toBe(0);
    });

    it('are found though a worker found the endpoint empty while they were being written', async () => {
      await record();
      await empty();
      await record(async () => {
        expect(await isDue()).toBe(false); // and so the moment is moved away
      });
      await expect.poll(isDue).toBe(true);
    });

    it('are found though a worker gave the endpoint back while they were being written', async () => {
      await record();
      await empty();
      const queue = new DeliveryQueue(webhooks.dataSource, get(Sealer));
      await webhooks.dataSource.query(
        'UPDATE webhook_endpoints SET fence = fence + 1, lease_until = UTC_TIMESTAMP(3) + INTERVAL 60 SECOND WHERE id = ?',
        [hook.id],
      );
      const [row] = await webhooks.dataSource.query<{ fence: number }[]>(
        `SELECT fence FROM webhook_endpoints WHERE id = ${hook.id}`,
      );
      expect(await record(() => queue.release(hook.id, Number(row?.fence)))).toBe(0); // its worker would have found them
      await expect.poll(isDue).toBe(true);
    });

    it('leave a held endpoint to its worker, and are due when that is lost', async () => {
      await record();
      const queue = new DeliveryQueue(webhooks.dataSource, get(Sealer));
      const takers = Array.from({ length: 5 }, () => queue.take(1_000, 2_000));
      const taken = (await Promise.all(takers)).flatMap(({ endpoints }) =>
        endpoints.filter(({ id }) => id === hook.id),
      );
      expect(taken).toHaveLength(1);
      expect(await isDue()).toBe(false);
      await expect.poll(isDue).toBe(true);
    });
  });

  it('wait 30 days for a disabled endpoint, and nothing waits for a removed one', async () => {
    const member = await webhooks.join();
    const hook = await webhooks.hook(member, ['gsm.status.update']);
    const id = await webhooks.send(member, NUMBERS);
    await webhooks.settle(id, [1], RecipientStatus.Submitted);
    const remains = new WebhookRetention(webhooks.dataSource);
    await webhooks.call('PATCH', `/${hook.id}`, member, { status: 'disabled' });
    await remains.prune(new Date(Date.now() - 1_000_000));
    expect(await webhooks.waiting(hook)).toBe(1);
    await remains.prune(new Date(Date.now() + 1_000));
    expect(await webhooks.waiting(hook)).toBe(0);
    await webhooks.call('PATCH', `/${hook.id}`, member, { status: 'active' });
    await webhooks.settle(id, [2], RecipientStatus.Submitted);
    await webhooks.call('DELETE', `/${hook.id}`, member);
    await remains.clear();
    expect(await webhooks.waiting(hook)).toBe(1); // what saw it active may still be writing
    await webhooks.dataSource.query(
      'UPDATE webhook_endpoints SET updated_at = updated_at - INTERVAL 10 MINUTE WHERE id = ?',
      [hook.id],
    );
    await remains.clear();
    expect(await webhooks.waiting(hook)).toBe(0);
  });
});
