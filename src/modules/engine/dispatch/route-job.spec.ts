import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../platform/config/index.js';
import { Metrics } from '../../../platform/observability/index.js';
import type { RedisLink } from '../../../platform/redis/index.js';
import type { RouteDirectory } from '../../providers/index.js';
import type { LaneSnapshot } from '../lanes.js';
import type { LaneStore } from '../state/lane-store.js';
import { Governor } from './capacity.js';
import type { CarrierChoice } from './carrier-choice.js';
import type { DueLanes } from './due-lanes.js';
import type { SlotOwners } from './job-routing.js';
import type { LaneRunner } from './lane-runner.js';
import type { RoutePace } from './pacing.js';
import type { DownLanes } from './route-down.js';
import { RouteJobs } from './route-job.js';
import { UrgentBound } from './urgent-bound.js';

const CAMPAIGNS = { channel: 'sms', routeId: 1, single: false };

describe('a route job of single messages', () => {
  /** Whether a campaign of the same route may have a second batch while a route job of one lane holds its lane. */
  async function hasRoomBeside(single: boolean, isHeld: boolean): Promise<boolean | undefined> {
    const environment = { WORKER_CONCURRENCY: 8 } as Environment;
    const governor = new Governor(
      environment,
      {} as RoutePace,
      {} as SlotOwners,
      new UrgentBound(
        { URGENT_COMMIT_TARGET: 10 },
        { answer: () => Promise.resolve(null) } as unknown as RedisLink,
        new Metrics(),
      ),
    );
    for (let batch = 0; batch < 4; batch++) governor.tempoOf(CAMPAIGNS).took(1, 500, 12);
    governor.enter(CAMPAIGNS, null);
    const lane = { campaignId: 1, lane: 0, accountId: 1, routeId: 1, single, waitingSince: performance.now() };
    const room: boolean[] = [];
    const jobs = new RouteJobs(
      environment,
      governor,
      { next: () => Promise.resolve([lane]), servedTo: () => undefined } as unknown as DueLanes,
      {} as DownLanes,
      { snapshots: () => Promise.resolve([lane]) } as unknown as LaneStore,
      {
        run: (found: LaneSnapshot[], onClaimed: (held: LaneSnapshot[]) => void) => {
          onClaimed(isHeld ? found : []);
          room.push(governor.hasRoom(CAMPAIGNS, null));
          return Promise.resolve({ more: false, done: [], backoffMs: 0, isDown: false });
        },
      } as unknown as LaneRunner,
      { byId: () => Promise.resolve({ messagesPerSecond: null }) } as unknown as RouteDirectory,
      {} as CarrierChoice,
    );
    await jobs.take({ ...CAMPAIGNS, single }, () => undefined);
    return room[0];
  }

  it('leaves campaigns fewer batches from the moment at which it holds some', async () => {
    expect(await hasRoomBeside(true, true)).toBe(false);
    expect(await hasRoomBeside(true, false)).toBe(true);
  });

  it('does so alone: a campaign yields to no other', async () => {
    expect(await hasRoomBeside(false, true)).toBe(true);
  });
});
