import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../kernel/clock.js';
import type { JsonObject } from '../../kernel/json-values.js';
import { inTransaction } from '../../platform/database/index.js';
import {
  type Account,
  AccountDirectory,
  assertMayChange,
  assertOfHouse,
  AuditLog,
  createdBy,
  type GuardTerms,
  ManagedAccounts,
} from '../accounts/index.js';
import { hourOf } from './conversions.js';
import { Freezes } from './freezes.store.js';
import { changedTerms } from './guard-changes.js';
import { GuardCounters } from './guard-counters.js';
import { freezeData, type FreezeData } from './guard.dto.js';
import { guardErrors } from './guard.errors.js';

/** Staff change the terms of an account. @throws AppError forbidden for resellers; not_found; invalid for the first faulty field */
export class ChangeGuardCommand extends Command<Account> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly body: JsonObject,
  ) {
    super();
  }
}

@CommandHandler(ChangeGuardCommand)
export class ChangeGuardHandler implements ICommandHandler<ChangeGuardCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly directory: AccountDirectory,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, username, body }: ChangeGuardCommand): Promise<Account> {
    const seen = await this.managed.find(actor, username);
    assertMayChange(actor, seen);
    assertOfHouse(actor);
    const account = await inTransaction(this.dataSource, async (tx): Promise<Account> => {
      // Written first, so that of two changes the second sees the first.
      await tx.query('UPDATE accounts SET held = held + 1 WHERE id = ?', [seen.id]);
      const before = await this.managed.find(actor, username, tx);
      const terms = changedTerms(before.guard, body, before.country);
      await tx.query('UPDATE accounts SET guard = ?, updated_at = ? WHERE id = ?', [
        terms && JSON.stringify(terms),
        now(),
        before.id,
      ]);
      const details = { before: before.guard, after: terms };
      const entry = { actor, action: 'account.guard', subject: username, accountId: before.id, details };
      await this.audit.record(tx, entry);
      return { ...before, guard: terms satisfies GuardTerms | null };
    });
    this.directory.forget(account.id);
    return account;
  }
}

/** Staff end a freeze. @throws AppError not_found when none is active under the id */
export class ReleaseFreezeCommand extends Command<FreezeData> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(ReleaseFreezeCommand)
export class ReleaseFreezeHandler implements ICommandHandler<ReleaseFreezeCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly freezes: Freezes,
    private readonly counters: GuardCounters,
    private readonly directory: AccountDirectory,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, id }: ReleaseFreezeCommand): Promise<FreezeData> {
    const freeze = await inTransaction(this.dataSource, async (tx) => {
      const released = await this.freezes.release(tx, id, createdBy(actor, 0));
      if (!released) throw guardErrors.noFreeze();
      const { accountId, prefix, reason } = released;
      const details = { id, prefix, reason };
      await this.audit.record(tx, { actor, action: 'freeze.release', subject: prefix, accountId, details });
      return released;
    });
    const { accountId, prefix } = freeze;
    this.freezes.forget(accountId);
    await this.counters.forgive(accountId, prefix, hourOf(now()));
    return freezeData(freeze, (await this.directory.byId(accountId))?.username ?? '');
  }
}
