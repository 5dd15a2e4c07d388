import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { inTransaction } from '../../platform/database/index.js';
import {
  type Account,
  assertMayChange,
  AuditLog,
  Confirmations,
  createdBy,
  ManagedAccounts,
} from '../accounts/index.js';
import {
  type BalanceName,
  CreditBook,
  creditErrors,
  isOverdrawn,
  ResellerCredits,
  type ResellerMove,
} from '../credits/index.js';

/** Grants credits (amount > 0) or takes them back (< 0); a reseller's come from and return to its own balance. */
export class AdjustCreditsCommand extends Command<{ balance: BalanceName; available: number }> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly balance: BalanceName,
    readonly amount: number,
    readonly note: string | null,
  ) {
    super();
  }
}

@CommandHandler(AdjustCreditsCommand)
export class AdjustCreditsHandler implements ICommandHandler<AdjustCreditsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly credits: CreditBook,
    private readonly resellers: ResellerCredits,
    private readonly audit: AuditLog,
    private readonly confirmations: Confirmations,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** @throws AppError 400 `Insufficient credits. Available: X, Required: Y` without a change */
  async execute(command: AdjustCreditsCommand): Promise<{ balance: BalanceName; available: number }> {
    const { actor, username, balance, amount, note } = command;
    if (Math.abs(amount) > this.environment.CONFIRM_CREDITS) await this.confirmations.assert(actor);
    return inTransaction(this.dataSource, async (tx) => {
      const account = await this.managed.find(actor, username, tx);
      assertMayChange(actor, account);
      await this.move(tx, command, account);
      const action = amount > 0 ? 'credits.grant' : 'credits.take_back';
      await this.audit.record(tx, {
        actor,
        action,
        subject: username,
        accountId: account.id,
        details: { balance, amount, note },
      });
      return { balance, available: await this.credits.available(account.id, balance, tx) };
    });
  }

  private async move(tx: EntityManager, command: AdjustCreditsCommand, account: Account): Promise<void> {
    const { actor, balance, note } = command;
    const [kind, amount] = [command.amount > 0 ? 'grant' : 'take_back', Math.abs(command.amount)] as const;
    const client = createdBy(actor, account.id);
    const makers = { reseller: createdBy(actor), client };
    const move = { resellerId: actor.id, clientId: account.id, balance, amount, note, makers };
    try {
      if (actor.userType !== 'reseller') {
        const movement = { kind, accountId: account.id, balance, amount, note, createdBy: client };
        return await this.credits.move(tx, [movement], { alerts: false });
      }
      if (kind === 'grant') return await this.resellers.grant(tx, move);
      if (await this.resellers.takeBack(tx, move)) return;
    } catch (error) {
      if (!isOverdrawn(error)) throw error;
    }
    throw creditErrors.insufficient(await this.left(tx, actor, kind, move), amount);
  }

  private left(
    tx: EntityManager,
    { userType }: Account,
    kind: 'grant' | 'take_back',
    { resellerId, clientId, balance }: ResellerMove,
  ): Promise<number> {
    if (userType !== 'reseller') return this.credits.available(clientId, balance, tx);
    return kind === 'grant'
      ? this.credits.available(resellerId, balance, tx)
      : this.resellers.takeable(tx, resellerId, clientId, balance);
  }
}
