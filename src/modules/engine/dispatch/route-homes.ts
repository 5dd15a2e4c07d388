import { Injectable } from '@nestjs/common';
import { HolderTurns, type TurnJob } from '../../../platform/queues/index.js';
import { RedisLink } from '../../../platform/security/index.js';
import { RouteDirectory, RouteHealthBoard } from '../../providers/index.js';
import { WorkerQueues } from './worker-queues.js';

/** The worker that has a route's next slots, and the channels that it serves. */
interface RouteHome {
  worker: string;
  channels: readonly string[];
}

const textOf = ({ worker, channels }: RouteHome): string => [worker, ...channels].join(' ');

function readHome(text: string): RouteHome {
  const [worker = '', ...channels] = text.split(' ');
  return { worker, channels };
}

/**
 * Which worker has the next slots of a paced route: its home. A message of one recipient whose turn another worker has would get
 * a slot behind all that are booked, so that worker hands the turn on (docs/decisions/0023). Only hints: a turn that
 * comes to nothing is made again by the look at MySQL.
 */
@Injectable()
export class RouteHomes {
  /** clock of `performance.now()`: until when this worker is the home, by route */
  private readonly own = new Map<number, number>();

  constructor(
    private readonly redis: RedisLink,
    private readonly turns: HolderTurns,
    private readonly routes: RouteDirectory,
    private readonly board: RouteHealthBoard,
    private readonly selected: WorkerQueues,
  ) {}

  /** This worker has the route's next slots for so long. Never waits and never fails. */
  say(routeId: number, milliseconds: number): void {
    if (!this.turns.address()) return;
    this.own.set(routeId, performance.now() + milliseconds);
    if (!this.redis.ready) return;
    const home = textOf({ worker: this.board.worker, channels: this.selected.names });
    this.redis.client.set(this.key(routeId), home, 'PX', Math.ceil(milliseconds)).catch(() => undefined);
  }

  /** Whether this worker is the route's home. */
  isHome(routeId: number): boolean {
    return (this.own.get(routeId) ?? 0) > performance.now();
  }

  /**
   * Hands a turn on to the home of its route. One that was handed on is not to come here again.
   * @returns whether it is that worker's now
   */
  async handOn(channel: string, job: TurnJob): Promise<boolean> {
    const { routeId, single } = job;
    if (!single || this.isHome(routeId)) return false;
    if (((await this.routes.byId(routeId))?.messagesPerSecond ?? null) === null) return false;
    const said = await this.redis.answer(() => this.redis.client.get(this.key(routeId)));
    const home = said === null ? null : readHome(said);
    if (!home?.channels.includes(channel) || home.worker === this.board.worker) return false;
    return this.turns.addTo(home.worker, channel, job).then(
      () => true,
      () => false,
    );
  }

  private key(routeId: number): string {
    return `${this.redis.prefix}:home:${routeId}`;
  }
}
