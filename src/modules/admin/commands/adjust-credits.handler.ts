import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../../kernel/app-error.js';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, assertMayChange, AuditLog, ManagedAccounts } from '../../accounts/index.js';
import { type BalanceName, CreditBook } from '../../credits/index.js';
import { AdjustCreditsCommand } from './adjust-credits.command.js';

@CommandHandler(AdjustCreditsCommand)
export class AdjustCreditsHandler implements ICommandHandler<AdjustCreditsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly credits: CreditBook,
    private readonly audit: AuditLog,
  ) {}

  /** @throws AppError 400 `Insufficient credits. Available: X, Required: Y`; nothing has changed then */
  async execute(command: AdjustCreditsCommand): Promise<{ balance: BalanceName; available: number }> {
    const { actor, username, balance, amount, note } = command;
    return inTransaction(this.dataSource, async (tx) => {
      const account = await this.managed.find(actor, username, tx);
      assertMayChange(actor, account);
      await this.move(tx, command, account);
      const action = amount > 0 ? 'credits.grant' : 'credits.take_back';
      await this.audit.record(tx, { actor, action, subject: username, details: { balance, amount, note } });
      return { balance, available: await this.credits.available(account.id, balance, tx) };
    });
  }

  private async move(tx: EntityManager, command: AdjustCreditsCommand, account: Account): Promise<void> {
    const { actor, balance, note } = command;
    const amount = Math.abs(command.amount);
    const granting = command.amount > 0;
    if (granting && actor.userType !== 'reseller') return this.credits.grant(tx, account.id, balance, amount, note);
    const [giver, taker] = granting ? [actor.id, account.id] : [account.id, actor.id];
    const done =
      actor.userType === 'reseller'
        ? await this.credits.transfer(tx, giver, taker, balance, amount, note)
        : await this.credits.takeBack(tx, giver, balance, amount, note);
    if (done) return;
    const available = await this.credits.available(giver, balance, tx);
    const text = `Insufficient credits. Available: ${available}, Required: ${amount}`;
    throw new AppError('invalid', 'insufficient_credits', text);
  }
}
