import type { TestingModule } from '@nestjs/testing';
import { expect, vi } from 'vitest';
import { callbackPath, RouteDirectory } from '../../src/modules/providers/index.js';
import { variablesOf } from '../../src/modules/engine/state/own-variables.js';
import type { Environment } from '../../src/platform/config/index.js';
import { type Campaigns, dataOf, type Json, openCampaigns } from './campaigns.js';
import type { Answer, Member } from './sms.js';
import { type Delivery, WebhookReceiver } from './webhook-receiver.js';
import { startWorker } from './worker.js';

const SEND = '/v6/api/campaigns';
const WAIT = { timeout: 60_000, interval: 50 };
/** The chat account's number, as the upstream's address has it. */
const CHAT_PATH = '/v21.0/104466778899';

export type Bulk = ReturnType<typeof bulkOf>;

export const openBulk = async (overrides?: Partial<Environment>): Promise<Bulk> =>
  bulkOf(await openCampaigns(overrides));

/** What tests of personalised sends need around an API. */
export function bulkOf(campaigns: Campaigns) {
  const bulk = (member: Member | null, body: unknown, headers?: Record<string, string>): Promise<Answer> =>
    campaigns.post(SEND, member, body, headers);
  return {
    ...campaigns,
    bulk,
    quote: (member: Member | null, body: unknown): Promise<Answer> => campaigns.post(`${SEND}/quote`, member, body),

    /** The variables that are stored of each recipient, in their order. */
    variables: async (requestId: unknown): Promise<unknown[]> => {
      const campaignId = await campaigns.idOf(String(requestId));
      const rows = await campaigns.dataSource.query<{ seq: number }[]>(
        'SELECT seq FROM campaign_recipients WHERE campaign_id = ? ORDER BY seq',
        [campaignId],
      );
      const of = await variablesOf(
        campaigns.dataSource,
        rows.map(({ seq }) => ({ campaignId, seq })),
      );
      return rows.map(({ seq }) => of({ campaignId, seq }) ?? null);
    },

    /** An accepted send. */
    accepted: async (member: Member, body: Json): Promise<Json> => {
      const answer = await bulk(member, body);
      expect(answer.status, JSON.stringify(answer.body)).toBe(202);
      return dataOf(answer);
    },
  };
}

export type BulkWire = Awaited<ReturnType<typeof openBulkWire>>;

/** The service with a worker, and a server that plays gateways and the chat's upstream. */
export async function openBulkWire() {
  const open = await openCampaigns({ OUTBOUND_ALLOW: '127.0.0.0/8', CARRIER_RATE_LIMIT: 0 }, { route: false });
  const campaigns = bulkOf(open);
  const worker: TestingModule = await startWorker(campaigns.environment);
  const server = await WebhookReceiver.open();
  const callbacks = new Map<string, string>();
  let serial = 0;
  server.answering = ({ path }, response) => {
    const id = `out-${++serial}`;
    const isChat = path.startsWith(CHAT_PATH);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isChat ? { messaging_product: 'whatsapp', messages: [{ id }] } : { id }));
    return undefined;
  };

  return {
    ...campaigns,
    server,

    /** A route to a gateway at `/<name>`; the default of its channel. */
    addGateway: async (name: string, channel: 'sms' | 'unofficial'): Promise<void> => {
      const routes = campaigns.part(RouteDirectory);
      const body = { to: '{{to}}', text: '{{text}}', from: '{{from}}', media_url: '{{media_url}}' };
      const config = { url: server.url(`/${name}`), body, id_path: 'id' };
      const draft = { name, channel, driver: 'http', config, messagesPerSecond: null, isDefault: true };
      const route = await campaigns.dataSource.transaction((tx) => routes.put(tx, draft));
      routes.forget();
      callbacks.set(name, callbackPath(route));
    },

    addSmpp: async (name: string, port: number, credentials: Json): Promise<void> => {
      const routes = campaigns.part(RouteDirectory);
      const config = { host: '127.0.0.1', port, window: 10, ...credentials };
      const draft = {
        name,
        channel: 'sms' as const,
        driver: 'smpp',
        config,
        messagesPerSecond: null,
        isDefault: false,
      };
      await campaigns.dataSource.transaction((tx) => routes.put(tx, draft));
      routes.forget();
    },

    connectChat: (member: Member, connection: 'official' | 'branded'): Promise<number> =>
      campaigns.connect(member, connection, { url: server.url(CHAT_PATH) }),

    /** What came to a gateway, once it is so many messages. */
    left: async (name: string, count: number): Promise<Json[]> => {
      await vi.waitFor(() => expect(server.to(`/${name}`)).toHaveLength(count), WAIT);
      return bodies(server.to(`/${name}`));
    },

    /** What came to the chat's upstream, once it is so many messages. */
    chatted: async (count: number): Promise<Json[]> => {
      const path = `${CHAT_PATH}/messages`;
      await vi.waitFor(() => expect(server.to(path)).toHaveLength(count), WAIT);
      return bodies(server.to(path));
    },

    /** A receipt from the gateway. @param id as the gateway gave it */
    receiptOf: (gateway: string, id: string, status: string): Promise<Answer> =>
      campaigns.post(String(callbacks.get(gateway)), null, { id, status }),

    completed: async (requestId: unknown, member: Member): Promise<void> => {
      await vi.waitFor(async () => {
        const view = dataOf(await campaigns.get(`${SEND}/${String(requestId)}`, member));
        expect(view['state']).toBe('completed');
      }, WAIT);
    },

    stop: async (): Promise<void> => {
      await worker.close();
      await campaigns.stop();
      await server.stop();
    },
  };
}

/** In the order of the numbers: several leave at the same moment. */
const bodies = (deliveries: readonly Delivery[]): Json[] =>
  deliveries.map(({ body }) => body).sort((a, b) => (String(a['to']) < String(b['to']) ? -1 : 1));
