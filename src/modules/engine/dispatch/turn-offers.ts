import { Injectable } from '@nestjs/common';
import { HolderTurns, type TurnJob, TurnQueues } from '../../../platform/queues/index.js';
import { RouteDirectory } from '../../providers/index.js';

/** Puts turns where those workers take them that can serve them: all of a channel, or the holders of a route's binds. */
@Injectable()
export class TurnOffers {
  constructor(
    private readonly queues: TurnQueues,
    private readonly holders: HolderTurns,
    private readonly routes: RouteDirectory,
  ) {}

  /** @throws while Redis is away */
  async add(channel: string, jobs: readonly TurnJob[]): Promise<void> {
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
