import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { Settlement } from '../../src/modules/engine/settle/settlement.js';
import { RouteFigures } from '../../src/modules/statistics/index.js';
import { TrafficWriter } from '../../src/modules/statistics/traffic-writer.js';
import { GetStatisticsHandler } from '../../src/modules/statistics/statistics.queries.js';
import { TrafficReader, TrafficStore } from '../../src/modules/statistics/traffic.store.js';
import { CommitUnknown, inTransaction } from '../../src/platform/database/index.js';
import { Traffic } from '../../src/modules/traffic/index.js';
import { type Campaigns, dataOf, type Json, openCampaigns } from '../support/campaigns.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';
import { sqlMessageKey } from '../stage/message-key.mjs';

const OWN = '/v6/api/account/statistics';
const ALL = '/v6/api/admin/statistics';
const { Delivered, Failed, Pending, Submitted, Unknown } = RecipientStatus;

/** What charts are drawn from (reference/admin#statistics). */
describe('statistics', () => {
  let house: Campaigns;
  let routeId: number;
  let staff: Member;
  let owner: Member;

  beforeAll(async () => {
    house = await openCampaigns({}, { route: false });
    routeId = await house.addRoute('main', true);
    staff = await house.join(0, { userType: 'admin' });
    owner = await house.join(1_000);
  });
  afterAll(() => house.stop());

  const forget = (): void => house.part(GetStatisticsHandler).forget();
  const write = (): Promise<void> => house.part(TrafficWriter).write().finally(forget);
  /** As a window over a route, and as the deadline. */
  const settle = async (
    requestId: string,
    seqs: readonly number[],
    to: RecipientStatus,
    more: { refund?: boolean; isOverdue?: boolean; routeId?: number } = {},
  ): Promise<void> => {
    const campaignId = await house.idOf(requestId);
    const changes = seqs.map((seq) => ({
      ...{ campaignId, seq, to, errorCode: null, errorText: null, attempted: true, refund: false, routeId },
      ...more,
    }));
    await inTransaction(house.dataSource, (tx) => house.part(Settlement).settle(tx, changes));
  };
  const seriesOf = (answer: Answer): Json[] => dataOf(answer)['series'] as Json[];
  const totals = async (path: string, member: Member): Promise<Json | undefined> => {
    const [first] = seriesOf(await house.get(path, member));
    return first?.['totals'] as Json | undefined;
  };
  const NUMBERS = ['919812345670', '919812345671', '919812345672', '919812345673', '919812345674', '919812345675'];

  it('says what was sent, what became of it, and what it cost, by route, channel and account', async () => {
    const requestId = await house.send(owner, NUMBERS);
    await house.begin(requestId);
    for (const [index, id] of ['a-1', 'a-2', 'a-3'].entries()) {
      await house.dataSource.query(
        `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status, submitted_at, message_key)
         SELECT id, ?, 0, route_id, ?, 1, 1, UTC_TIMESTAMP(3) - INTERVAL 2 SECOND, ${sqlMessageKey('route_id', '?')} FROM campaigns WHERE request_id = ?`,
        [index + 1, id, id, requestId],
      );
    }
    await settle(requestId, [1, 2, 3], Submitted);
    await settle(requestId, [4], Failed, { refund: true });
    await settle(requestId, [5], Unknown);
    await house.receipt(requestId, 'a-1', 'delivered');
    await house.receipt(requestId, 'a-2', 'delivered');
    await house.receipt(requestId, 'a-2', 'delivered'); // a carrier says things twice
    await settle(requestId, [3], Failed, { isOverdue: true });
    await settle(requestId, [5], Delivered); // it had left
    await write();

    const expected = {
      ...{ sent: 4, delivered: 3, failed: 0, refused: 1, expired: 1, unanswered: 0, unknown: 1, receipts: 3 },
      delivery_rate: 0.75,
    };
    for (const path of [`${ALL}?by=route&key=main`, `${ALL}?by=route`]) {
      expect(await totals(path, staff)).toMatchObject({ ...expected, credits: null });
    }
    const credits = 6 - 1;
    for (const path of [
      `${ALL}?by=channel`,
      `${ALL}?by=channel&key=sms`,
      `${ALL}?by=account&key=${owner.account.username}`,
      `${ALL}?by=account`,
      `${ALL}?range=day&by=channel`,
      `${ALL}?range=month&by=channel`,
      `${ALL}?range=month&by=account&key=${owner.account.username}`,
    ]) {
      expect([path, await totals(path, staff)]).toEqual([path, expect.objectContaining({ ...expected, credits })]);
    }
    expect(await totals(OWN, owner)).toMatchObject({ ...expected, credits });
    const delay = Number((await totals(OWN, owner))?.['delay_seconds']);
    expect(delay).toBeGreaterThanOrEqual(2);
    expect(delay).toBeLessThan(60);
    expect(await totals(`${OWN}?by=channel&key=voice`, owner)).toBeUndefined();
  });

  it('has a step a minute, five minutes or an hour, the newest at the end, without those of which there is nothing', async () => {
    for (const [range, step, steps] of [
      ['hour', 60, 60],
      ['day', 300, 288],
      ['month', 3_600, 720],
    ] as const) {
      const data = dataOf(await house.get(`${ALL}?range=${range}`, staff));
      expect(data).toMatchObject({ range, by: 'channel', step_seconds: step });
      const [from, to] = [data['from'], data['to']].map((text) => Date.parse(String(text))) as [number, number];
      expect(to - from).toBe(steps * step * 1000);
      expect(to).toBeGreaterThan(Date.now() - 1_000);
      const [series] = data['series'] as Json[];
      const points = series?.['points'] as Json[];
      expect(points.length).toBeLessThan(6);
      for (const { at } of points) {
        expect(Date.parse(String(at)) % (step * 1000)).toBe(0);
        expect(Date.parse(String(at))).toBeGreaterThanOrEqual(from);
      }
      expect(Date.parse(String(series?.['newest_receipt_at']))).toBeGreaterThan(Date.now() - 600_000);
    }
  });

  it('looks back by `to`; what is older than the minutes comes by the hour', async () => {
    const data = dataOf(await house.get(`${ALL}?range=hour&to=2026-01-05T10:30:00Z`, staff));
    expect(data).toMatchObject({
      step_seconds: 3_600,
      from: '2026-01-05T10:00:00.000Z',
      to: '2026-01-05T11:00:00.000Z',
      series: [],
    });
  });

  it('is refused for what it cannot be', async () => {
    const faults = {
      'range=year': 'range must be one of: hour, day, month',
      'by=country': 'by must be one of: route, account, channel',
      'to=yesterday': 'to is invalid',
      'to=1970-01-01T00:00:00Z': 'to is invalid',
      'by=route&key=nowhere': 'key is invalid',
      'by=account&key=nobody': 'key is invalid',
      'by=channel&key=fax': 'key is invalid',
      'key=a&key=b': 'key is invalid',
    };
    for (const [query, message] of Object.entries(faults)) {
      expectRefused(await house.get(`${ALL}?${query}`, staff), 400, message);
    }
    expectRefused(await house.get(`${OWN}?by=account`, owner), 400, 'by must be one of: channel');
    expectRefused(await house.get(ALL, owner), 403, 'Forbidden');
    expectRefused(await house.get(ALL, null), 401, 'Invalid Authorization token');
    expectRefused(await house.get(OWN, null), 401, 'Invalid Authorization token');
  });

  it('shows an account nothing of another', async () => {
    const other = await house.join(0);
    expect(dataOf(await house.get(OWN, other))['series']).toEqual([]);
  });

  it('costs fifty people who look at one page what it costs one of them', async () => {
    const people = [staff, await house.join(0, { userType: 'admin' })];
    const reader = house.part(TrafficReader);
    const points = reader.points.bind(reader);
    let reads = 0;
    reader.points = (...asked) => {
      reads += 1;
      return points(...asked);
    };
    try {
      forget();
      const paths = [`${ALL}?by=route`, `${ALL}?by=route&key=main`, ALL];
      // at the end of a minute the page is another one
      const to = `to=${new Date().toISOString()}`;
      const look = (path: string, index: number): Promise<Answer> =>
        house.get(`${path}${path.includes('?') ? '&' : '?'}${to}`, people[index % 2] as Member);
      for (const path of paths) {
        const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => look(path, index)));
        expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      }
      expect(reads).toBe(paths.length);
      // what is of one account is of that one alone
      expect(dataOf(await house.get(`${OWN}?${to}`, await house.join(0)))['series']).toEqual([]);
      expect(reads).toBe(paths.length + 1);
    } finally {
      reader.points = points;
    }
  });

  it('tells of a route what it does now', async () => {
    const figures = (await house.part(RouteFigures).of([routeId, 4_000_000])).get(routeId);
    expect(figures).toMatchObject({ sentLastHour: 4, refusedLastHour: 1, deliveryRate: 0.75 });
    expect(figures?.newestReceiptAt?.getTime()).toBeGreaterThan(Date.now() - 600_000);
    expect((await house.part(RouteFigures).of([4_000_000])).size).toBe(0);
  });

  it('counts nothing of a transaction that was rolled back', async () => {
    const before = await totals(`${ALL}?by=route&key=main`, staff);
    const requestId = await house.send(owner, NUMBERS);
    const campaignId = await house.idOf(requestId);
    const change = {
      campaignId,
      seq: 1,
      to: Submitted,
      errorCode: null,
      errorText: null,
      refund: false,
      attempted: true,
    };
    const broken = inTransaction(house.dataSource, async (tx) => {
      await house.part(Settlement).settle(tx, [{ ...change, routeId }]);
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    await write();
    expect(await totals(`${ALL}?by=route&key=main`, staff)).toEqual(before);
  });

  it('is written once: kept while the database refuses, and given up where a commit may have happened', async () => {
    const store = house.part(TrafficStore);
    const add = store.add.bind(store);
    const read = async (): Promise<number> => Number((await totals(`${ALL}?by=route&key=main`, staff))?.['sent']);
    const before = await read();
    const count = (): void =>
      house.part(Traffic).count({ routeId, accountId: owner.account.id, channel: 'sms' }, 'sent', 10);
    try {
      store.add = () => Promise.reject(new Error('away'));
      count();
      await expect(write()).rejects.toThrow('away');
      store.add = add;
      await write();
      expect(await read()).toBe(before + 10);
      store.add = async (tallies) => {
        await add(tallies);
        throw new CommitUnknown(new Error('lost'));
      };
      count();
      await expect(write()).rejects.toBeInstanceOf(CommitUnknown);
      store.add = add;
      await write();
      expect(await read()).toBe(before + 20);
    } finally {
      store.add = add;
    }
  });

  it('counts once what is written while another write is under way', async () => {
    const read = async (): Promise<number> => Number((await totals(`${ALL}?by=route&key=main`, staff))?.['sent']);
    await write();
    const before = await read();
    const store = house.part(TrafficStore);
    const add = store.add.bind(store);
    let begin = (): void => undefined;
    let goOn = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const held = new Promise<void>((resolve) => (goOn = resolve));
    try {
      store.add = (tallies) => {
        begin();
        return held.then(() => add(tallies));
      };
      house.part(Traffic).count({ routeId, accountId: owner.account.id, channel: 'sms' }, 'sent', 10);
      const first = write();
      await begun;
      const second = write();
      goOn();
      await Promise.all([first, second]);
      expect(await read()).toBe(before + 10);
    } finally {
      store.add = add;
    }
  });

  it('comes to the same, however many processes write at once', async () => {
    const of = { routeId, accountId: owner.account.id, channel: 'sms' };
    const before = Number((await totals(`${ALL}?by=route&key=main`, staff))?.['sent']);
    const tally = { ...of, minute: Math.floor(Date.now() / 60_000) * 60_000, counts: { sent: 1 } };
    const stores = Array.from({ length: 8 }, () => new TrafficStore(house.dataSource));
    await Promise.all(stores.flatMap((store) => Array.from({ length: 5 }, () => store.add([tally]))));
    forget();
    expect(Number((await totals(`${ALL}?by=route&key=main`, staff))?.['sent'])).toBe(before + 40);
  });

  it('is shown to Prometheus with bounded labels', async () => {
    const text = await (await fetch(`${house.url}/metrics`)).text();
    for (const line of [
      'switchboard_recipient_outcomes_total{route="main",channel="sms",outcome="delivered"} 3',
      'switchboard_recipient_outcomes_total{route="main",channel="sms",outcome="refused"} 1',
      'switchboard_receipts_total{route="main",channel="sms"} 3',
      'switchboard_receipt_delay_seconds_bucket{route="main",channel="sms",le="+Inf"} 2',
      'switchboard_credits_refunded_total{channel="sms"} 1',
    ])
      expect(text).toContain(line);
    expect(Pending).toBe(0);
  });
});
