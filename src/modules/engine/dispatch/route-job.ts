import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { isPassing } from '../../../platform/database/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { LaneStore } from '../state/lane-store.js';
import { type ChannelRoute, Governor, routeKeyText, BATCH_RECIPIENTS } from './capacity.js';
import { DueLanes, type Share } from './due-lanes.js';
import { CarrierChoice } from './carrier-choice.js';
import { LaneRunner, type BatchEnd } from './lane-runner.js';
import { DownLanes } from './route-down.js';

/** Single messages are batched together; small campaigns share a batch. */
const SHARES: Readonly<Record<'single' | 'campaign', Share>> = {
  single: { most: BATCH_RECIPIENTS, accounts: 64 },
  campaign: { most: 8, accounts: 8 },
};

/** Retry after a passing database fault, such as a lost race or a change of the writer node. */
const AFTER_PASSING_MS = 250;

/** Result of a route job. */
export interface RouteJobEnd {
  /** run another job at once */
  more: boolean;
  /** this worker may run it without a queue: it delays no other route */
  keeps: boolean;
  /** run another job after this time; null = when something is due */
  againMs: number | null;
  /** a refused job of another route that has a permit now */
  next: ChannelRoute | null;
  /** nothing was due: check once more when the job is removed */
  isIdle: boolean;
}

/** State when the lanes of a batch are claimed. */
export interface Room {
  hasMore: boolean;
  /** another job of the route may run concurrently */
  forAnother: boolean;
}

const NOTHING: RouteJobEnd = { more: false, keeps: false, againMs: null, next: null, isIdle: false };

/** Runs one job of a channel's route: takes a permit, finds due lanes, and runs them. */
@Injectable()
export class RouteJobs {
  private readonly logger = new Logger(RouteJobs.name);
  /** routes that were down at their last job */
  private readonly down = new Set<string>();

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly governor: Governor,
    private readonly due: DueLanes,
    private readonly downLanes: DownLanes,
    private readonly lanes: LaneStore,
    private readonly runner: LaneRunner,
    private readonly routes: RouteDirectory,
    private readonly carriers: CarrierChoice,
  ) {}

  /** Starts no further batch; those under way finish. */
  stop(): void {
    this.runner.stop();
  }

  /** Whether a lane of the route is due. */
  isDue(route: ChannelRoute): Promise<boolean> {
    return this.due.any(route);
  }

  /** @param onClaimed called once lanes are claimed, if there is anything to send */
  async take(route: ChannelRoute, onClaimed: (room: Room) => void): Promise<RouteJobEnd> {
    const backoff = this.governor.backoffOf(route);
    if (backoff > 0) return { ...NOTHING, againMs: backoff };
    const perSecond = (await this.routes.byId(route.routeId))?.messagesPerSecond ?? null;
    if (!this.governor.enter(route, perSecond)) return NOTHING;
    let end: BatchEnd | null = null;
    let next: ChannelRoute | null;
    let hasMore = false;
    let wasPassing = false;
    try {
      const share = SHARES[route.single ? 'single' : 'campaign'];
      // A lane may have moved to another route since it was found.
      const found = await this.lanes.snapshots(await this.next(route, share));
      const lanes = found.filter(({ routeId }) => routeId === route.routeId);
      hasMore = lanes.length >= share.most || (!route.single && lanes.length > 1);
      end = await this.runner.run(lanes, (held) => {
        const last = held.at(-1);
        if (last) this.due.servedTo(route, last.accountId);
        if (route.single) this.governor.recordSingles(held, route.routeId, perSecond);
        onClaimed({ hasMore, forAnother: hasMore && this.governor.hasRoom(route, perSecond) });
      });
    } catch (error) {
      wasPassing = isPassing(error);
      this.logger.error({ err: error, ...route }, 'a route job failed');
    } finally {
      next = this.governor.leave(route);
    }
    if (!end) return { ...NOTHING, next, againMs: wasPassing ? AFTER_PASSING_MS : null };
    const againMs = this.backOff(route, end);
    const wasRefused = this.governor.wasRefused(route);
    const more = againMs === null && (end.more || hasMore || wasRefused);
    const keeps = more && this.governor.keeps(route, perSecond);
    return { more, keeps, againMs, next, isIdle: againMs === null && !more };
  }

  private async next(route: ChannelRoute, share: Share): Promise<Awaited<ReturnType<DueLanes['next']>>> {
    if (this.down.has(routeKeyText(route))) {
      const { RECEIPT_TIMEOUT: timeoutMs } = this.environment;
      const keys = await this.downLanes.find(route, { timeoutMs, targets: await this.carriers.targets(route) });
      if (keys.length > 0) return keys;
    }
    return this.due.next(route, share);
  }

  private backOff(route: ChannelRoute, { backoffMs, isDown }: BatchEnd): number | null {
    if (isDown) this.down.add(routeKeyText(route));
    else if (this.down.delete(routeKeyText(route))) this.downLanes.forget(route);
    if (backoffMs === 0) return null;
    this.governor.backOff(route, backoffMs);
    return backoffMs;
  }
}
