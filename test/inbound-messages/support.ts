import type { TestingModule } from '@nestjs/testing';
import { vi } from 'vitest';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import type { Environment } from '../../src/platform/config/index.js';
import { Smsc, type SmscSession } from '../contract/npm-smsc.js';
import { type Campaigns, dataOf, type Json, listOf, openCampaigns } from '../support/campaigns.js';
import type { Member } from '../support/sms.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { startWorker } from '../support/worker.js';

export const PATIENCE = { timeout: 60_000, interval: 50 };

/** An API, workers and an SMSC of npm smpp, whose texts they take. */
export class TwoWay {
  readonly workers: TestingModule[] = [];

  private constructor(
    readonly campaigns: Campaigns,
    readonly smsc: Smsc,
    readonly receiver: WebhookReceiver,
  ) {}

  static async open(overrides: Partial<Environment> = {}, workers = 1, config: Json = {}): Promise<TwoWay> {
    const smsc = new Smsc();
    const port = await smsc.listen();
    const campaigns = await openCampaigns(
      { OUTBOUND_ALLOW: '127.0.0.0/8', LANE_LEASE: 2_000, ALARM_INTERVAL: 0, ...overrides },
      { route: false },
    );
    const self = new TwoWay(campaigns, smsc, await WebhookReceiver.open());
    const login = { host: '127.0.0.1', port, system_id: 'twoway', password: 'secret' };
    await self.addRoute('main', 'smpp', { ...login, country: 'IN', ...config }, true);
    for (let count = 1; count <= workers; count++) {
      self.workers.push(await startWorker(campaigns.environment));
      await vi.waitUntil(() => smsc.sessions.length >= count, PATIENCE);
    }
    return self;
  }

  async addRoute(
    name: string,
    driver: string,
    config: Json,
    isDefault = false,
    messagesPerSecond: number | null = null,
  ): Promise<string> {
    const routes = this.campaigns.part(RouteDirectory);
    const draft = { name, channel: 'sms', driver, config, messagesPerSecond, isDefault } as const;
    const put = await this.campaigns.dataSource.transaction((tx) => routes.put(tx, draft));
    routes.forget();
    return put.callbackSecret;
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close()));
    await this.campaigns.stop();
    await this.smsc.close();
    await this.receiver.stop();
  }

  /** Accepts a campaign to these numbers, and waits until it has left. */
  async reach(member: Member, to: string[], fields: Json = {}): Promise<string> {
    const requestId = await this.campaigns.send(member, to, fields);
    await vi.waitUntil(async () => {
      const { state } = dataOf(await this.campaigns.get(`/v6/api/campaigns/${requestId}`, member));
      return state === 'completed' || state === 'running';
    }, PATIENCE);
    await vi.waitUntil(() => to.every((number) => this.submitsTo(number).length > 0), PATIENCE);
    await vi.waitUntil(async () => {
      const rows: unknown[] = await this.campaigns.dataSource.query(
        'SELECT 1 FROM route_senders WHERE number IN (?) AND account_id = ?',
        [to, member.account.id],
      );
      return rows.length >= new Set(to).size;
    }, PATIENCE);
    return requestId;
  }

  submitsTo(number: string): Json[] {
    return this.smsc.submits.filter((pdu) => pdu['destination_addr'] === number);
  }

  /** A text of a handset; resolves with the status of its answer. */
  say(
    from: string,
    message: string | Buffer,
    fields: Json = {},
    session: SmscSession | undefined = this.smsc.sessions[0],
  ): Promise<number> {
    const text = { source_addr: from, source_addr_ton: 1, destination_addr: '57575', short_message: { message } };
    return this.smsc.deliver({ ...text, ...fields }, session);
  }

  async texts(member: Member, query = ''): Promise<Json[]> {
    return listOf(await this.campaigns.get(`/v6/api/inbound-messages${query}`, member));
  }

  async hook(member: Member, events = ['sms.message.received']): Promise<string> {
    const path = `/hook-${member.account.id}`;
    const answer = await this.campaigns.post('/v6/api/webhooks', member, { url: this.receiver.url(path), events });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return path;
  }

  async stopped(member: Member): Promise<unknown[]> {
    return listOf(await this.campaigns.get('/v6/api/suppressions', member)).map(({ number }) => number);
  }
}
