import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { DueLanes, type Share } from './due-lanes.js';
import { type ChannelTurn, Governor, ROUTE_DOWN_MS, turnKey } from './governor.js';
import { LaneRunner, type TurnEnd } from './lane-runner.js';
import { LaneStore } from './lane-store.js';
import { WINDOW_RECIPIENTS } from './window-tempo.js';

/** Messages of one recipient travel together; of campaigns, a window takes small ones together. */
const SHARES: Readonly<Record<'single' | 'campaign', Share>> = {
  single: { most: WINDOW_RECIPIENTS, accounts: 64 },
  campaign: { most: 8, accounts: 8 },
};

/** What the route wants after a turn. */
export interface RouteTurnEnd {
  /** another turn at once */
  more: boolean;
  /** another turn, after so many milliseconds; null = when something is due */
  againMs: number | null;
  /** a turn that found no place before this one ended, and that has one now */
  next: ChannelTurn | null;
  /** nothing is known to be due: to be looked at once more when its job is gone */
  atRest: boolean;
}

/** What is known when the lanes of a window are held. */
export interface Room {
  /** more is due than the window takes */
  hasMore: boolean;
  /** and another turn of the route may begin beside this one */
  forAnother: boolean;
}

const NOTHING: RouteTurnEnd = { more: false, againMs: null, next: null, atRest: false };

/** One turn of a channel's route: asks the governor, takes the next lanes, and runs their turn. */
@Injectable()
export class RouteTurns {
  private readonly logger = new Logger(RouteTurns.name);
  /** routes that could not be used at their last turn */
  private readonly down = new Set<string>();

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly governor: Governor,
    private readonly due: DueLanes,
    private readonly lanes: LaneStore,
    private readonly runner: LaneRunner,
    private readonly routes: RouteDirectory,
  ) {}

  /** @param onClaimed called once the lanes of a window are held, if there are any to send */
  async take(turn: ChannelTurn, onClaimed: (room: Room) => void): Promise<RouteTurnEnd> {
    const rest = this.governor.restOf(turn);
    if (rest > 0) return { ...NOTHING, againMs: rest };
    const isPaced = ((await this.routes.byId(turn.routeId))?.messagesPerSecond ?? null) !== null;
    if (!this.governor.enter(turn, isPaced)) return NOTHING;
    let end: TurnEnd | null = null;
    let next: ChannelTurn | null;
    let hasMore = false;
    try {
      const share = SHARES[turn.single ? 'single' : 'campaign'];
      const lanes = await this.lanes.turns(await this.next(turn, share));
      hasMore = lanes.length >= share.most || (!turn.single && lanes.length > 1);
      end = await this.runner.run(lanes, (held) => {
        const last = held.at(-1);
        if (last) this.due.servedTo(turn, last.accountId);
        onClaimed({ hasMore, forAnother: hasMore && this.governor.hasRoom(turn, isPaced) });
      });
    } catch (error) {
      this.logger.error({ err: error, ...turn }, 'a turn of a route failed');
    } finally {
      next = this.governor.leave(turn);
    }
    if (!end) return { ...NOTHING, next };
    const againMs = this.rest(turn, end);
    const wasRefused = this.governor.wasRefused(turn);
    const more = againMs === null && (end.more || hasMore || wasRefused);
    return { more, againMs, next, atRest: againMs === null && !more };
  }

  private async next(turn: ChannelTurn, share: Share): Promise<Awaited<ReturnType<DueLanes['next']>>> {
    if (this.down.has(turnKey(turn))) {
      const keys = await this.due.down(turn, this.environment.RECEIPT_TIMEOUT);
      if (keys.length > 0) return keys;
    }
    return this.due.next(turn, share);
  }

  private rest(turn: ChannelTurn, { restMs }: TurnEnd): number | null {
    if (restMs === ROUTE_DOWN_MS) this.down.add(turnKey(turn));
    else this.down.delete(turnKey(turn));
    if (restMs === 0) return null;
    this.governor.rest(turn, restMs);
    return restMs;
  }
}
