import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignAcceptance, Channels } from '../../src/modules/engine/index.js';
import { DueLanesMonitor } from '../../src/modules/engine/dispatch/metrics.js';
import type { RouteDirectory } from '../../src/modules/providers/index.js';
import type { LeaderGate } from '../../src/platform/periodic/index.js';
import { Metrics } from '../../src/platform/observability/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import type { CampaignDraft } from '../../src/modules/engine/accept/draft.js';

const NAME = 'switchboard_oldest_due_lane_seconds';

/** What autoscaling goes by. */
describe('the age of what is due', () => {
  let engine: Engine;
  let accountId: number;
  let isMine = true;
  let metrics: Metrics;
  let monitor: DueLanesMonitor;

  beforeAll(async () => {
    engine = await startEngine();
    accountId = await engine.account('waiting', 100);
    metrics = new Metrics();
    const routes = { byId: (id: number) => Promise.resolve({ messagesPerSecond: id === 2 ? 10 : null }) };
    const gate = { isMine: () => Promise.resolve(isMine) };
    monitor = new DueLanesMonitor(
      engine.part(DataSource),
      engine.module.get(Channels, { strict: false }),
      routes as unknown as RouteDirectory,
      gate as unknown as LeaderGate,
      metrics,
    );
  });
  afterAll(() => engine.stop());

  const wait = async (seconds: number, fields: Partial<CampaignDraft> = {}): Promise<number> => {
    const draft = engine.draft(accountId, numbers(2), fields);
    const { id } = await engine.module.get(CampaignAcceptance, { strict: false }).accept(draft);
    await engine
      .part(DataSource)
      .query('UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3) - INTERVAL ? SECOND WHERE campaign_id = ?', [
        seconds,
        id,
      ]);
    return id;
  };
  const look = async (): Promise<Record<string, number>> => {
    await monitor.poll();
    const found = (await metrics.registry.getSingleMetric(NAME)?.get())?.values ?? [];
    return Object.fromEntries(found.map(({ labels, value }) => [`${labels['channel']} ${labels['paced']}`, value]));
  };

  it('is nothing while nothing is due', async () => {
    await wait(-3_600);
    expect(await look()).toEqual({ 'all no': 0 });
  });

  it('is that of the oldest lane, apart for routes with a pace, and without those that let nothing through', async () => {
    await wait(40);
    await wait(20);
    await wait(300, { routeId: 2 });
    const down = await wait(5_000, { routeId: 3 });
    const sql = 'UPDATE campaign_lanes SET stalled_since = UTC_TIMESTAMP(3) WHERE campaign_id = ?';
    await engine.part(DataSource).query(sql, [down]);
    const found = await look();
    expect(Object.keys(found).sort()).toEqual(['sms no', 'sms yes']);
    expect(found['sms no']).toBeGreaterThanOrEqual(40);
    expect(found['sms no']).toBeLessThan(300);
    expect(found['sms yes']).toBeGreaterThanOrEqual(300);
    expect(found['sms yes']).toBeLessThan(5_000);
  });

  it('is told by one process of all', async () => {
    isMine = false;
    expect(await look()).toEqual({});
  });
});
