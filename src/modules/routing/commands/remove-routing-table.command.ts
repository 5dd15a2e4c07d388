import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { RoutingTables } from '../persistence/routing-tables.js';
import { routingErrors } from '../routing.errors.js';

/** Removes a routing table. Throws 404 `Routing table not found`. */
export class RemoveRoutingTableCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveRoutingTableCommand)
export class RemoveRoutingTableHandler implements ICommandHandler<RemoveRoutingTableCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly tables: RoutingTables,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name }: RemoveRoutingTableCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await this.tables.takeTurn(tx);
      if (!(await this.tables.remove(tx, name))) throw routingErrors.notFound();
      await this.audit.record(tx, { actor, action: 'routing.delete', subject: name, details: {} });
    });
    this.tables.forget();
  }
}
