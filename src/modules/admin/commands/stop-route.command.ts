import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { routeErrors } from '../admin.errors.js';

/**
 * Stops a route, or lets it carry again (reference/admin#routes). A change of its settings at the same time neither
 * waits for it nor undoes it: the row is locked, and each writes its own columns.
 * @throws AppError 404 `Route not found`, 409 `Route is already stopped`, `Route is not stopped`
 */
export class StopRouteCommand extends Command<void> {
  /** @param stop null = it carries again */
  constructor(
    readonly actor: Account,
    readonly name: string,
    readonly stop: { reason: string | null } | null,
  ) {
    super();
  }
}

@CommandHandler(StopRouteCommand)
export class StopRouteHandler implements ICommandHandler<StopRouteCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name, stop }: StopRouteCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const route = await this.routes.locked(tx, name);
      if (!route) throw routeErrors.notFound();
      if (stop && route.stopped) throw routeErrors.stoppedAlready();
      if (!stop && !route.stopped) throw routeErrors.notStopped();
      await this.routes.setStop(tx, route.id, stop && { at: now(), by: actor.username, reason: stop.reason });
      const details = stop ? { reason: stop.reason } : { stopped_at: route.stopped?.at.toISOString() };
      await this.audit.record(tx, { actor, action: stop ? 'route.stop' : 'route.start', subject: name, details });
    });
    this.routes.forget();
  }
}
