import { Inject, Injectable } from '@nestjs/common';
import { Semaphore } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT, InvalidEnvironment } from '../../../platform/config/index.js';
import { HolderJobs, type OnRouteJob, type RouteJob, JobQueues } from '../../../platform/queues/index.js';
import { RedisLink } from '../../../platform/security/index.js';
import { RouteConnections, RouteDirectory, RouteHealthBoard } from '../../providers/index.js';
import type { Channel } from '../channel.js';
import { Channels } from '../channels.js';

/** Puts turns where those workers take them that can serve them: all of a channel, or the holders of a route's binds. */
@Injectable()
export class JobOffers {
  constructor(
    private readonly queues: JobQueues,
    private readonly holders: HolderJobs,
    private readonly routes: RouteDirectory,
  ) {}

  /** @throws while Redis is away */
  async add(channel: string, jobs: readonly RouteJob[]): Promise<void> {
    const isHeld = await Promise.all(jobs.map(({ routeId }) => this.isForHolders(routeId)));
    const held = jobs.filter((_, place) => isHeld[place]);
    const open = jobs.filter((_, place) => !isHeld[place]);
    if (held.length > 0) await this.holders.add(channel, held);
    if (open.length > 0) await this.queues.add(channel, open);
  }

  /** Whether Redis can be asked to take turns. */
  isReady(channel: string): boolean {
    return this.queues.isReady(channel);
  }

  /** Whether turns of the route are for those alone who hold one of its binds. */
  async isForHolders(routeId: number): Promise<boolean> {
    return ((await this.routes.byId(routeId))?.binds ?? null) !== null;
  }
}

/** Whose queues this worker serves: those of `WORKER_QUEUES`, which bear the channels' names; default all. */
@Injectable()
export class WorkerQueues {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly channels: Channels,
  ) {}

  /** @throws InvalidEnvironment naming a queue that does not exist */
  get served(): readonly Channel[] {
    const wanted = this.environment.WORKER_QUEUES;
    const wrong = wanted.filter((name) => !this.channels.find(name));
    if (wrong.length > 0) {
      const known = this.channels.names.join(', ');
      throw new InvalidEnvironment(`WORKER_QUEUES: no such queue: ${wrong.join(', ')}; there are ${known}`);
    }
    return this.channels.all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  }

  get names(): string[] {
    return this.served.map(({ name }) => name);
  }
}

/** How soon a bind that was taken or lost decides whose turns are taken; nothing is asked of anyone for it. */
const FOLLOW_MS = 100;

/** Takes the turns of those routes with `binds` over which this worker can send, and those that are put to it. */
@Injectable()
export class HeldJobs {
  private readonly permits;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly jobs: HolderJobs,
    private readonly connections: RouteConnections,
    private readonly board: RouteHealthBoard,
    private readonly selected: WorkerQueues,
  ) {
    this.permits = new Semaphore(environment.WORKER_CONCURRENCY);
  }

  /** @param take a turn; never rejects, and resolves when the next one may be taken in its place */
  start(take: OnRouteJob): void {
    this.jobs.listen(this.board.worker, async (...turn) => {
      await this.permits.acquire(Infinity);
      void take(...turn).finally(() => this.permits.release());
    });
    this.timer = setInterval(() => this.follow(), FOLLOW_MS);
  }

  /** Takes no further turn. */
  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.jobs.stop();
  }

  /** Whether this worker may take turns of the route now. */
  isServed(routeId: number): boolean {
    return this.connections.serving.includes(routeId);
  }

  private follow(): void {
    const { serving } = this.connections;
    const channels = this.selected.served.filter(({ routes }) => routes !== 'chat');
    this.jobs.serve(serving.flatMap((routeId) => channels.map(({ name: channel }) => ({ channel, routeId }))));
  }
}

/** The worker that has a route's next slots, and the channels that it serves. */
interface SlotOwner {
  worker: string;
  channels: readonly string[];
}

const textOf = ({ worker, channels }: SlotOwner): string => [worker, ...channels].join(' ');

function readOwner(text: string): SlotOwner {
  const [worker = '', ...channels] = text.split(' ');
  return { worker, channels };
}

/**
 * Which worker has the next slots of a paced route: its home. A message of one recipient whose turn another worker has would get
 * a slot behind all that are booked, so that worker hands the turn on (docs/decisions/0023). Only hints: a turn that
 * comes to nothing is made again by the look at MySQL.
 */
@Injectable()
export class SlotOwners {
  /** clock of `performance.now()`: until when this worker is the home, by route */
  private readonly own = new Map<number, number>();

  constructor(
    private readonly redis: RedisLink,
    private readonly jobs: HolderJobs,
    private readonly routes: RouteDirectory,
    private readonly board: RouteHealthBoard,
    private readonly selected: WorkerQueues,
  ) {}

  /** This worker has the route's next slots for so long. Never waits and never fails. */
  say(routeId: number, milliseconds: number): void {
    if (!this.jobs.address()) return;
    this.own.set(routeId, performance.now() + milliseconds);
    if (!this.redis.ready) return;
    const owner = textOf({ worker: this.board.worker, channels: this.selected.names });
    this.redis.client.set(this.key(routeId), owner, 'PX', Math.ceil(milliseconds)).catch(() => undefined);
  }

  /** Whether this worker is the route's home. */
  isHome(routeId: number): boolean {
    return (this.own.get(routeId) ?? 0) > performance.now();
  }

  /**
   * Hands a turn on to the home of its route. One that was handed on is not to come here again.
   * @returns whether it is that worker's now
   */
  async handOn(channel: string, job: RouteJob): Promise<boolean> {
    const { routeId, single } = job;
    if (!single || this.isHome(routeId)) return false;
    if (((await this.routes.byId(routeId))?.messagesPerSecond ?? null) === null) return false;
    const said = await this.redis.answer(() => this.redis.client.get(this.key(routeId)));
    const owner = said === null ? null : readOwner(said);
    if (!owner?.channels.includes(channel) || owner.worker === this.board.worker) return false;
    return this.jobs.addTo(owner.worker, channel, job).then(
      () => true,
      () => false,
    );
  }

  private key(routeId: number): string {
    return `${this.redis.prefix}:home:${routeId}`;
  }
}
