import { DataSource } from 'typeorm';
import { AccountDirectory } from '../../src/modules/accounts/index.js';
import { Channels, StopList } from '../../src/modules/engine/index.js';
import { LaneRunner } from '../../src/modules/engine/dispatch/lane-runner.js';
import { LaneStore } from '../../src/modules/engine/dispatch/lane-store.js';
import { RoutePace } from '../../src/modules/engine/dispatch/route-pace.js';
import { WindowResults } from '../../src/modules/engine/settle/window-results.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import type {
  DriverRegistry,
  OutboundMessage,
  RouteConnection,
  RouteConnections,
  RouteDirectory,
  SendOutcome,
} from '../../src/modules/providers/index.js';
import { ENVIRONMENT, type Environment } from '../../src/platform/config/index.js';
import { Metrics } from '../../src/platform/observability/index.js';
import type { LaneJob } from '../../src/platform/queues/index.js';
import type { Engine } from './engine.js';

/** The parts of a worker that a test brings itself; all others are the engine's own. */
export interface WorkerParts {
  lanes?: LaneStore;
  results?: WindowResults;
  environment?: Partial<Environment>;
  route?: { channel?: string; messagesPerSecond?: number | null };
  routeIsThere?: () => boolean;
  deduplicates?: () => boolean;
  /** `sms` says hello unless the channels are the real ones */
  channels?: 'hello' | 'real';
  attachments?: () => string[];
  /** the carrier: all of its connection, or how it takes a message */
  connection?: () => Pick<RouteConnection, 'ready' | 'fault' | 'send'>;
  send?: (message: OutboundMessage) => Promise<SendOutcome>;
}

/** A worker's lane runner over route 1 of an engine, with a carrier of the test's own. */
export function laneWorker(engine: Engine, parts: WorkerParts): LaneRunner {
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
  const hello = { get: () => ({ compose: () => ({ text: 'hello', attachments: attachments() }) }) };
  const connection = parts.connection ?? (() => ({ ready: true, send: parts.send }));
  return new LaneRunner(
    { ...engine.module.get<Environment>(ENVIRONMENT, { strict: false }), ...parts.environment },
    parts.lanes ?? engine.part(LaneStore),
    engine.part(CampaignStates),
    parts.results ?? engine.part(WindowResults),
    new RoutePace(engine.part(DataSource)),
    parts.channels === 'real' ? engine.part(Channels) : (hello as unknown as Channels),
    {
      byId: () => Promise.resolve(routeIsThere() ? route : null),
      exists: () => Promise.resolve(routeIsThere()),
    } as unknown as RouteDirectory,
    { get: () => ({ deduplicates }) } as unknown as DriverRegistry,
    { get: () => Promise.resolve(connection()) } as unknown as RouteConnections,
    engine.part(AccountDirectory),
    engine.part(StopList),
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
