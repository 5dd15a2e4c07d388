import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction, isDuplicateKey } from '../../platform/database/index.js';
import { type Account, AuditLog, withContent } from '../accounts/index.js';
import { type Rate, rateErrors, RatePlans } from '../rates/index.js';

/** Creates a rate plan or replaces its rows (reference/rates#plans). @throws AppError 409 `Changed since you looked` */
export class PutRatePlanCommand extends Command<void> {
  /** `seen`: the revision to replace; null = any. */
  constructor(
    readonly actor: Account,
    readonly name: string,
    readonly rates: readonly Rate[],
    readonly seen: number | null,
  ) {
    super();
  }
}

@CommandHandler(PutRatePlanCommand)
export class PutRatePlanHandler implements ICommandHandler<PutRatePlanCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly plans: RatePlans,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name, rates, seen }: PutRatePlanCommand): Promise<void> {
    try {
      await inTransaction(this.dataSource, async (tx) => {
        const revision = await this.plans.put(tx, name, rates, seen);
        const rows = rates.map(({ channel, prefix, creditsPerSegment }) => ({
          channel,
          prefix,
          credits_per_segment: creditsPerSegment,
        }));
        const details = withContent({ revision, rates: rates.length }, { rates: rows });
        await this.audit.record(tx, { actor, action: 'rate_plan.put', subject: name, details });
      });
    } catch (error) {
      if (isDuplicateKey(error)) throw rateErrors.race();
      throw error;
    } finally {
      this.plans.forget();
    }
  }
}

/** Removes a rate plan. @throws AppError 404 `Rate plan not found`, 409 `Rate plan is used by accounts` */
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
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name }: RemoveRatePlanCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await this.plans.remove(tx, name);
      await this.audit.record(tx, { actor, action: 'rate_plan.delete', subject: name, details: {} });
    });
    this.plans.forget();
  }
}
