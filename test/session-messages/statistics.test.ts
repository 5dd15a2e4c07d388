import { AbstractLogger, DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScheduledMessageStore } from '../../src/modules/session-messages/scheduled-messages.store.js';
import { SessionMessageStore } from '../../src/modules/session-messages/session-messages.store.js';
import { TrafficWriter } from '../../src/modules/statistics/traffic-writer.js';
import { Traffic } from '../../src/modules/traffic/index.js';
import { type ChatMember, openSessions, type Sessions } from '../support/sessions.js';

const TO = '919812345678';
const BODY = { messaging_product: 'chat', to: TO, type: 'text', text: { body: 'Hello' } };
const REFUSAL = { status: 400, body: { error: { message: 'No such number', code: 131026 } } };
const PATH = '/v6/api/account/statistics';

/** Session messages in the charts, beside the campaigns (reference/admin#statistics). */
describe('statistics of session messages', () => {
  let sessions: Sessions;
  let who: ChatMember;

  beforeAll(async () => {
    sessions = await openSessions();
  });
  afterAll(() => sessions.stop());
  beforeEach(async () => {
    sessions.upstream.answer(null);
    who = await sessions.member();
  });

  /** Sends one. @returns the provider's id */
  const send = async (): Promise<string> => {
    const { body } = await sessions.v6(who, BODY);
    return String((body['messages'] as { id: unknown }[] | undefined)?.[0]?.id);
  };
  const receipt = (id: string, word: string, ref?: string): Promise<number> =>
    sessions.callback(who, [
      {
        ...{ id, status: word, timestamp: '1700000000', recipient_id: TO },
        ...(ref !== undefined && { biz_opaque_callback_data: ref }),
        ...(word === 'failed' && { errors: [{ code: 131026, title: 'Undeliverable' }] }),
      },
    ]);
  const totals = async (query = ''): Promise<Record<string, unknown> | undefined> => {
    await sessions.api.app.get(TrafficWriter, { strict: false }).write();
    const { status, body } = await sessions.accounts.call('GET', `${PATH}${query}`, { token: who.token });
    expect(status).toBe(200);
    const series = (body['data'] as { series: { key: string; totals: Record<string, unknown> }[] }).series;
    expect(series.map(({ key }) => key)).toEqual(series.length === 0 ? [] : ['session']);
    return series[0]?.totals;
  };
  const part = <T>(type: new (...args: never[]) => T): T => sessions.api.app.get<T>(type, { strict: false });

  it('say what left, what arrived and how long it took', async () => {
    const read = await send();
    await receipt(read, 'sent');
    await receipt(read, 'delivered');
    await receipt(read, 'delivered'); // said twice
    await receipt(read, 'read');
    await receipt(await send(), 'failed');
    sessions.upstream.answer(REFUSAL);
    await send();
    const sums = await totals();
    expect(sums).toMatchObject({
      ...{ sent: 2, delivered: 1, failed: 1, refused: 1, expired: 0, unanswered: 0, unknown: 0 },
      ...{ receipts: 5, delivery_rate: 0.5, credits: 0 },
    });
    expect(sums?.['delay_seconds']).toBeGreaterThanOrEqual(0);
    expect(await totals('?key=session&range=month')).toEqual(sums);
    expect(await totals('?key=sms&range=day')).toBeUndefined();
  });

  it('count what may have left as unknown, and as sent once its receipt says that it has', async () => {
    sessions.upstream.answer('silence');
    await send();
    expect(await totals()).toMatchObject({ sent: 0, unknown: 1, delivered: 0 });
    const [{ id } = { id: 0 }] = await sessions.stored(who);
    await receipt('wamid.LATE', 'delivered', `session-${id}`);
    expect(await totals('?range=day')).toMatchObject({ sent: 1, unknown: 1, delivered: 1, receipts: 1 });
  });

  it('count what got no receipt until the deadline as expired', async () => {
    await send();
    await sessions.dataSource.query('UPDATE session_messages SET updated_at = updated_at - INTERVAL 1 HOUR');
    await part(SessionMessageStore).failOverdue(60_000);
    expect(await totals()).toMatchObject({ sent: 1, expired: 1, delivery_rate: 0 });
  });

  it('count scheduled ones when they leave, or are refused, and not when they are put back', async () => {
    const { account, routeId } = who;
    const content = { type: 'text', text: { body: 'Hello' } };
    const draft = {
      to: TO,
      content,
      accountId: account.id,
      routeId,
      label: null,
      createdBy: 'account:1:demo',
      dueAt: new Date(),
    };
    for (let count = 0; count < 2; count++) await part(SessionMessageStore).add(draft);
    const store = part(ScheduledMessageStore);
    const claim = async () =>
      (await store.claim({ most: 10, mostOfOne: 10, except: [] })).filter((due) => due.routeId === routeId);
    for (const due of await claim()) {
      await store.begin(due);
      await store.putBack(due, 0);
    }
    await sessions.makeDue(who);
    const [first, second] = await claim();
    if (!first || !second) throw new Error('two are due');
    await store.begin(first);
    await part(SessionMessageStore).submitted(first, 'wamid.SCHEDULED');
    await store.refuse(second, 'Ticket Expired');
    expect(await totals()).toMatchObject({ sent: 1, refused: 1, unknown: 0 });
  });

  it('stand in the series of their chat account, which is of several channels once it has templates too', async () => {
    const { accounts, dataSource } = sessions;
    const token = accounts.token(await accounts.account({ userType: 'admin' }));
    const [route] = await dataSource.query<{ name: string }[]>('SELECT name FROM routes WHERE id = ?', [who.routeId]);
    const seriesOf = async (range: string): Promise<unknown> => {
      await part(TrafficWriter).write();
      const { body } = await accounts.call('GET', `/v6/api/admin/statistics?by=route&range=${range}`, { token });
      const { series } = body['data'] as { series: { key: string }[] };
      return series.find(({ key }) => key === route?.name);
    };
    await send();
    expect(await seriesOf('hour')).toMatchObject({ key: route?.name, channel: 'session', totals: { sent: 1 } });
    part(Traffic).count({ routeId: who.routeId, accountId: who.account.id, channel: 'template' }, 'sent');
    expect(await seriesOf('day')).toMatchObject({ key: route?.name, channel: null, totals: { sent: 2 } });
  });

  it('cost a send and its receipt no statement', async () => {
    const statements: string[] = [];
    class Asked extends AbstractLogger {
      override logQuery(statement: string): void {
        if (statement.includes('session_messages')) statements.push(statement);
      }
      protected writeLog(): void {
        // nothing but statements is of interest
      }
    }
    const cost = async (): Promise<string[]> => {
      statements.length = 0;
      await receipt(await send(), 'delivered');
      return [...statements];
    };
    const database = sessions.api.app.get(DataSource, { strict: false });
    const { logger } = database;
    const traffic = part(Traffic);
    database.logger = new Asked();
    try {
      const counted = await cost();
      Object.defineProperty(traffic, 'isCounting', { value: false, configurable: true });
      expect(await cost()).toEqual(counted);
      expect(counted.length).toBeGreaterThan(0);
    } finally {
      Reflect.deleteProperty(traffic, 'isCounting');
      database.logger = logger;
    }
  });
});
