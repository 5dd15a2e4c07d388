import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, AuditLog, withContent } from '../accounts/index.js';
import { RouteDirectory } from '../providers/index.js';
import { type CostRow, decimalOf, RouteCosts } from '../routing/index.js';
import { routeErrors } from './routes.errors.js';

interface Costs {
  currency: string;
  rows: readonly CostRow[];
}

/** Replaces a route's costs; null removes them. Throws 404 `Route not found`, `Route costs not found`. */
export class PutRouteCostsCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly name: string,
    readonly costs: Costs | null,
  ) {
    super();
  }
}

@CommandHandler(PutRouteCostsCommand)
export class PutRouteCostsHandler implements ICommandHandler<PutRouteCostsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly costs: RouteCosts,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name, costs }: PutRouteCostsCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const route = await this.routes.locked(tx, name);
      if (!route) throw routeErrors.notFound();
      await this.routes.touch(tx, route.id);
      if (costs) await this.costs.put(tx, route.id, costs.currency, costs.rows);
      else if (!(await this.costs.remove(tx, route.id))) throw routeErrors.noCosts();
      const details = costs ? detailsOf(costs) : {};
      const action = costs ? 'route.costs' : 'route.costs.delete';
      await this.audit.record(tx, { actor, action, subject: name, details });
    });
    this.routes.forget();
    this.costs.forget();
  }
}

const detailsOf = ({ currency, rows }: Costs): Record<string, unknown> =>
  withContent(
    { currency, rows: rows.length },
    { rows: rows.map(({ prefix, micros }) => ({ prefix, cost: decimalOf(micros) })) },
  );
