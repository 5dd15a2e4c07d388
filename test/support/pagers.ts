import type { TestingModule } from '@nestjs/testing';
import { expect } from 'vitest';
import { callbackPath, RouteDirectory } from '../../src/modules/providers/index.js';
import { startApi } from './api.js';
import { type Campaigns, campaignsOf, dataOf, type Json } from './campaigns.js';
import { PagerModule, pagerChannel } from './sixth-channel.js';
import type { Answer, Member } from './sms.js';
import { type Answering, type Delivery, WebhookReceiver } from './webhook-receiver.js';
import { startWorker } from './worker.js';

const OWN = { channels: [pagerChannel], modules: [PagerModule] };

export type Pagers = Awaited<ReturnType<typeof openPagers>>;

/** The service with the sixth channel, a worker, and a server that plays its carriers' gateways and a customer. */
export async function openPagers() {
  const api = await startApi(
    { OUTBOUND_ALLOW: '127.0.0.0/8', USER_RATE_LIMIT: 0, CARRIER_RATE_LIMIT: 0 },
    undefined,
    OWN,
  );
  const campaigns: Campaigns = campaignsOf(api);
  const worker: TestingModule = await startWorker(api.environment, OWN);
  const server = await WebhookReceiver.open();
  const gateways = new Map<string, string>();
  let serial = 0;

  /** Every message that is taken gets an id that counts: `page-1`, `page-2` … */
  const answering: Answering = ({ path }, response) => {
    if (gateways.has(path.slice(1))) response.end(JSON.stringify({ id: `page-${++serial}` }));
    return undefined;
  };
  server.answering = answering;

  return {
    ...campaigns,
    server,

    /** A route to a gateway at `/<name>`, which is told number, text and sender. @param further of its config @returns its id */
    addGateway: async (
      name: string,
      isDefault: boolean,
      further: Json = {},
      channel: 'sms' | 'unofficial' = 'sms',
    ): Promise<number> => {
      const routes = campaigns.part(RouteDirectory);
      const body = { to: '{{to}}', text: '{{text}}', from: '{{from}}' };
      const config = { url: server.url(`/${name}`), body, id_path: 'id', ...further };
      const draft = { name, channel, driver: 'http', config, messagesPerSecond: null, isDefault };
      const route = await campaigns.dataSource.transaction((tx) => routes.put(tx, draft));
      // the worker may have read them a moment before
      for (const directory of [routes, worker.get(RouteDirectory, { strict: false })]) directory.forget();
      gateways.set(name, callbackPath(route));
      return route.id;
    },

    page: async (owner: Member, message: string, numbers: readonly unknown[], fields: Json = {}): Promise<string> => {
      const answer = await campaigns.post('/test/pager', owner, { message, numbers, ...fields });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return String(answer.body['request_id']);
    },

    /** Messages at all gateways so far, in order: the gateway's ids count them from 1. */
    paged: (): Delivery[] => server.deliveries.filter(({ path }) => gateways.has(path.slice(1))),

    /** A receipt of a message, from the gateway that took it. @param id as the gateway gave it */
    receipt: (gateway: string, id: string, status: string): Promise<Answer> =>
      campaigns.post(String(gateways.get(gateway)), null, { id, status }),

    view: async (id: string, owner: Member): Promise<Json> =>
      dataOf(await campaigns.get(`/v6/api/campaigns/${id}`, owner)),

    stop: async (): Promise<void> => {
      await worker.close();
      await campaigns.stop();
      await server.stop();
    },
  };
}
