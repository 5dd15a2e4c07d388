import { Inject, Injectable } from '@nestjs/common';
import { Semaphore } from '../../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { HolderTurns, type OnTurn } from '../../../platform/queues/index.js';
import { RouteConnections, RouteHealthBoard } from '../../providers/index.js';
import { WorkerQueues } from '../dispatch/worker-queues.js';

/** How soon a bind that was taken or lost decides whose turns are taken; nothing is asked of anyone for it. */
const FOLLOW_MS = 100;

/** Takes the turns of those routes with `binds` over which this worker can send, and those that are put to it. */
@Injectable()
export class HeldTurns {
  private readonly places;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly turns: HolderTurns,
    private readonly connections: RouteConnections,
    private readonly board: RouteHealthBoard,
    private readonly selected: WorkerQueues,
  ) {
    this.places = new Semaphore(environment.WORKER_CONCURRENCY);
  }

  /** @param take a turn; never rejects, and resolves when the next one may be taken in its place */
  start(take: OnTurn): void {
    this.turns.listen(this.board.worker, async (...turn) => {
      await this.places.acquire(Infinity);
      void take(...turn).finally(() => this.places.release());
    });
    this.timer = setInterval(() => this.follow(), FOLLOW_MS);
  }

  /** Takes no further turn. */
  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.turns.stop();
  }

  /** Whether this worker may take turns of the route now. */
  isServed(routeId: number): boolean {
    return this.connections.serving.includes(routeId);
  }

  private follow(): void {
    const { serving } = this.connections;
    const channels = this.selected.served.filter(({ routes }) => routes !== 'chat');
    this.turns.serve(serving.flatMap((routeId) => channels.map(({ name: channel }) => ({ channel, routeId }))));
  }
}
