import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/kernel/ids.js';
import { DRIVER_NAMES, DriverRegistry, InboundSink, RouteDirectory } from '../../src/modules/providers/index.js';
import { EarlyStops } from '../../src/modules/suppressions/early-stops.store.js';
import { openSandbox, type OpenSandbox } from '../contract/open-sandbox.js';
import { type Campaigns, dataOf, listOf, openCampaigns } from '../support/campaigns.js';
import { numbers } from '../support/client.js';
import type { Member } from '../support/sms.js';
import { startWorker } from '../support/worker.js';
import { NumberSenders } from '../../src/modules/campaigns/index.js';
import { RouteSenders } from '../../src/modules/engine/settle/route-senders.js';

const PATIENCE = { timeout: 60_000, interval: 50 };
/** The last two share a login. */
const ROUTES = ['fast', 'deaf', 'one', 'two'] as const;
type RouteName = (typeof ROUTES)[number];
const loginOf = (route: RouteName): string => `senders-${route === 'one' || route === 'two' ? 'shared' : route}`;

describe('the sender whom a stop word means', () => {
  let campaigns: Campaigns;
  let sandbox: OpenSandbox;
  let worker: TestingModule;

  beforeAll(async () => {
    sandbox = await openSandbox();
    campaigns = await openCampaigns({}, { route: false });
    const routes = campaigns.part(RouteDirectory);
    for (const name of ROUTES) {
      const login = { host: '127.0.0.1', port: sandbox.smppPort, system_id: loginOf(name), password: 'secret' };
      const config = { ...login, ...(name === 'deaf' && { submit_timeout_ms: 200 }) };
      const draft = { name, channel: 'sms', driver: 'smpp', config, messagesPerSecond: null } as const;
      await campaigns.dataSource.transaction((tx) => routes.put(tx, { ...draft, isDefault: name === 'fast' }));
    }
    routes.forget();
    worker = await startWorker(campaigns.environment);
  });
  afterAll(async () => {
    await worker.close();
    await campaigns.stop();
    await sandbox.stop();
  });

  const writeBack = async (from: string, text: string, route: RouteName = 'fast'): Promise<void> => {
    const response = await fetch(`${sandbox.url}/smpp/inbound`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ system_id: loginOf(route), from, text }),
    });
    if (!response.ok) throw new Error(await response.text());
  };
  const listed = async (member: Member): Promise<unknown[]> =>
    listOf(await campaigns.get('/v6/api/suppressions', member)).map(({ number }) => number);
  const send = (member: Member, to: string[], route: RouteName = 'fast') =>
    campaigns.send(member, to, { brodcast_service: route });
  const completed = (member: Member, requestId: string): Promise<unknown> =>
    vi.waitUntil(async () => {
      const { state } = dataOf(await campaigns.get(`/v6/api/campaigns/${requestId}`, member));
      return state === 'completed';
    }, PATIENCE);
  const noted = (number: string): Promise<{ account_id: number }[]> =>
    campaigns.dataSource.query('SELECT account_id FROM route_senders WHERE number = ?', [number]);

  it('is found behind more recipients than anybody could search', async () => {
    const [member, other] = [await campaigns.join(), await campaigns.join()];
    const [number = '', marker = ''] = numbers(2, '9177009');
    const mine = await send(member, [number]);
    await completed(member, mine);
    for (let later = 0; later < 3; later++) {
      await campaigns.dataSource.query(
        `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content,
           balance, unit_credits, total_rows, open_lanes, refunded_credits, created_at)
         SELECT ?, ?, ?, channel, state, '', service, route_id, content, balance, unit_credits, 4000000, 0, 0, created_at
         FROM campaigns WHERE request_id = ?`,
        [newId(), other.account.id, `behind-${later}`, mine],
      );
    }
    await completed(member, await send(member, [marker]));
    for (const from of [number, marker]) await writeBack(from, 'STOP');
    await vi.waitUntil(async () => (await listed(member)).includes(marker), PATIENCE);
    expect(await listed(member)).toEqual([number, marker]);
    expect(await listed(other)).toEqual([]);
    await campaigns.dataSource.query("DELETE FROM campaigns WHERE request_id LIKE 'behind-%'");
  });

  it('is found from before senders were noted, for as long as anybody looks back', async () => {
    const member = await campaigns.join();
    const [before = '', longBefore = '', marker = ''] = numbers(3, '9177010');
    await completed(member, await send(member, [before, longBefore, marker]));
    const forget = (number: string): Promise<unknown> =>
      campaigns.dataSource.query('DELETE FROM route_senders WHERE number = ?', [number]);
    for (const number of [before, longBefore]) await forget(number);
    // What the migration writes. It goes with the others of its age.
    await campaigns.dataSource.query(
      "INSERT INTO route_senders (route_id, number, sent_on, account_id) VALUES (0, '', UTC_DATE(), 0)",
    );
    await writeBack(before, 'STOP');
    await vi.waitUntil(async () => (await listed(member)).includes(before), PATIENCE);
    await forget('');
    for (const from of [longBefore, marker]) await writeBack(from, 'STOP');
    await vi.waitUntil(async () => (await listed(member)).includes(marker), PATIENCE);
    expect(await listed(member)).toEqual([before, marker]);
  });

  it('is found of a message without an answer of the carrier', async () => {
    const member = await campaigns.join();
    const [number = ''] = numbers(1, '9177011');
    await sandbox.faults({ stopAnswering: true });
    await send(member, [number], 'deaf');
    await vi.waitUntil(async () => (await noted(number)).length > 0, PATIENCE);
    await sandbox.faults({ stopAnswering: false });
    await writeBack(number, 'STOP', 'deaf');
    await vi.waitUntil(async () => (await listed(member)).includes(number), PATIENCE);
  });

  describe('that comes before its message is noted', () => {
    let member: Member;
    let number: string;
    let index = 0;
    const waiting = (): Promise<unknown[]> =>
      campaigns.dataSource.query('SELECT 1 FROM early_stops WHERE number = ?', [number]);

    beforeEach(async () => {
      member = await campaigns.join();
      number = String(numbers(20, '9177013')[index++]);
      await writeBack(number, 'stop');
      await vi.waitUntil(async () => (await waiting()).length === 1, PATIENCE);
      expect(await listed(member)).toEqual([]);
    });

    it('is found once it is', async () => {
      await completed(member, await send(member, [number]));
      await vi.waitUntil(async () => (await listed(member)).includes(number), PATIENCE);
      expect(await waiting()).toEqual([]);
    });

    it('is looked for no more after START', async () => {
      await writeBack(number, 'START');
      await vi.waitUntil(async () => (await waiting()).length === 0, PATIENCE);
      await completed(member, await send(member, [number]));
      await campaigns.part(EarlyStops).poll();
      expect(await listed(member)).toEqual([]);
    });

    it('is given up when no note can come any more', async () => {
      await campaigns.dataSource.query(
        'UPDATE early_stops SET said_at = said_at - INTERVAL 1 HOUR, look_at = said_at WHERE number = ?',
        [number],
      );
      await vi.waitUntil(async () => (await waiting()).length === 0, PATIENCE);
      await completed(member, await send(member, [number]));
      expect(await listed(member)).toEqual([]);
    });
  });

  describe('over one of two routes that share a login', () => {
    let member: Member;
    let other: Member;
    let numbersLeft = numbers(40, '9177014');
    let to: string[];
    /** A text over the session of this very route, as its connection hands it on. */
    const hear = async (route: RouteName, from: string, text: string): Promise<void> => {
      const { id = 0 } = (await campaigns.part(RouteDirectory).byName(route)) ?? {};
      await campaigns.part(InboundSink).accept(id, [{ from, text }]);
    };
    const sent = async (by: Member, number: string, route: RouteName): Promise<unknown> =>
      completed(by, await send(by, [number], route));

    beforeEach(async () => {
      [member, other] = [await campaigns.join(), await campaigns.join()];
      [to, numbersLeft] = [numbersLeft.slice(0, 2), numbersLeft.slice(2)];
    });

    it('is found whichever session it comes over, and START takes its word back', async () => {
      const [byOne = '', byTwo = ''] = to;
      await sent(member, byOne, 'one');
      await sent(member, byTwo, 'two');
      for (const from of to) await writeBack(from, 'STOP', 'one');
      await vi.waitUntil(async () => (await listed(member)).length === 2, PATIENCE);
      for (const from of to) await writeBack(from, 'START', 'one');
      await vi.waitUntil(async () => (await listed(member)).length === 0, PATIENCE);
      await hear('one', byTwo, 'STOP');
      expect(await listed(member)).toEqual([byTwo]);
      await hear('two', byTwo, 'START');
      expect(await listed(member)).toEqual([]);
    });

    it('is the one of the newest day, and of one day the one over the route that it came over', async () => {
      const [number = ''] = to;
      await sent(member, number, 'one');
      await sent(other, number, 'two');
      await hear('one', number, 'STOP');
      expect([await listed(member), await listed(other)]).toEqual([[number], []]);
      await hear('two', number, 'START');
      await campaigns.dataSource.query(
        `UPDATE route_senders s JOIN routes r ON r.id = s.route_id SET s.sent_on = s.sent_on - INTERVAL 1 DAY
         WHERE s.number = ? AND r.name = 'one'`,
        [number],
      );
      await hear('one', number, 'STOP');
      expect([await listed(member), await listed(other)]).toEqual([[], [number]]);
    });

    it('is found from before senders were noted', async () => {
      const [number = ''] = to;
      await sent(member, number, 'two');
      await campaigns.dataSource.query('DELETE FROM route_senders WHERE number = ?', [number]);
      await campaigns.dataSource.query(
        "INSERT INTO route_senders (route_id, number, sent_on, account_id) VALUES (0, '', UTC_DATE(), 0)",
      );
      await hear('one', number, 'STOP');
      expect(await listed(member)).toEqual([number]);
      await campaigns.dataSource.query("DELETE FROM route_senders WHERE number = ''");
    });

    it('is waited for, unless START comes over the other one', async () => {
      const [waits = '', mindChanged = ''] = to;
      for (const from of to) await hear('one', from, 'STOP');
      await hear('two', mindChanged, 'START');
      for (const from of to) await sent(member, from, 'two');
      await vi.waitUntil(async () => (await listed(member)).length > 0, PATIENCE);
      await campaigns.part(EarlyStops).poll();
      expect(await listed(member)).toEqual([waits]);
    });

    it('is asked for by the last of several words, over whichever of the two each came', async () => {
      const [stopped = '', started = ''] = to;
      for (const from of to) await sent(member, from, 'one');
      await Promise.all([
        hear('one', stopped, 'START'),
        hear('two', started, 'START'),
        hear('two', stopped, 'STOP'),
        hear('one', started, 'STOP'),
        hear('two', started, 'START'),
      ]);
      expect(await listed(member)).toEqual([stopped]);
    });

    it('are both of those who sent over one of them, where both are asked to stop at once', async () => {
      const [number = ''] = to;
      await sent(member, number, 'one');
      await sent(other, number, 'two');
      await Promise.all([hear('one', number, 'STOP'), hear('two', number, 'STOP')]);
      expect([await listed(member), await listed(other)]).toEqual([[number], [number]]);
    });

    it('is nobody who sent with another login', async () => {
      const [number = '', marker = ''] = to;
      await sent(member, number, 'fast');
      await sent(member, marker, 'fast');
      await hear('one', number, 'STOP');
      await hear('fast', marker, 'STOP');
      await hear('one', marker, 'START');
      expect(await listed(member)).toEqual([marker]);
    });
  });

  it('is found when many write senders down at once, in whatever order', async () => {
    const [senders, last] = [campaigns.part(RouteSenders), campaigns.part(NumberSenders)];
    const to = numbers(200, '9177012');
    const write = (accountId: number, order: readonly string[]): Promise<unknown> =>
      campaigns.dataSource.transaction((tx) =>
        senders.record(
          tx,
          order.flatMap((number) =>
            [accountId + 1, accountId].map((id) => ({
              lane: { routeId: 77, accountId: id, campaignId: 9 },
              ...{ seq: 1, number },
            })),
          ),
        ),
      );
    for (let round = 0; round < 10; round++) {
      await Promise.all([write(1, to), write(3, [...to].reverse()), write(5, to), write(7, [...to].reverse())]);
    }
    const found = await last.lastTo(77, to);
    expect(found.size).toBe(200);
    expect([1, 3, 5, 7]).toContain(found.get(to[0] ?? ''));
    expect(await last.lastTo(78, to)).toEqual(new Map());
  });

  it('is not asked for over a route to telephones, or one of an account', async () => {
    const drivers = campaigns.part(DriverRegistry);
    const texts = DRIVER_NAMES.map((name) => [name, drivers.get(name).bringsTexts]);
    expect(Object.fromEntries(texts)).toEqual({ smpp: true, http: true, twilio: false });
    expect(drivers.get('meta_cloud').bringsTexts).toBe(false);
    expect(await campaigns.part(RouteSenders).receivesTexts(999_999)).toBe(false);
  });
});
