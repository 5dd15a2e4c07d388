import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { isoTime } from '../../../kernel/clock.js';
import { AccountDirectory } from '../../accounts/index.js';
import { Channels, RouteQueues } from '../../engine/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { routeErrors } from '../admin.errors.js';
import type { RouteWaitingAnswer } from '../http/route-waiting.dto.js';

/** The campaigns that wait on a route, those with the most recipients first. @throws AppError 404 `Route not found` */
export class RouteWaitingQuery extends Query<Omit<RouteWaitingAnswer, 'success'>> {
  /** @param timeZone in which times are shown */
  constructor(
    readonly name: string,
    readonly timeZone: string,
  ) {
    super();
  }
}

@QueryHandler(RouteWaitingQuery)
export class RouteWaitingHandler implements IQueryHandler<RouteWaitingQuery> {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly channels: Channels,
    private readonly lanes: RouteQueues,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ name, timeZone }: RouteWaitingQuery): Promise<Omit<RouteWaitingAnswer, 'success'>> {
    const route = await this.routes.byName(name);
    if (!route) throw routeErrors.notFound();
    const names = this.channels.all.flatMap((one) => (one.routes === route.channel ? [one.name] : []));
    const { campaigns, hasMore } = await this.lanes.campaigns(names, route.id);
    const data = await Promise.all(
      campaigns.map(async ({ requestId, broadcastName, accountId, channel, state, scheduledAt, waiting }) => ({
        request_id: requestId,
        broadcast_name: broadcastName,
        username: (await this.accounts.byId(accountId))?.username ?? '',
        channel,
        state,
        scheduled_at: scheduledAt && isoTime(scheduledAt, timeZone),
        waiting,
      })),
    );
    return { data, has_more: hasMore };
  }
}
