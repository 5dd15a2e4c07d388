import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { type CallCampaign, CallEngine } from '../support/call-engine.js';
import { numbers } from '../support/client.js';

const USUAL_MS = 72 * 3_600_000;
/** Ringing, twice the longest leg, and a minute. */
const ASKS_AFTER_S = 5 + 2 * 600 + 60;

/** A telephone network whose callbacks are lost, and an unofficial gateway that reports nothing. */
describe('a receipt that never comes', () => {
  let calls: CallEngine;
  let network: Server;
  const asked: string[] = [];
  const resources = new Map<string, Record<string, unknown>>();
  /** Answers of the network other than the resource of a call. */
  const faults = new Map<string, { status: number; body: string }>();

  const put = async (name: string, channel: 'voice' | 'unofficial', driver: string, config: object): Promise<void> => {
    const routes = calls.get(RouteDirectory);
    const draft = { name, channel, driver, config: config as never, messagesPerSecond: null, isDefault: true };
    await calls.dataSource.transaction((tx) => routes.put(tx, draft));
    routes.forget();
  };
  const silentFor = (campaign: CallCampaign, seconds: number): Promise<unknown> =>
    calls.dataSource.query(
      'UPDATE campaign_recipients SET updated_at = UTC_TIMESTAMP(3) - INTERVAL ? SECOND WHERE campaign_id = ? AND status = 1',
      [seconds, campaign.id],
    );
  const checkedIn = async ({ id }: { id: number }): Promise<number> => {
    const [row] = await calls.dataSource.query<{ seconds: number }[]>(
      'SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(3), overdue_check_at) AS seconds FROM campaigns WHERE id = ?',
      [id],
    );
    return Number(row?.seconds);
  };

  beforeAll(async () => {
    calls = await CallEngine.start();
    network = createServer((request, response) => {
      const [, sid = ''] = /^\/2010-04-01\/Accounts\/AC7\/Calls\/(.+)\.json$/.exec(request.url ?? '') ?? [];
      asked.push(`${String(request.method)} ${sid}`);
      const fault = faults.get(sid);
      if (fault) return void response.writeHead(fault.status, { 'retry-after': '1' }).end(fault.body);
      const resource = resources.get(sid);
      response.writeHead(resource ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(resource ?? { code: 20404 }));
    });
    await new Promise<void>((resolve) => network.listen(0, '127.0.0.1', resolve));
    const { port } = network.address() as AddressInfo;
    const login = { account_sid: 'AC7', auth_token: 'secret', base_url: `http://127.0.0.1:${port}` };
    await put('phone', 'voice', 'twilio', { ...login, ring_seconds: 5 });
    await put('gate', 'unofficial', 'http', { url: 'http://127.0.0.1:9/', body: {}, receipt_timeout_s: 120 });
  });
  afterAll(async () => {
    await calls.engine.stop();
    network.close();
  });

  it('of a call is asked for once the call must be over, and counts as its callback', async () => {
    const campaign = await calls.accept('lost-words', 4, 0);
    await calls.drive(campaign);
    expect(await checkedIn(campaign)).toBeGreaterThan(ASKS_AFTER_S - 30);
    expect(await checkedIn(campaign)).toBeLessThanOrEqual(ASKS_AFTER_S);
    await silentFor(campaign, ASKS_AFTER_S - 30);
    await calls.overdue.sweep([campaign.id], USUAL_MS);
    expect(asked).toEqual([]);

    const ids = await Promise.all([1, 2, 3, 4].map((seq) => calls.callTo(campaign, seq)));
    const ends = [
      { status: 'completed', duration: '17' },
      { status: 'busy', duration: null },
      { status: 'in-progress', duration: null },
    ];
    ends.forEach((end, index) => resources.set(String(ids[index]), { sid: ids[index], to: '+919812345678', ...end }));
    await silentFor(campaign, ASKS_AFTER_S + 1);
    await calls.overdue.sweep([campaign.id], USUAL_MS);
    expect(asked.sort()).toEqual(ids.map((id) => `GET ${id}`).sort());
    expect(await calls.counts(campaign)).toEqual({ Answered: 1, Busy: 1, Submitted: 2 });
    expect(await calls.recipient(campaign, 1)).toMatchObject({ status: 'Answered', duration: 17 });

    // two are asked for again later, until the deadline of all receipts
    expect(await checkedIn(campaign)).toBeGreaterThan(60);
    expect(await checkedIn(campaign)).toBeLessThanOrEqual(600);
    await silentFor(campaign, USUAL_MS / 1_000 + 1);
    await calls.overdue.sweep([campaign.id], USUAL_MS);
    expect(asked).toHaveLength(4);
    expect(await calls.counts(campaign)).toEqual({ Answered: 1, Busy: 1, Failed: 2 });
  });

  it('is asked for again where the network does not say, and a callback after the question changes nothing', async () => {
    asked.length = 0;
    const campaign = await calls.accept('unsaid-words', 8, 0);
    await calls.drive(campaign);
    const ids = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((seq) => calls.callTo(campaign, seq)));
    const idOf = (seq: number): string => ids[seq - 1] ?? '';
    const over = (seq: number, more: object = {}): void =>
      void resources.set(idOf(seq), {
        sid: idOf(seq),
        to: '+919812345678',
        status: 'completed',
        duration: '9',
        ...more,
      });
    faults.set(idOf(1), { status: 429, body: '{"code":20429}' });
    faults.set(idOf(2), { status: 503, body: 'upstream connect error' });
    faults.set(idOf(3), { status: 200, body: '<html>login</html>' });
    faults.set(idOf(4), { status: 401, body: '{"code":20003}' });
    over(5, { sid: 'CAof-another-call' });
    over(6, { status: 'a-new-word' });
    over(7, { status: 'canceled', duration: null });
    over(8);
    await silentFor(campaign, ASKS_AFTER_S + 1);
    await calls.overdue.sweep([campaign.id], USUAL_MS);
    expect(asked).toHaveLength(8);
    expect(await calls.counts(campaign)).toEqual({ Submitted: 6, Failed: 1, Answered: 1 });
    await calls.report(campaign, 8, 'answered', { durationSeconds: 30 });
    await calls.report(campaign, 8, 'busy');
    expect(await calls.recipient(campaign, 8)).toMatchObject({ status: 'Answered', duration: 9, attempts: 1 });
    // a callback that comes before the next question is the last word too
    await calls.report(campaign, 1, 'no_answer');
    faults.clear();
    for (const seq of [2, 3, 4, 5, 6]) over(seq);
    await calls.dataSource.query('UPDATE campaigns SET overdue_check_at = UTC_TIMESTAMP(3) WHERE id = ?', [
      campaign.id,
    ]);
    await silentFor(campaign, ASKS_AFTER_S + 700);
    await calls.overdue.sweep([campaign.id], USUAL_MS);
    expect(asked).toHaveLength(13);
    expect(await calls.counts(campaign)).toEqual({ Answered: 6, NoAnswer: 1, Failed: 1 });
    expect(await calls.engine.available(campaign.accountId)).toEqual({ stored: 0, ledger: 0 });
    asked.length = 0;
  });

  it('is waited for as long as the route says', async () => {
    const accountId = await calls.engine.account('gate', 10);
    const [route] = await calls.dataSource.query<{ id: number }[]>("SELECT id FROM routes WHERE name = 'gate'");
    const draft = calls.engine.draft(accountId, numbers(2), { channel: 'unofficial', routeId: Number(route?.id) });
    const { id, requestId } = await calls.get(CampaignAcceptance).accept(draft);
    const campaign = { id, requestId, accountId };
    await calls.states.begin(calls.dataSource.manager, [id], USUAL_MS);
    await calls.dataSource.query('UPDATE campaign_recipients SET status = 1 WHERE campaign_id = ?', [id]);
    await calls.dataSource.query('UPDATE campaign_counters SET status = 1 WHERE campaign_id = ?', [id]);
    await silentFor(campaign, 110);
    await calls.overdue.sweep([id], USUAL_MS);
    expect(await calls.counts(campaign)).toEqual({ Submitted: 2 });
    expect(await checkedIn(campaign)).toBeLessThanOrEqual(30);
    await silentFor(campaign, 121);
    await calls.overdue.sweep([id], USUAL_MS);
    expect(await calls.counts(campaign)).toEqual({ Failed: 2 });
    expect(asked).toEqual([]);
  });

  it('is waited for as long as the route says over which the message left, though its campaign began over another', async () => {
    await put('patient', 'unofficial', 'http', { url: 'http://127.0.0.1:9/', body: {}, receipt_timeout_s: 7_200 });
    const accountId = await calls.engine.account('patient', 10);
    const routes = await calls.dataSource.query<{ id: number }[]>(
      "SELECT id FROM routes WHERE name IN ('gate', 'patient') ORDER BY name",
    );
    const [gate = 0, patient = 0] = routes.map(({ id }) => Number(id));
    const draft = calls.engine.draft(accountId, numbers(4), { channel: 'unofficial', routeId: patient });
    const { id, requestId } = await calls.get(CampaignAcceptance).accept(draft);
    const campaign = { id, requestId, accountId };
    await calls.states.begin(calls.dataSource.manager, [id], USUAL_MS);
    await calls.dataSource.query('UPDATE campaign_recipients SET status = 1 WHERE campaign_id = ?', [id]);
    await calls.dataSource.query('UPDATE campaign_counters SET status = 1 WHERE campaign_id = ?', [id]);
    await calls.dataSource.query('UPDATE campaign_lanes SET route_id = ? WHERE campaign_id = ?', [gate, id]);
    // the first left over the patient route, the second over both, the third over the gate; of the last nothing is recorded
    for (const [seq, item, routeId] of [
      [1, 0, patient],
      [2, 0, patient],
      [2, 1, gate],
      [3, 0, gate],
    ])
      await calls.dataSource.query(
        `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status)
         VALUES (?, ?, ?, ?, ?, 1, 1)`,
        [id, seq, item, routeId, `gate-${String(id)}-${String(seq)}-${String(item)}`],
      );
    await silentFor(campaign, 121);
    await calls.overdue.sweep([id], USUAL_MS);
    const statuses = await Promise.all([1, 2, 3, 4].map((seq) => calls.recipient(campaign, seq)));
    expect(statuses.map((recipient) => recipient?.['status'])).toEqual(['Submitted', 'Failed', 'Failed', 'Submitted']);
    expect(await checkedIn(campaign)).toBeLessThanOrEqual(120);
    await silentFor(campaign, 7_201);
    await calls.overdue.sweep([id], USUAL_MS);
    expect(await calls.counts(campaign)).toEqual({ Failed: 4 });
  });
});
