import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { CampaignReader, Channels, RouteQueues } from '../../engine/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { RouteCosts, RoutingTables } from '../../routing/index.js';
import { routeErrors } from '../admin.errors.js';

/**
 * Removes a route.
 * @throws AppError 404 `Route not found`, 409 `Route is named by routing table …`, `Route is used by unfinished campaigns`
 */
export class RemoveRouteCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveRouteCommand)
export class RemoveRouteHandler implements ICommandHandler<RemoveRouteCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly tables: RoutingTables,
    private readonly costs: RouteCosts,
    private readonly campaigns: CampaignReader,
    private readonly channels: Channels,
    private readonly queues: RouteQueues,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name }: RemoveRouteCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await this.tables.takeTurn(tx);
      const route = await this.routes.locked(tx, name);
      if (!route) throw routeErrors.notFound();
      const table = await this.tables.naming(tx, route.id);
      if (table !== null) throw routeErrors.named(table);
      // A campaign accepted between this look and the commit finds no route: its recipients are refunded by the engine.
      const channels = this.channels.all.flatMap(({ name, routes }) => (routes === route.channel ? [name] : []));
      // What staff have moved here is of campaigns that name other routes.
      const isUsed = await this.queues.isUsed(tx, channels, route.id);
      if (isUsed || (await this.campaigns.unfinishedOn(tx, route.id))) {
        throw routeErrors.inUse();
      }
      await this.routes.remove(tx, route.id);
      await this.costs.remove(tx, route.id);
      const details = { channel: route.channel, driver: route.driver };
      await this.audit.record(tx, { actor, action: 'route.delete', subject: name, details });
    });
    this.routes.forget();
    this.costs.forget();
  }
}
