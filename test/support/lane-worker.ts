import { DataSource } from 'typeorm';
import { AccountDirectory } from '../../src/modules/accounts/index.js';
import { Channels, StopList } from '../../src/modules/engine/index.js';
import { Governor } from '../../src/modules/engine/dispatch/capacity.js';
import { pendingOf } from '../../src/modules/engine/state/lane-claims.js';
import type { LaneFailover } from '../../src/modules/engine/dispatch/route-down.js';
import { LaneRunner } from '../../src/modules/engine/dispatch/lane-runner.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import type { LaneKey, LaneSnapshot } from '../../src/modules/engine/lanes.js';
import type { SlotOwners } from '../../src/modules/engine/dispatch/job-routing.js';
import { RoutePace } from '../../src/modules/engine/dispatch/pacing.js';
import { UrgentBound } from '../../src/modules/engine/dispatch/urgent-bound.js';
import { SubmitLogs } from '../../src/modules/engine/dispatch/submit-log.js';
import { BatchClaims } from '../../src/modules/engine/dispatch/batch-claims.js';
import { CarrierChoice } from '../../src/modules/engine/dispatch/carrier-choice.js';
import { BatchRunner } from '../../src/modules/engine/dispatch/batch-runner.js';
import { BatchObserver } from '../../src/modules/engine/dispatch/metrics.js';
import type { DueRecipient } from '../../src/modules/engine/attempts.js';
import { Cancellations } from '../../src/modules/engine/settle/cancellations.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import {
  DriverRegistry,
  type OutboundMessage,
  type RouteConnection,
  type RouteConnections,
  RouteDirectory,
  type SendOutcome,
} from '../../src/modules/providers/index.js';
import { ENVIRONMENT, type Environment } from '../../src/platform/config/index.js';
import { RedisLink } from '../../src/platform/redis/index.js';
import { Sealer } from '../../src/platform/security/index.js';
import { Metrics } from '../../src/platform/observability/index.js';
import type { Engine } from './engine.js';

/** The parts of a worker that a test brings itself; all others are the engine's own. */
export interface WorkerParts {
  lanes?: LaneStore;
  results?: BatchResults;
  cancellations?: Cancellations;
  environment?: Partial<Environment>;
  route?: { channel?: string; messagesPerSecond?: number | null };
  routeIsThere?: (routeId: number) => boolean;
  deduplicates?: () => boolean;
  /** `sms` says hello unless the channels are the real ones */
  channels?: 'hello' | 'real';
  attachments?: () => string[];
  /** the carrier: all of its connection, or how it takes a message */
  connection?: (routeId: number) => Pick<RouteConnection, 'ready' | 'onTrial' | 'fault' | 'send'>;
  send?: (message: OutboundMessage) => Promise<SendOutcome>;
  /** absent = no route takes over from another */
  failover?: LaneFailover;
  /** absent = none are kept */
  logs?: SubmitLogs;
}

const NO_FAILOVER = {
  targets: () => Promise.resolve([]),
  othersOf: () => Promise.resolve(() => []),
  relieve: (lanes: readonly LaneSnapshot[]) => Promise.resolve(lanes),
} as unknown as LaneFailover;

/** A worker that runs the jobs of chosen lanes. */
export class LaneWorker {
  constructor(
    private readonly lanes: LaneStore,
    private readonly runner: LaneRunner,
  ) {}

  /** One turn of these lanes together. @returns whether one of them wants another at once */
  async run(...keys: LaneKey[]): Promise<boolean> {
    return (await this.runner.run(await this.lanes.snapshots(keys))).more;
  }

  /** As `run`. @param onClaimed is told which lanes the window holds */
  async runTelling(keys: readonly LaneKey[], onClaimed: (held: readonly LaneSnapshot[]) => void): Promise<boolean> {
    return (await this.runner.run(await this.lanes.snapshots(keys), onClaimed)).more;
  }

  stop(): void {
    this.runner.stop();
  }
}

