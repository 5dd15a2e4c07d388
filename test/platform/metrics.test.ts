import type { TestingModule } from '@nestjs/testing';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StateMetrics } from '../../src/modules/alarms/state-metrics.js';
import { BatchObserver } from '../../src/modules/engine/dispatch/metrics.js';
import type { BatchResult } from '../../src/modules/engine/settle/recipient-change.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { Metrics } from '../../src/platform/observability/index.js';
import { openWebhooks, type Webhooks } from '../support/webhooks.js';

interface Described {
  type: string;
  labels: string[];
  processes: string;
}

/** What Prometheus is told (docs/operate/metrics.md). */
describe('metrics', () => {
  let house: Webhooks;
  let worker: TestingModule;

  beforeAll(async () => {
    house = await openWebhooks();
    worker = await house.worker({ ALARM_INTERVAL: 0 });
  });
  afterAll(() => house.stop());

  const documented = async (): Promise<Map<string, Described>> => {
    const text = await readFile('docs/operate/metrics.md', 'utf8');
    const rows = text.matchAll(/^\| `(\w+)`\s+\| (\w+)\s+\| ([\w, ]*?)\s+\| .*\| ([\w, ]+?)\s+\|$/gm);
    return new Map(
      [...rows].map(([, name = '', type = '', labels = '', processes = '']) => [
        name,
        { type, labels: labels.split(',').flatMap((label) => label.trim() || []), processes },
      ]),
    );
  };
  /** Those of a process, without those of Node. */
  const told = (metrics: Metrics): Map<string, { type: string; labels: string[] }> =>
    new Map(
      metrics.registry
        .getMetricsAsArray()
        .map((metric) => metric as unknown as { name: string; type: string; labelNames: string[] })
        .filter(({ name }) => !/^(nodejs|process)_/.test(name))
        .map(({ name, type, labelNames }) => [name, { type, labels: [...labelNames] }]),
    );

  it('stand in one table with their types, labels and processes, each of them and no other', async () => {
    const table = await documented();
    const [api, work] = [told(house.part(Metrics)), told(worker.get(Metrics, { strict: false }))];
    expect([...new Set([...api.keys(), ...work.keys()])].sort()).toEqual([...table.keys()].sort());
    for (const [name, { type, labels, processes }] of table) {
      expect([name, work.get(name) ?? api.get(name)]).toEqual([name, { type, labels }]);
      expect([name, work.has(name), api.has(name)]).toEqual([name, processes !== 'api', processes.startsWith('api')]);
    }
  });

  it('have their unit in their names, and no label without a bound', async () => {
    const bounded = new Set(
      'route channel outcome code errno reason state severity kind paced method status host directory'.split(' '),
    );
    for (const [name, { type, labels }] of await documented()) {
      if (type === 'counter') expect(name).toMatch(/_total$/);
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(labels.filter((label) => !bounded.has(label))).toEqual([]);
    }
  });

  it('say how routes stand and what is due, by one process for all', async () => {
    const owner = await house.join(10);
    const requestId = await house.send(owner, ['919812345678']);
    await house.dataSource.query(
      'UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3) - INTERVAL 90 SECOND WHERE campaign_id = ?',
      [await house.idOf(requestId)],
    );
    await worker.get(StateMetrics, { strict: false }).measure();
    const text = await worker.get(Metrics, { strict: false }).registry.metrics();
    expect(text).toContain('switchboard_route_state{route="main",channel="sms",state="unknown"} 1');
    expect(text).toContain('switchboard_due_lanes{route="main",channel="sms"} 1');
    expect(text).toMatch(/switchboard_oldest_due_seconds\{route="main",channel="sms"\} 9\d/);
    expect(text).toContain('switchboard_webhook_backlog_deliveries 0');
  });

  it('keep the codes that carriers make up within bounds', async () => {
    const metrics = new Metrics();
    const observer = new BatchObserver({} as never, house.dataSource, {} as never, metrics);
    const carrier = { route: { id: 1, name: 'main' }, channel: { name: 'sms' } };
    const rejected = (code: number) => ({ outcome: { kind: 'rejected', code, text: 'no', submitted: true } });
    const results = Array.from({ length: 5_000 }, (_, code) => rejected(code)) as unknown as BatchResult[];
    observer.count(carrier, results);
    observer.count(carrier, [{ outcome: { kind: 'accepted', providerMessageIds: ['a'] } }] as unknown as BatchResult[]);
    const { values = [] } = (await metrics.registry.getSingleMetric('switchboard_send_outcomes_total')?.get()) ?? {};
    expect(values).toHaveLength(62);
    expect(values.reduce((sum, { value }) => sum + value, 0)).toBe(5_001);
  });

  it('count transactions that are run again by the number of the fault', async () => {
    let runs = 0;
    await inTransaction(house.dataSource, async (tx) => {
      runs += 1;
      if (runs === 1) await tx.query("SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'Deadlock found'");
    });
    expect(runs).toBe(2);
    const text = await house.part(Metrics).registry.metrics();
    expect(text).toMatch(/database_transaction_retries_total\{errno="1213"\} [1-9]/);
  });
});
