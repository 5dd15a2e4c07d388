import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/index.js';
import { assertOwner } from '../domain/account-policy.js';
import { readIpRanges } from './ip-ranges.js';
import type { Account } from '../domain/account.js';
import { AccountDirectory } from '../persistence/account-directory.js';
import { AccountEntity } from '../persistence/account.entity.js';
import { AuditLog } from '../persistence/audit-log.js';

/** An absent field stays as it is. */
export interface SecurityChoice {
  requireToken?: boolean;
  protectReports?: boolean;
  /** addresses and ranges as they came; [] = from anywhere */
  bodyUsernameAddresses?: readonly string[];
}

/**
 * The owner chooses what those may do who come without a token (reference/accounts#security). What staff set stays beside
 * it: the stricter of the two holds.
 * @throws AppError 400 for addresses that are none, 403 `Permission denied` for a person who acts for the account
 */
export class ChooseSecurityCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly choice: SecurityChoice,
  ) {
    super();
  }
}

@CommandHandler(ChooseSecurityCommand)
export class ChooseSecurityHandler implements ICommandHandler<ChooseSecurityCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: AccountDirectory,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, choice }: ChooseSecurityCommand): Promise<void> {
    assertOwner(actor);
    const { requireToken, protectReports, bodyUsernameAddresses: texts } = choice;
    const addresses = texts && readIpRanges('body_username_addresses', texts);
    await inTransaction(this.dataSource, async (tx) => {
      const at = now();
      await tx.update(
        AccountEntity,
        { id: actor.id },
        {
          ...(requireToken !== undefined && { ownRequireToken: requireToken }),
          ...(protectReports !== undefined && { protectReports }),
          ...(addresses && { bodyUsernameIps: addresses.length === 0 ? null : JSON.stringify(addresses) }),
          securityChosenAt: at,
          updatedAt: at,
        },
      );
      const details = {
        ...(requireToken !== undefined && { own_require_token: requireToken }),
        ...(protectReports !== undefined && { protect_reports: protectReports }),
        ...(addresses && { body_username_addresses: addresses }),
      };
      await this.audit.record(tx, { actor, action: 'account.security', subject: actor.username, details });
    });
    this.directory.forget(actor.id);
  }
}
