import type { TestingModule } from '@nestjs/testing';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type Receipt, ReceiptSink } from '../../src/modules/providers/index.js';
import type { Environment } from '../../src/platform/config/index.js';
import { CampaignDesk, dataOf, type Json, listOf } from './campaign-desk.js';
import type { Answer, Member } from './sms-desk.js';
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

/** The campaigns desk with a customer's server, and workers that deliver to it. */
export class WebhookDesk extends CampaignDesk {
  receiver!: WebhookReceiver;
  private readonly workers: TestingModule[] = [];

  async prepare(): Promise<this> {
    this.receiver = await WebhookReceiver.open();
    return this;
  }

  override async stop(): Promise<void> {
    this.receiver.letGo();
    await Promise.all(this.workers.map((worker) => worker.close()));
    await super.stop();
    await this.receiver.stop();
  }

  provider<T>(type: abstract new (...parameters: never[]) => T): T {
    return this.api.app.get<T>(type, { strict: false });
  }

  /** A status of a session message, as it comes from the provider. */
  chatReceipt(routeId: number, providerMessageId: string, status: Receipt['status']): Promise<void> {
    const receipt = { providerMessageId, status, errorCode: null, errorText: null, receiver: null };
    return this.provider(ReceiptSink).accept(routeId, [receipt]);
  }

  async worker(overrides: Partial<Environment> = {}): Promise<TestingModule> {
    const worker = await startWorker({ ...this.api.environment, ...QUICK, ...overrides });
    this.workers.push(worker);
    return worker;
  }

  call(method: string, path: string, member: Member | null, body?: unknown): Promise<Answer> {
    return this.request(`/v6/api/webhooks${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(member && { authorization: `Bearer ${member.token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** Registers one at a path of its own, unless the test names another place. */
  async hook(member: Member, events: string[], url?: string): Promise<Hook> {
    const path = `/hook-${++serial}`;
    const answer = await this.call('POST', '', member, { url: url ?? this.receiver.url(path), events });
    if (answer.status !== 201) throw new Error(`webhook: ${JSON.stringify(answer.body)}`);
    const { id, secret } = dataOf(answer);
    return { id: Number(id), secret: String(secret), path };
  }

  async view(member: Member, hook: Hook): Promise<Json> {
    return dataOf(await this.call('GET', `/${hook.id}`, member));
  }

  /** An SMS that the carrier has just taken; answers its request id. */
  async sent(owner: Member, numbers = [NUMBER]): Promise<string> {
    const requestId = await this.send(owner, numbers);
    await this.begin(requestId);
    await this.settle(
      requestId,
      numbers.map((_, index) => index + 1),
      RecipientStatus.Submitted,
    );
    return requestId;
  }

  /** The log, oldest first. */
  async attempts(member: Member, hook: Hook): Promise<Json[]> {
    return listOf(await this.call('GET', `/${hook.id}/attempts?limit=1000`, member)).reverse();
  }

  /** Waits until so many have come to a webhook. */
  async received(hook: Hook, count: number): Promise<Delivery[]> {
    await until(`${count} deliveries to ${hook.path}`, () =>
      Promise.resolve(this.receiver.to(hook.path).length >= count),
    );
    return this.receiver.to(hook.path);
  }

  /** Waits until the log has so many tries. */
  async logged(member: Member, hook: Hook, count: number): Promise<Json[]> {
    await until(`${count} tries in the log`, async () => (await this.attempts(member, hook)).length >= count);
    return this.attempts(member, hook);
  }

  /** Bodies of the events that were written for an account, oldest first. */
  async recorded({ account }: Member): Promise<Json[]> {
    const rows = await this.dataSource.query<{ body: string }[]>(
      'SELECT body FROM webhook_events WHERE account_id = ? ORDER BY id',
      [account.id],
    );
    return rows.map(({ body }) => JSON.parse(body) as Json);
  }

  /** Answers what hangs until no worker holds the endpoint any more. */
  async isLetGo(hook: Hook): Promise<void> {
    await until('the endpoint to be let go', async () => {
      this.receiver.letGo();
      const [row] = await this.dataSource.query<{ held: number }[]>(
        'SELECT lease_until > UTC_TIMESTAMP(3) AS held FROM webhook_endpoints WHERE id = ?',
        [hook.id],
      );
      return Number(row?.held) === 0;
    });
  }

  async waiting(hook: Hook): Promise<number> {
    const [row] = await this.dataSource.query<{ count: string }[]>(
      'SELECT COUNT(*) AS count FROM webhook_deliveries WHERE endpoint_id = ?',
      [hook.id],
    );
    return Number(row?.count);
  }
}