/** A worker's lane runner over route 1 of an engine, with a carrier of the test's own. */
export function laneWorker(engine: Engine, parts: WorkerParts): LaneWorker {
  const { attachments = () => [], routeIsThere = () => true, deduplicates = () => false } = parts;
  const route = {
    id: 1,
    name: 'r',
    channel: 'sms',
    driver: 'fake',
    config: {},
    messagesPerSecond: null,
    ...parts.route,
  };
  const hello = { get: () => ({ name: 'sms', compose: () => ({ text: 'hello', attachments: attachments() }) }) };
  const connection = parts.connection ?? (() => ({ ready: true, send: parts.send }));
  const environment = { ...engine.module.get<Environment>(ENVIRONMENT, { strict: false }), ...parts.environment };
  const lanes = parts.lanes ?? engine.part(LaneStore);
  const states = engine.part(CampaignStates);
  const results = parts.results ?? engine.part(BatchResults);
  const dataSource = engine.part(DataSource);
  const owners = { publish: () => undefined } as unknown as SlotOwners;
  const urgent = new UrgentBound(environment, engine.part(RedisLink), new Metrics());
  const governor = new Governor(environment, new RoutePace(dataSource), owners, urgent);
  const stopList = engine.part(StopList);
  const runner = new LaneRunner(
    environment,
    lanes,
    states,
    results,
    parts.cancellations ?? engine.part(Cancellations),
    new BatchRunner(
      environment,
      lanes,
      new BatchClaims(environment, dataSource, lanes, engine.part(RouteDirectory), engine.part(DriverRegistry)),
      results,
      governor,
      stopList,
      parts.logs ?? new SubmitLogs(environment),
      engine.part(BatchObserver),
    ),
    new CarrierChoice(
      parts.channels === 'real' ? engine.part(Channels) : (hello as unknown as Channels),
      {
        byId: (id: number) => Promise.resolve(routeIsThere(id) ? { ...route, id } : null),
        exists: (id: number) => Promise.resolve(routeIsThere(id)),
      } as unknown as RouteDirectory,
      { get: () => ({ deduplicates }) } as unknown as DriverRegistry,
      { get: (id: number) => Promise.resolve(connection(id)) } as unknown as RouteConnections,
      parts.failover ?? NO_FAILOVER,
      governor,
      engine.part(Sealer),
    ),
    engine.part(AccountDirectory),
  );
  return new LaneWorker(lanes, runner);
}

/** A campaign's first lane. */
export const firstLane = (campaignId: number): LaneKey => ({ campaignId, lane: 0 });

/** A lane as a route job reads it. @throws while a worker holds it, and when it is done */
export async function snapshotOf(lanes: LaneStore, campaignId: number, lane = 0): Promise<LaneSnapshot> {
  const [snapshot] = await lanes.snapshots([{ campaignId, lane }]);
  if (!snapshot) throw new Error('the lane is taken');
  return snapshot;
}

/** Claims a lane up to a position, without a word on its recipients. @returns whether no other worker was faster */
export async function claimUpTo(
  lanes: LaneStore,
  lane: LaneSnapshot,
  intentSeq: number,
  leaseMs = 5_000,
): Promise<boolean> {
  return (await lanes.claim([{ lane, intentSeq, recipients: [] }], leaseMs)).length === 1;
}

/** Campaigns of which a lane is due now. */
export async function dueNow(dataSource: DataSource): Promise<Set<number>> {
  const rows = await dataSource.query<{ id: number }[]>(
    'SELECT campaign_id AS id FROM campaign_lanes WHERE wake_at <= UTC_TIMESTAMP(3)',
  );
  return new Set(rows.map(({ id }) => id));
}

/** Claims a lane's retries that are due. @returns them, or null when another worker was faster */
export async function claimRetries(
  lanes: LaneStore,
  lane: LaneSnapshot,
  deduplicated = false,
): Promise<readonly DueRecipient[] | null> {
  const claim = { lane: lane, intentSeq: lane.nextSeq, recipients: [] };
  const [held] = await lanes.claim([claim], 5_000, { mostRetries: 100, deduplicated });
  return held?.recipients ?? null;
}

/** Recipients of a part of a lane that nothing has left to. */
export const pending = (
  dataSource: DataSource,
  lane: LaneSnapshot,
  from: number,
  end: number,
): Promise<DueRecipient[]> => pendingOf(dataSource, [{ lane, from, end }]);
