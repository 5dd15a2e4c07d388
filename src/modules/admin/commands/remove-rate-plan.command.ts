import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { RatePlans, Rates } from '../../rates/index.js';

/**
 * Removes a rate plan.
 * @throws AppError 404 `Rate plan not found`, 409 `Rate plan is used by accounts`
 */
export class RemoveRatePlanCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveRatePlanCommand)
export class RemoveRatePlanHandler implements ICommandHandler<RemoveRatePlanCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly plans: RatePlans,
    private readonly rates: Rates,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name }: RemoveRatePlanCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await this.plans.remove(tx, name);
      await this.audit.record(tx, { actor, action: 'rate_plan.delete', subject: name, details: {} });
    });
    this.rates.forget();
  }
}
