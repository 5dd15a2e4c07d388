import { DataSource, EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CampaignAcceptance, RecipientStatus } from '../../src/modules/engine/index.js';
import { messageKey } from '../../src/modules/engine/settle/message-ids.js';
import { Settlement } from '../../src/modules/engine/settle/settlement.js';
import { type Receipt, ReceiptSink, RouteDirectory } from '../../src/modules/providers/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { type Engine, startEngine } from '../support/engine.js';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

const NUMBER = '4915112345678';
const OTHER = '4915112345679';

/** Whose message a receipt is about: by the value of its id, over every route of its login, for the same recipient. */
describe('receipts find their message', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let sink: ReceiptSink;
  let reader: CampaignReader;
  let serial = 0;
  /** two routes of one login, one of another login there, one of the same login elsewhere */
  let routes: Record<'one' | 'two' | 'login' | 'host', number>;

  const get = <T>(type: abstract new (...parameters: never[]) => T): T => engine.module.get<T>(type, { strict: false });

  beforeAll(async () => {
    engine = await startEngine();
    dataSource = get(DataSource);
    sink = get(ReceiptSink);
    reader = get(CampaignReader);
    const directory = get(RouteDirectory);
    const put = async (name: string, host: string, systemId: string): Promise<number> => {
      const config = { host, port: 2775, system_id: systemId };
      const draft = {
        name,
        channel: 'sms' as const,
        driver: 'smpp',
        config,
        messagesPerSecond: null,
        isDefault: false,
      };
      return (await inTransaction(dataSource, (tx) => directory.put(tx, draft))).id;
    };
    routes = {
      one: await put('one', 'smsc.example', 'acme'),
      two: await put('two', 'SMSC.example', 'acme'),
      login: await put('login', 'smsc.example', 'other'),
      host: await put('host', 'elsewhere.example', 'acme'),
    };
    directory.forget();
  });
  afterAll(() => engine.stop());

  /** A message that the carrier took over route `one` under this id. @returns what became of it, when asked */
  async function sent(id: string, receiver = NUMBER): Promise<() => Promise<string | undefined>> {
    const accountId = await engine.account(`dialects-${++serial}`, 1);
    const accepted = await get(CampaignAcceptance).accept(engine.draft(accountId, [receiver], { routeId: routes.one }));
    await dataSource.query(
      `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, message_key, items, status)
       VALUES (?, 1, 0, ?, ?, ?, 1, ?)`,
      [accepted.id, routes.one, id, messageKey(routes.one, id), RecipientStatus.Submitted],
    );
    const to = RecipientStatus.Submitted;
    await inTransaction(dataSource, (tx) =>
      get(Settlement).settle(tx, [
        { campaignId: accepted.id, seq: 1, to, errorCode: null, errorText: null, refund: false, attempted: true },
      ]),
    );
    return async () => {
      const [recipient] = await reader.recipients(accepted.id, { afterSeq: 0, limit: 1 });
      return recipient && RecipientStatus[recipient.status];
    };
  }
  const tell = (routeId: number, id: string, receiver: string | null, fields: Partial<Receipt> = {}): Promise<void> =>
    sink.accept(routeId, [
      { providerMessageId: id, status: 'delivered', errorCode: null, errorText: null, receiver, ...fields },
    ]);

  it.each([
    ['000000009f3a2b11', '2671389457'],
    ['0123456001', '123456001'],
    ['223456001', '0223456001'],
    ['0x9F3A2B12', '2671389458'],
    ['9F3A2B13', '9f3a2b13'],
    ['8B3C2F64-7F0E-4D7E-9D5F-00000000000A', '8b3c2f64-7f0e-4d7e-9d5f-00000000000a'],
  ])('by value: answered as %s, named as %s, for the same recipient only', async (answer, named) => {
    const status = await sent(answer);
    await tell(routes.one, named, OTHER);
    await tell(routes.one, named, null);
    await tell(routes.login, named, NUMBER);
    expect(await status()).toBe('Submitted');
    await tell(routes.one, named, NUMBER);
    expect(await status()).toBe('Delivered');
  });

  it('over every route of the same host and login, and over no other', async () => {
    const status = await sent('500000001');
    const hex = await sent('000000001dcd6502');
    for (const route of [routes.login, routes.host]) {
      await tell(route, '500000001', NUMBER);
      await tell(route, '500000002', NUMBER);
    }
    await tell(routes.two, '500000001', OTHER);
    expect([await status(), await hex()]).toEqual(['Submitted', 'Submitted']);
    await tell(routes.two, '500000001', NUMBER);
    await tell(routes.two, '500000002', `00${NUMBER}`);
    expect([await status(), await hex()]).toEqual(['Delivered', 'Delivered']);
  });

  it.each([
    ['padded-1  ', 'padded-1'],
    ['padded-2', 'padded-2 '],
    ['half-\ud800', 'half-\ud800'],
  ])('as the database compares ids: answered as %j, named as %j', async (answer, named) => {
    const status = await sent(answer);
    await tell(routes.one, named, null);
    expect(await status()).toBe('Delivered');
  });

  it("never by an id that is another recipient's in another spelling", async () => {
    const hundred = await sent('100', NUMBER); // 256 in decimal
    const next = await sent('256', OTHER);
    await tell(routes.one, '256', NUMBER);
    expect([await hundred(), await next()]).toEqual(['Delivered', 'Submitted']);
  });

  it('however the carrier writes the number, and where it does not turn the two round', async () => {
    const national = await sent('600000001');
    const straight = await sent('600000002');
    await tell(routes.one, '600000001', '015112345678');
    await tell(routes.one, '600000002', '4477', { otherAddress: NUMBER });
    expect([await national(), await straight()]).toEqual(['Delivered', 'Delivered']);
  });

  it('by an index, whatever the table holds, and the newest days first', async () => {
    const query = vi.spyOn(EntityManager.prototype, 'query');
    await tell(routes.one, '77', NUMBER, { ref: '5-1' });
    const looks = query.mock.calls.filter(([sql]) => sql.includes('STRAIGHT_JOIN provider_messages m'));
    query.mockRestore();
    const plans = await Promise.all(
      looks.map(([sql, values]) =>
        dataSource.query<{ table: string; key: string | null }[]>(
          `EXPLAIN FORMAT=TRADITIONAL ${sql}`,
          values as unknown[],
        ),
      ),
    );
    const daysIn = (sql: string): string =>
      (/m\.sent_on .*?(?= STRAIGHT_JOIN|\s+STRAIGHT_JOIN)/s.exec(sql)?.[0] ?? '').trim();
    const ago = (newest: number, oldest: number) =>
      `m.sent_on BETWEEN UTC_DATE() - INTERVAL ${oldest} DAY AND UTC_DATE() - INTERVAL ${newest} DAY`;
    const since = (oldest: number) => `m.sent_on >= UTC_DATE() - INTERVAL ${oldest} DAY`;
    const BY_ID = 'ix_provider_messages_key';
    expect(
      plans.map((plan, index) => [plan.find(({ table }) => table === 'm')?.key, daysIn(looks[index]?.[0] ?? '')]),
    ).toEqual([
      ['PRIMARY', since(1)],
      [BY_ID, since(0)],
      [BY_ID, ago(1, 1)],
      [BY_ID, since(1)],
      ['PRIMARY', ago(2, 10)],
      [BY_ID, ago(2, 2)],
      [BY_ID, ago(3, 4)],
      [BY_ID, ago(5, 8)],
      [BY_ID, ago(9, 10)],
      [BY_ID, ago(2, 10)],
    ]);
  });

  it("rather yesterday's that still waits than today's of the same id that is settled", async () => {
    const yesterdays = await sent('4712');
    await dataSource.query(
      "UPDATE provider_messages SET sent_on = UTC_DATE() - INTERVAL 1 DAY WHERE provider_message_id = '4712'",
    );
    const todays = await sent('4712');
    await tell(routes.one, '4712', NUMBER);
    expect([await yesterdays(), await todays()]).toEqual(['Submitted', 'Delivered']);
    await tell(routes.one, '4712', NUMBER);
    expect([await yesterdays(), await todays()]).toEqual(['Delivered', 'Delivered']);
  });

  it('by our reference first, wherever the number of days between them, and not over another login', async () => {
    const accountId = await engine.account('referred', 2);
    const { id } = await get(CampaignAcceptance).accept(
      engine.draft(accountId, [NUMBER, OTHER], { routeId: routes.one }),
    );
    await dataSource.query(
      `INSERT INTO provider_messages (campaign_id, seq, item, sent_on, route_id, provider_message_id, items, status, message_key)
       VALUES (?, 1, 0, UTC_DATE() - INTERVAL 5 DAY, ?, '4711', 1, 1, ?), (?, 2, 0, UTC_DATE(), ?, '4711', 1, 1, ?)`,
      [1, 2].flatMap(() => [id, routes.one, messageKey(routes.one, '4711')]),
    );
    const statuses = async (): Promise<string[]> =>
      (await reader.recipients(id, { afterSeq: 0, limit: 2 })).map(({ status }) => RecipientStatus[status]);
    await tell(routes.login, '4711', null, { ref: `${id}-1` });
    expect(await statuses()).toEqual(['Pending', 'Pending']);
    await tell(routes.one, '1267', null, { ref: `${id}-1` }); // 0x1267 = 4711
    expect(await statuses()).toEqual(['Delivered', 'Pending']);
  });

  it('as long as one may still come, and not for ever', async () => {
    const ids = ['old-one', 'too-old-one'];
    const status = await Promise.all(ids.map((id) => sent(id)));
    const age = (id: string, days: number): Promise<unknown> =>
      dataSource.query(
        'UPDATE provider_messages SET sent_on = UTC_DATE() - INTERVAL ? DAY WHERE provider_message_id = ?',
        [days, id],
      );
    await age('old-one', 9);
    await age('too-old-one', 12);
    for (const id of ids) await tell(routes.one, id, null);
    expect([await status[0]?.(), await status[1]?.()]).toEqual(['Delivered', 'Submitted']);
  });
});
