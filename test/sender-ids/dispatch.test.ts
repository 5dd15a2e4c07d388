import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { httpConfigSchema } from '../../src/modules/providers/drivers/http/http-config.js';
import { until } from '../support/processes.js';
import { type Answer, expectRefused, type Member, openSms, type Sms } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

const ENTITY = '1701158019811140068';
const TEMPLATE = '1107161951486743588';

let sms: Sms;
let gateway: Server;
let worker: TestingModule | null = null;
/** what has left, by number */
const left = new Map<string, Record<string, unknown>>();

beforeAll(async () => {
  gateway = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(String(Buffer.concat(chunks))) as Record<string, unknown>;
      left.set(String(body['to']), body);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: `id-${left.size}` }));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => gateway.once('listening', resolve));
  sms = await openSms({}, { route: false });
  await addRoute('plain', true, {});
  await addRoute('dlt', false, { dlt: { required: true } });
  await addRoute('own-entity', false, { dlt: { required: true, entity_id: '42' } });
});
afterAll(async () => {
  await worker?.close();
  await sms.stop();
  gateway.close();
});

async function addRoute(name: string, isDefault: boolean, more: Record<string, unknown>): Promise<void> {
  const routes = sms.part(RouteDirectory);
  const config = httpConfigSchema.parse({
    url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`,
    body: {
      to: '{{to}}',
      from: '{{from}}',
      pe: '{{dlt_entity_id}}',
      te: '{{dlt_template_id}}',
      ttl: '{{validity_s}}',
    },
    id_path: 'id',
    ...more,
  });
  const draft = { name, channel: 'sms' as const, driver: 'http', config, messagesPerSecond: null, isDefault };
  await sms.dataSource.transaction((tx) => routes.put(tx, draft));
  routes.forget();
}

async function approve(member: Member, senderId: string, dltEntityId: string | null): Promise<void> {
  await sms.dataSource.query(
    `INSERT INTO sender_ids (account_id, channel, sender_id, dlt_entity_id, status, revision, created_at, updated_at)
     VALUES (?, 'sms', ?, ?, 'approved', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
    [member.account.id, senderId, dltEntityId],
  );
}

const broadcast = (member: Member, to: string, more: Record<string, unknown> = {}): Promise<Answer> =>
  sms.broadcast(member, {
    broadcast_name: 'Test',
    brodcast_service: 'plain',
    contacts: [to],
    message: 'Hello',
    ...more,
  });

/** Gives a campaign a validity, as though it had been accepted so long ago. */
const wait = (answer: Answer, validitySeconds: number, waitedSeconds: number): Promise<unknown> =>
  sms.dataSource.query(
    `UPDATE campaigns SET content = JSON_SET(content, '$.validity_s', ?), created_at = created_at - INTERVAL ? SECOND
     WHERE request_id = ?`,
    [validitySeconds, waitedSeconds, answer.body['request_id']],
  );

const outcomeOf = async (answer: Answer): Promise<Record<string, unknown> | undefined> => {
  const rows = await sms.dataSource.query<Record<string, unknown>[]>(
    `SELECT c.state, c.sender, r.error_message AS error, r.refunded FROM campaigns c
     JOIN campaign_recipients r ON r.campaign_id = c.id WHERE c.request_id = ?`,
    [answer.body['request_id']],
  );
  return rows[0];
};

describe('a route that asks for DLT ids', () => {
  it('refuses sends without them, before anything is charged', async () => {
    const member = await sms.join(10);
    await approve(member, 'PLAIN', null);
    const to = '919800000101';
    const service = { brodcast_service: 'dlt' };
    expectRefused(await broadcast(member, to, service), 400, 'dlt_template_id is required');
    const template = { ...service, dlt_template_id: TEMPLATE };
    const NO_ENTITY = 'sender_id with a dlt_entity_id is required';
    expectRefused(await broadcast(member, to, template), 400, NO_ENTITY);
    expectRefused(await broadcast(member, to, { ...template, sender_id: 'PLAIN' }), 400, NO_ENTITY);
    expect(await sms.credits(member)).toBe(10);
    const own = { brodcast_service: 'own-entity', sender_id: 'PLAIN', dlt_template_id: TEMPLATE };
    expect((await broadcast(member, to, own)).status).toBe(200);
    expect((await broadcast(member, to)).status).toBe(200);
  });
});

describe('what leaves', () => {
  it('has sender, ids and what is left of its validity; what is too late fails and is refunded', async () => {
    const member = await sms.join(10);
    await approve(member, 'ACME', ENTITY);
    const more = { brodcast_service: 'dlt', sender_id: 'ACME', dlt_template_id: TEMPLATE };
    const [quick, late, slow] = [
      await broadcast(member, '919800000201', more),
      await broadcast(member, '919800000202', more),
      await broadcast(member, '919800000203', more),
    ];
    expect([quick, late, slow].map(({ status }) => status)).toEqual([200, 200, 200]);
    await wait(late, 60, 60);
    await wait(slow, 3_600, 1_000);
    expect(await sms.credits(member)).toBe(7);
    worker = await startWorker(sms.environment);
    await until('the late one to end', async () => (await outcomeOf(late))?.['state'] === 'completed');
    await until('the others to leave', () => Promise.resolve(left.has('919800000201') && left.has('919800000203')));
    expect(left.get('919800000201')).toEqual({ to: '919800000201', from: 'ACME', pe: ENTITY, te: TEMPLATE, ttl: null });
    const { ttl } = left.get('919800000203') ?? {};
    expect(ttl).toBeLessThanOrEqual(2_600);
    expect(ttl).toBeGreaterThan(2_000);
    expect(left.has('919800000202')).toBe(false);
    expect(await outcomeOf(late)).toMatchObject({ error: 'Validity expired', refunded: 1 });
    expect(await sms.credits(member)).toBe(8);

    // a retry of what failed leaves under the sender, and in its own time; but only as long as the sender is approved
    const path = `/v6/api/campaigns/${String(late.body['request_id'])}/retry-failed`;
    await sms.dataSource.query("UPDATE sender_ids SET status = 'rejected' WHERE account_id = ?", [member.account.id]);
    expectRefused(await sms.post(path, member, {}), 400, 'sender_id is not approved');
    await sms.dataSource.query("UPDATE sender_ids SET status = 'approved' WHERE account_id = ?", [member.account.id]);
    expect((await sms.post(path, member, {})).status).toBe(200);
    await until('the retry to leave', () => Promise.resolve(left.has('919800000202')));
    expect(left.get('919800000202')).toMatchObject({ from: 'ACME', pe: ENTITY, te: TEMPLATE });
  });
});
