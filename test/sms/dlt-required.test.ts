import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { RoutingTables } from '../../src/modules/routing/index.js';
import { type Bulk, bulkOf } from '../support/bulk.js';
import { dataOf, type Json, openCampaigns } from '../support/campaigns.js';
import { type Answer, type Member, PASSWORD } from '../support/sms.js';

const REQUIRED = 'dlt_template_id is required';
const TERMS = { sender_id: 'ACME', dlt_template_id: '1107161951486743588' };
const INDIA = '919812345678';
/** Numbers that rules give a chain: of one that asks for nothing and one that does, or that will. */
const [CHAINED, CHAINED_LATER, FREE] = ['447400123456', '4520123456', '33612345678'] as const;
/** Everything that an accepted send adds to. */
const TABLES = [
  ...['campaigns', 'campaign_recipients', 'campaign_lanes', 'recipient_terms', 'recipient_variables'],
  ...['credit_ledger', 'usage_counters', 'idempotency_keys'],
];

let bulk: Bulk;
let member: Member;

beforeAll(async () => {
  bulk = bulkOf(await openCampaigns({ LOGIN_FAILURE_LIMIT: 0, IP_FAILURE_LIMIT: 0 }, { route: false }));
  const [plain, strict, later] = [await addRoute('plain'), await addRoute('strict', true), await addRoute('later')];
  const ruleOf = (prefix: string, routes: number[]) => ({
    prefixes: [prefix],
    accounts: null,
    categories: null,
    routes,
  });
  const rules = [ruleOf('44', [plain, strict]), ruleOf('45', [plain, later]), ruleOf('33', [plain])];
  const tables = bulk.part(RoutingTables);
  await bulk.dataSource.transaction((tx) => tables.put(tx, { name: 't', channel: 'sms', rules }));
  tables.forget();
});
afterAll(() => bulk.stop());
beforeEach(async () => {
  member = await bulk.join(100);
  await bulk.dataSource.query(
    `INSERT INTO sender_ids (account_id, channel, sender_id, dlt_entity_id, status, revision, created_at, updated_at)
     VALUES (?, 'sms', 'ACME', '1701158019811140068', 'approved', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
    [member.account.id],
  );
});

/** A route, made or changed. `strict` is the default, for what names no route. */
async function addRoute(name: string, required = false): Promise<number> {
  const routes = bulk.part(RouteDirectory);
  const config = { url: 'http://127.0.0.1:9/', body: { to: '{{to}}' }, dlt: { required } };
  const draft = { name, channel: 'sms' as const, driver: 'http', config, messagesPerSecond: null };
  const { id } = await bulk.dataSource.transaction((tx) => routes.put(tx, { ...draft, isDefault: name === 'strict' }));
  routes.forget();
  return id;
}

/** How many rows there are, and what the account has. */
async function kept(): Promise<unknown> {
  const counts = await Promise.all(
    TABLES.map(async (table) => {
      const [row] = await bulk.dataSource.query<{ n: number }[]>(`SELECT COUNT(*) AS n FROM ${table}`);
      return [table, Number(row?.n)];
    }),
  );
  return [...counts, await bulk.credits(member)];
}

async function expectNothing(send: () => Promise<Answer>): Promise<void> {
  const before = await kept();
  const { status, body } = await send();
  expect([status, body['message']]).toEqual([400, REQUIRED]);
  expect(await kept()).toEqual(before);
}

const send = (body: Json): Promise<Answer> =>
  bulk.bulk(member, { channel: 'sms', broadcast_name: 'Codes', message: 'Hello', ...body });
const personal = (...numbers: string[]): Json => ({
  message: 'Hello {{name}}',
  recipients: numbers.map((to) => ({ to, variables: { name: 'Asha' } })),
});
const smsGet = (number: string, more: Record<string, string> = {}): Promise<Answer> =>
  bulk.smsGet({ username: member.account.username, password: PASSWORD, message: 'Hello', number, ...more });
const broadcast = (contacts: string[], more: Json = {}): Promise<Answer> =>
  bulk.broadcast(member, {
    broadcast_name: 'Codes',
    brodcast_service: 'any',
    message: 'Hello',
    contacts,
    ...more,
  });

/** A campaign whose only recipient has failed. */
async function failed(body: Json): Promise<string> {
  const sent = dataOf(await send(body));
  const id = String(sent['request_id']);
  await bulk.begin(id);
  await bulk.settle(id, [1], RecipientStatus.Failed);
  return `/v6/api/campaigns/${id}/retry-failed`;
}

describe('a route that requires dlt_template_id', () => {
  it.each([
    ['as the default', {}],
    ['by its name', { route: 'strict' }],
  ])('refuses bulk sends without one %s', async (_how, route) => {
    const key = { 'idempotency-key': 'dlt' };
    await expectNothing(() => send({ ...route, contacts: [INDIA] }));
    await expectNothing(() => send({ ...route, contacts: [INDIA], sender_id: 'ACME' }));
    await expectNothing(() => send({ ...route, ...personal(INDIA) }));
    await expectNothing(() => send({ ...route, contacts: [INDIA], schedule_time: '2099-01-01T00:00:00Z' }));
    const whole = { channel: 'sms', broadcast_name: 'Codes', ...route, ...personal(INDIA) };
    await expectNothing(() => bulk.bulk(member, whole, key));
    // the key of what was refused is free
    expect((await bulk.bulk(member, { ...whole, ...TERMS }, key)).status).toBe(202);
    expect((await send({ ...route, contacts: [INDIA], ...TERMS })).status).toBe(202);
    expect(await bulk.credits(member)).toBe(98);
  });

  it('refuses sms_get.php without one', async () => {
    await expectNothing(() => smsGet(INDIA));
    await expectNothing(() => smsGet(INDIA, { sender_id: 'ACME', providermessageid: `get.${member.account.id}` }));
    expect((await smsGet(INDIA, { ...TERMS, providermessageid: `get.${member.account.id}` })).body).toMatchObject({
      request_id: `get.${member.account.id}`,
      Credits: 1,
    });
    expect(await bulk.credits(member)).toBe(99);
  });

  it('refuses all recipients where it carries one of them', async () => {
    await expectNothing(() => send({ contacts: [FREE, INDIA] }));
    await expectNothing(() => send(personal(FREE, INDIA)));
    await expectNothing(() => broadcast([FREE, INDIA]));
    for (const answer of [await send({ contacts: [FREE] }), await send(personal(FREE))])
      expect(answer.status).toBe(202);
    expect((await broadcast([FREE])).status).toBe(200);
    expect(await bulk.credits(member)).toBe(97);
  });
});

describe('the second route of a chain that requires dlt_template_id', () => {
  it('refuses every kind of send', async () => {
    await expectNothing(() => send({ contacts: [CHAINED] }));
    await expectNothing(() => send(personal(FREE, CHAINED)));
    await expectNothing(() => smsGet(CHAINED));
    await expectNothing(() => broadcast([CHAINED]));
    expect((await send({ contacts: [CHAINED], ...TERMS })).status).toBe(202);
    expect((await smsGet(CHAINED, TERMS)).status).toBe(200);
    expect((await broadcast([CHAINED], TERMS)).status).toBe(200);
    expect(await bulk.credits(member)).toBe(97);
  });

  it('refuses nothing where the account may not use it', async () => {
    await bulk.alter(member, 'allowed_routes', '["plain"]');
    expect((await send({ contacts: [CHAINED] })).status).toBe(202);
    expect(await bulk.credits(member)).toBe(99);
  });
});

describe('a retry of failed recipients', () => {
  it.each([
    ['its route', { contacts: [INDIA], route: 'later' }],
    ['its route, of a text of its own', { ...personal(INDIA), route: 'later' }],
    ['the second route of its chain', { contacts: [CHAINED_LATER] }],
    ['the second route of its chain, of a text of its own', personal(CHAINED_LATER)],
  ])('is refused where %s has come to require dlt_template_id', async (_which, body) => {
    await addRoute('later');
    const bare = await failed(body);
    const registered = await failed({ ...body, ...TERMS });
    await addRoute('later', true);
    await expectNothing(() => bulk.act(bare, member));
    expect(dataOf(await bulk.act(registered, member))).toMatchObject({ total_rows: 1, credits: 1 });
    await addRoute('later');
    expect(dataOf(await bulk.act(bare, member))).toMatchObject({ total_rows: 1, credits: 1 });
    expect(await bulk.credits(member)).toBe(96);
  });
});
