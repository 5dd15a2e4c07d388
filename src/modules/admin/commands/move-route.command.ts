import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Actor, AuditLog } from '../../accounts/index.js';
import { CampaignReader, Channels, RouteMoves } from '../../engine/index.js';
import { campaignErrors } from '../../campaigns/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { routeErrors } from '../admin.errors.js';
import type { MovedRouteData } from '../http/route-action.dto.js';

/**
 * Moves what waits on a route to another of its channel (reference/admin#routes); what may have left stays.
 * @throws AppError 404 `Route not found`, `Campaign not found`, 400 for a route that cannot take it, 409 for one that is stopped
 */
export class MoveRouteCommand extends Command<MovedRouteData> {
  /** @param requestId of one campaign; null = of all */
  constructor(
    readonly actor: Actor['account'],
    readonly name: string,
    readonly to: string,
    readonly requestId: string | null,
  ) {
    super();
  }
}

@CommandHandler(MoveRouteCommand)
export class MoveRouteHandler implements ICommandHandler<MoveRouteCommand> {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly channels: Channels,
    private readonly campaigns: CampaignReader,
    private readonly moves: RouteMoves,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name, to, requestId }: MoveRouteCommand): Promise<MovedRouteData> {
    // Another process may have stopped or made one a moment ago.
    this.routes.forget();
    const [route, target] = [await this.routes.byName(name), await this.routes.byName(to)];
    if (!route) throw routeErrors.notFound();
    if (!target || target.id === route.id) throw routeErrors.targetUnknown();
    if (target.channel !== route.channel) throw routeErrors.targetChannel(to, target.channel);
    if (target.stopped) throw routeErrors.targetStopped();
    const campaign = requestId === null ? null : await this.campaigns.byRequestId(requestId);
    if (requestId !== null && !campaign) throw campaignErrors.notFound();
    const channels = this.channels.all.filter((channel) => channel.routes === route.channel);
    const move = {
      channels: channels.map((channel) => channel.name),
      from: route.id,
      to: target.id,
      campaignId: campaign?.id ?? null,
      reason: `Moved by ${actor.username}`,
    };
    const { moved, left } = await this.moves.move(move, (tx, { lanes, recipients }) => {
      const details = { to_route: to, request_id: requestId, lanes, recipients };
      return this.audit.record(tx, { actor, action: 'route.move', subject: name, details });
    });
    return {
      route: name,
      to_route: to,
      moved_recipients: moved.recipients,
      moved_lanes: moved.lanes,
      left_lanes: left,
    };
  }
}
