import { mkdtempSync, openSync, readdirSync, rmSync, utimesSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { newClaimId } from '../../src/modules/engine/state/lane-claims.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { heldFence, type LaneSnapshot } from '../../src/modules/engine/lanes.js';
import { LostSubmitLogs, SubmitLogs } from '../../src/modules/engine/dispatch/submit-log.js';
import { LOG_SUFFIX, submitLogDirectory } from '../../src/modules/engine/dispatch/submit-log-file.js';
import { LostClaims } from '../../src/modules/engine/settle/lost-claims.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import type { SendOutcome } from '../../src/modules/providers/index.js';
import { ENVIRONMENT, type Environment } from '../../src/platform/config/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { firstLane, type LaneWorker, laneWorker, snapshotOf } from '../support/lane-worker.js';

const PATIENCE = { timeout: 60_000, interval: 10 };
/** It dies with its worker. */
const NEVER = new Promise<never>(() => undefined);

describe('the submit log of a killed worker', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let lanes: LaneStore;
  let owner: string;
  let environment: Environment;
  let logs: SubmitLogs;
  let reader: LostSubmitLogs;
  /** what the carrier has, in order */
  let seen: string[];

  beforeAll(async () => {
    engine = await startEngine();
    dataSource = engine.part(DataSource);
    lanes = engine.part(LaneStore);
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    owner = mkdtempSync(join(tmpdir(), 'lost-'));
    environment = { ...engine.module.get<Environment>(ENVIRONMENT, { strict: false }), DATA_DIR: owner };
    logs = new SubmitLogs(environment);
    await logs.onModuleInit();
    reader = new LostSubmitLogs(environment, engine.part(LostClaims));
    seen = [];
  });
  afterEach(async () => {
    await logs.onApplicationShutdown();
    rmSync(owner, { recursive: true });
  });

  const files = (): string[] =>
    readdirSync(submitLogDirectory(owner, environment.DATABASE_URL)).filter((file) => file.endsWith(LOG_SUFFIX));
  const pathOf = (file: string): string => join(submitLogDirectory(owner, environment.DATABASE_URL), file);
  const accept = async (
    username: string,
    count: number,
  ): Promise<{ id: number; requestId: string; account: number }> => {
    const account = await engine.account(username, count);
    const draft = engine.draft(account, numbers(count));
    const { id, requestId } = await engine.module.get(CampaignAcceptance, { strict: false }).accept(draft);
    return { id, requestId, account };
  };
  /** The same object, but these methods break, as those of a dead process do nothing any more. */
  const without = <T extends object>(whole: T, ...methods: (keyof T)[]): T =>
    Object.assign(
      Object.create(whole) as T,
      Object.fromEntries(methods.map((method) => [method, () => Promise.reject(new Error('dead'))])),
    );
  /** Sends to so many, whose answers never come, and then dies. */
  const dieAfter = async (campaignId: number, count: number): Promise<void> => {
    const worker = laneWorker(engine, {
      logs,
      lanes: without(lanes, 'renew'),
      results: without(engine.part(BatchResults), 'flush'),
      send: (message): Promise<SendOutcome> => {
        if (seen.length < count) {
          message.leaving?.();
          seen.push(message.to);
        }
        return NEVER;
      },
    });
    void worker.run(firstLane(campaignId));
    await vi.waitUntil(() => seen.length === count, PATIENCE);
    await logs.onApplicationShutdown();
  };
  const leaseEnds = (campaignId: number): Promise<unknown> =>
    dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [campaignId]);
  const survivor = (deduplicates = false): LaneWorker =>
    laneWorker(engine, {
      deduplicates: () => deduplicates,
      send: (message) => {
        seen.push(message.to);
        return Promise.resolve({ kind: 'accepted', providerMessageIds: [`id-${message.ref}`] });
      },
    });
  const recover = async (campaignId: number, worker = survivor()): Promise<void> => {
    await leaseEnds(campaignId);
    await worker.run(firstLane(campaignId));
  };
  const drive = async (campaignId: number, worker = survivor()): Promise<void> => {
    for (let turns = 0; turns < 40 && (await worker.run(firstLane(campaignId))); turns++);
  };
  const unknown = async (requestId: string): Promise<number> => (await engine.counts(requestId))['Unknown'] ?? 0;
  /** A claim as a worker makes it, with its submit log. */
  const claim = async (lane: LaneSnapshot, isMade = true): Promise<ReturnType<SubmitLogs['begin']>> => {
    const id = newClaimId();
    const log = logs.begin(id, [{ ...lane, fence: heldFence(lane) }]);
    if (isMade) await lanes.claim([{ lane, intentSeq: lane.endSeq, recipients: [] }], 5_000, { id });
    return log;
  };

  it('give a new try to all that never left, once each, and leave the others in doubt', async () => {
    const { id, requestId, account } = await accept('log-window', 100);
    await dieAfter(id, 30);
    await reader.poll();
    expect([await engine.counts(requestId), files().length]).toEqual([{ Pending: 100 }, 1]);
    await recover(id);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 100 });
    await Promise.all([reader.poll(), reader.poll()]);
    const inDoubt = await unknown(requestId);
    expect(inDoubt).toBe(30);
    expect(files()).toEqual([]);
    await reader.poll();
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Unknown: inDoubt, Submitted: 100 - inDoubt });
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBe(130 - inDoubt);
    expect(await engine.available(account)).toEqual({ stored: 0, ledger: 0 });
    const [marked] = await dataSource.query<{ n: string }[]>(
      'SELECT COUNT(*) AS n FROM campaign_recipients WHERE campaign_id = ? AND outcome_unknown = 1',
      [id],
    );
    expect(Number(marked?.n)).toBe(inDoubt);
  });

  it('name messages of one recipient as they do a campaign', async () => {
    const singles = await Promise.all(Array.from({ length: 12 }, (_, index) => accept(`log-single-${index}`, 1)));
    const worker = laneWorker(engine, {
      logs,
      lanes: without(lanes, 'renew'),
      results: without(engine.part(BatchResults), 'flush'),
      send: (message): Promise<SendOutcome> => {
        if (seen.length < 2) {
          message.leaving?.();
          seen.push(message.to);
        }
        return NEVER;
      },
    });
    const keys = singles.map(({ id }) => firstLane(id));
    void worker.run(...keys);
    await vi.waitUntil(() => seen.length === 2, PATIENCE);
    await logs.onApplicationShutdown();
    for (const { id } of singles) await leaseEnds(id);
    await survivor().run(...keys);
    await reader.poll();
    const counts = await Promise.all(singles.map(({ requestId }) => engine.counts(requestId)));
    expect(counts.filter((count) => count['Unknown'] === 1).length).toBe(2);
    expect(counts.filter((count) => count['Pending'] === 1).length).toBe(10);
    await survivor().run(...keys);
    expect(seen).toHaveLength(12);
  });

  it('are not believed while the worker lives, however long it is frozen', async () => {
    const { id, requestId } = await accept('log-frozen', 10);
    await claim(await snapshotOf(lanes, id));
    await recover(id);
    await reader.poll();
    expect([await unknown(requestId), files().length]).toEqual([10, 1]);
  });

  it('are not believed after another start of the machine, and go in time', async () => {
    const { id, requestId } = await accept('log-boot', 10);
    await claim(await snapshotOf(lanes, id));
    await logs.onApplicationShutdown();
    const [file = ''] = files();
    writeSync(openSync(pathOf(file), 'r+'), '00000000-0000-0000-0000-000000000000', 8);
    await recover(id);
    await reader.poll();
    expect([await unknown(requestId), files().length]).toEqual([10, 1]);
    utimesSync(pathOf(file), 0, 0);
    await reader.poll();
    expect([await unknown(requestId), files().length]).toEqual([10, 0]);
  });

  it('know a claim that was made before its first message', async () => {
    const { id, requestId } = await accept('log-claim', 10);
    await claim(await snapshotOf(lanes, id));
    await logs.onApplicationShutdown();
    await recover(id);
    await reader.poll();
    expect(await engine.counts(requestId)).toEqual({ Pending: 10 });
  });

  it('say nothing of a claim that another worker made', async () => {
    const { id, requestId } = await accept('log-rival', 10);
    const lane = await snapshotOf(lanes, id);
    await claim(lane, false);
    await lanes.claim([{ lane, intentSeq: lane.endSeq, recipients: [] }], 5_000, { id: newClaimId() });
    await logs.onApplicationShutdown();
    await recover(id);
    await reader.poll();
    expect([await unknown(requestId), files().length]).toEqual([10, 0]);
  });

  it('wait for a claim that may be on its way still', async () => {
    const { id, requestId } = await accept('log-on-its-way', 10);
    await claim(await snapshotOf(lanes, id), false);
    await logs.onApplicationShutdown();
    await reader.poll();
    const [file = ''] = files();
    expect(file).not.toBe('');
    const old = new Date(Date.now() - 3_600_000);
    utimesSync(pathOf(file), old, old);
    await reader.poll();
    expect([await engine.counts(requestId), files()]).toEqual([{ Pending: 10 }, []]);
  });

  it('outlive a worker that dies while it recovers the window', async () => {
    const { id, requestId } = await accept('log-twice', 10);
    const lane = await snapshotOf(lanes, id);
    const log = await claim(lane);
    log.begin([{ lane, seq: 1 }]);
    log.leaving(0);
    await logs.onApplicationShutdown();
    const dying = laneWorker(engine, {
      results: Object.assign(
        new BatchResults(
          ...([
            dataSource,
            ...(['settlement', 'lanes', 'retries', 'refused', 'channels', 'senders', 'spend'] as const).map((part) =>
              part === 'lanes'
                ? without(lanes, 'finish')
                : (engine.part(BatchResults) as unknown as Record<string, unknown>)[part],
            ),
          ] as unknown as ConstructorParameters<typeof BatchResults>),
        ),
      ),
    });
    await leaseEnds(id);
    await expect(dying.run(firstLane(id))).rejects.toThrow('dead');
    await reader.poll();
    expect([await engine.counts(requestId), files().length]).toEqual([{ Pending: 10 }, 1]);
    await recover(id);
    await reader.poll();
    expect(await engine.counts(requestId)).toEqual({ Unknown: 1, Pending: 9 });
  });

  it('are not asked where the route drops a second copy: all are sent again', async () => {
    const { id, requestId } = await accept('log-deduplicated', 20);
    await dieAfter(id, 5);
    const worker = survivor(true);
    await recover(id, worker);
    await reader.poll();
    expect([await unknown(requestId), files()]).toEqual([20, []]);
    await drive(id, worker);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 20 });
    expect(seen).toHaveLength(25);
  });
});
