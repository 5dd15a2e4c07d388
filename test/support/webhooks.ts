import type { TestingModule } from '@nestjs/testing';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type Receipt, ReceiptSink } from '../../src/modules/providers/index.js';
import type { Environment } from '../../src/platform/config/index.js';
import { campaignsOf, dataOf, type Json, listOf } from './campaigns.js';
import { type Answer, type Member, openApi } from './sms.js';
import { type Delivery, WebhookReceiver } from './webhook-receiver.js';
import { until } from './processes.js';
import { startWorker } from './worker.js';

/** A registered webhook. */
export interface Hook {
  id: number;
  secret: string;
  path: string;
}

/** Who gets an SMS when a test names nobody. */
export const NUMBER = '919812345678';

let serial = 0;

/** Settings under which tests need not wait. */
export const QUICK: Partial<Environment> = {
  OUTBOUND_ALLOW: '127.0.0.0/8',
  WEBHOOK_RETRY_DELAYS: [0, 0, 0],
  WEBHOOK_TIMEOUT: 10_000,
  WEBHOOK_LEASE: 1_000,
  // no carriers: what tests settle, nobody else does
  WORKER_QUEUES: ['branded'],
};

export type Webhooks = Awaited<ReturnType<typeof openWebhooks>>;

/** An API with campaigns, a customer's server, and workers that deliver to it. */
export async function openWebhooks(overrides?: Partial<Environment>) {
  const campaigns = campaignsOf(await openApi(overrides));
  const { api, dataSource, part, request, send, begin, settle } = campaigns;
  const receiver = await WebhookReceiver.open();
  const workers: TestingModule[] = [];

  const call = (method: string, path: string, member: Member | null, body?: unknown): Promise<Answer> =>
    request(`/v6/api/webhooks${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(member && { authorization: `Bearer ${member.token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  /** The log, oldest first. */
  const attempts = async (member: Member, hook: Hook): Promise<Json[]> =>
    listOf(await call('GET', `/${hook.id}/attempts?limit=1000`, member)).reverse();

  return {
    ...campaigns,
    receiver,
    call,
    attempts,

    stop: async (): Promise<void> => {
      receiver.letGo();
      await Promise.all(workers.map((worker) => worker.close()));
      await api.stop();
      await receiver.stop();
    },

    /** A status of a session message, as it comes from the provider. */
    chatReceipt: (routeId: number, providerMessageId: string, status: Receipt['status']): Promise<void> => {
      const receipt = { providerMessageId, status, errorCode: null, errorText: null, receiver: null };
      return part(ReceiptSink).accept(routeId, [receipt]);
    },

    worker: async (more: Partial<Environment> = {}): Promise<TestingModule> => {
      const worker = await startWorker({ ...api.environment, ...QUICK, ...more });
      workers.push(worker);
      return worker;
    },

    /** Registers one at a path of its own, unless the test names another place. */
    hook: async (member: Member, events: string[], url?: string): Promise<Hook> => {
      const path = `/hook-${++serial}`;
      const answer = await call('POST', '', member, { url: url ?? receiver.url(path), events });
      if (answer.status !== 201) throw new Error(`webhook: ${JSON.stringify(answer.body)}`);
      const { id, secret } = dataOf(answer);
      return { id: Number(id), secret: String(secret), path };
    },

    view: async (member: Member, hook: Hook): Promise<Json> => dataOf(await call('GET', `/${hook.id}`, member)),

    /** An SMS that the carrier has just taken; answers its request id. */
    sent: async (owner: Member, numbers = [NUMBER]): Promise<string> => {
      const requestId = await send(owner, numbers);
      await begin(requestId);
      await settle(
        requestId,
        numbers.map((_, index) => index + 1),
        RecipientStatus.Submitted,
      );
      return requestId;
    },

    /** Waits until so many have come to a webhook. */
    received: async (hook: Hook, count: number): Promise<Delivery[]> => {
      await until(`${count} deliveries to ${hook.path}`, () => Promise.resolve(receiver.to(hook.path).length >= count));
      return receiver.to(hook.path);
    },

    /** Waits until the log has so many tries. */
    logged: async (member: Member, hook: Hook, count: number): Promise<Json[]> => {
      await until(`${count} tries in the log`, async () => (await attempts(member, hook)).length >= count);
      return attempts(member, hook);
    },

    /** Bodies of the events that were written for an account, oldest first. */
    recorded: async ({ account }: Member): Promise<Json[]> => {
      const rows = await dataSource.query<{ body: string }[]>(
        'SELECT body FROM webhook_events WHERE account_id = ? ORDER BY id',
        [account.id],
      );
      return rows.map(({ body }) => JSON.parse(body) as Json);
    },

    /** Answers what hangs until no worker holds the endpoint any more. */
    isLetGo: (hook: Hook): Promise<void> =>
      until('the endpoint to be let go', async () => {
        receiver.letGo();
        const [row] = await dataSource.query<{ held: number }[]>(
          'SELECT lease_until > UTC_TIMESTAMP(3) AS held FROM webhook_endpoints WHERE id = ?',
          [hook.id],
        );
        return Number(row?.held) === 0;
      }),

    waiting: async (hook: Hook): Promise<number> => {
      const [row] = await dataSource.query<{ count: string }[]>(
        'SELECT COUNT(*) AS count FROM webhook_deliveries WHERE endpoint_id = ?',
        [hook.id],
      );
      return Number(row?.count);
    },
  };
}
