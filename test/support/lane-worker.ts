import { DataSource } from 'typeorm';
import { AccountDirectory } from '../../src/modules/accounts/index.js';
import { type Channels, StopList } from '../../src/modules/engine/index.js';
import { LaneRunner } from '../../src/modules/engine/dispatch/lane-runner.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import type { LaneStore } from '../../src/modules/engine/dispatch/lane-store.js';
import { RoutePace } from '../../src/modules/engine/dispatch/route-pace.js';
import type { WindowResults } from '../../src/modules/engine/settle/window-results.js';
import type {
  DriverRegistry,
  OutboundMessage,
  RouteConnections,
  RouteDirectory,
  SendOutcome,
} from '../../src/modules/providers/index.js';
import { ENVIRONMENT, type Environment } from '../../src/platform/config/index.js';
import { Metrics } from '../../src/platform/observability/index.js';
import type { LaneJob } from '../../src/platform/queues/index.js';
import type { Engine } from './engine.js';

/** The parts of a worker that a test brings itself. */
export interface WorkerParts {
  lanes: LaneStore;
  results: WindowResults;
  leaseMs: number;
  messagesPerSecond?: number | null;
  attachments?: () => string[];
  routeIsThere?: () => boolean;
  /** the carrier */
  send: (message: OutboundMessage) => Promise<SendOutcome>;
}

/** A worker's lane runner over route 1 of an engine, with a carrier of the test's own. */
export function laneWorker(engine: Engine, parts: WorkerParts): LaneRunner {
  const get = <T>(type: abstract new (...parameters: never[]) => T): T => engine.module.get<T>(type, { strict: false });
  const { messagesPerSecond = null, attachments = () => [], routeIsThere = () => true } = parts;
  const route = { id: 1, name: 'r', channel: 'sms', driver: 'fake', config: {}, messagesPerSecond };
  return new LaneRunner(
    { ...engine.module.get<Environment>(ENVIRONMENT, { strict: false }), LANE_LEASE: parts.leaseMs },
    parts.lanes,
    get(CampaignStates),
    parts.results,
    new RoutePace(get(DataSource)),
    { get: () => ({ compose: () => ({ text: 'hello', attachments: attachments() }) }) } as unknown as Channels,
    {
      byId: () => Promise.resolve(routeIsThere() ? route : null),
      exists: () => Promise.resolve(routeIsThere()),
    } as unknown as RouteDirectory,
    { get: () => ({ deduplicates: () => false }) } as unknown as DriverRegistry,
    { get: () => Promise.resolve({ ready: true, send: parts.send }) } as unknown as RouteConnections,
    get(AccountDirectory),
    get(StopList),
    new Metrics(),
  );
}

/** The next job of a campaign's first lane, under the fence that it has now. */
export async function firstLaneJob(dataSource: DataSource, campaignId: number): Promise<LaneJob> {
  const [row] = await dataSource.query<{ fence: number }[]>(
    'SELECT fence FROM campaign_lanes WHERE campaign_id = ? AND lane = 0',
    [campaignId],
  );
  return { campaignId, lane: 0, fence: row?.fence ?? -1 };
}
