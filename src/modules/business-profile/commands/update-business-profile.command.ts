import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { type BusinessProfile, BusinessProfileClient, type ChatConnection } from '../../providers/index.js';
import type { AppError } from '../../../kernel/app-error.js';
import { businessProfileErrors } from '../business-profile.errors.js';
import { ProfileAccounts } from '../profile-accounts.js';
import { type ProfileField, readProfileChanges } from './profile-changes.js';

/**
 * Changes the supplied fields of the profile at the provider and answers the profile as it stands there afterwards.
 * Safe to repeat.
 * @throws AppError the rows of reference/business-profile#errors in their order, then `invalid` for a field of the body
 */
export class UpdateBusinessProfileCommand extends Command<BusinessProfile> {
  /** @param body the request's fields as they came: the account's faults are answered before theirs */
  constructor(
    readonly actor: Account,
    readonly connection: ChatConnection,
    readonly body: Record<string, unknown>,
  ) {
    super();
  }
}

@CommandHandler(UpdateBusinessProfileCommand)
export class UpdateBusinessProfileHandler implements ICommandHandler<UpdateBusinessProfileCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    private readonly accounts: ProfileAccounts,
    private readonly profiles: BusinessProfileClient,
  ) {}

  async execute({ actor, connection, body }: UpdateBusinessProfileCommand): Promise<BusinessProfile> {
    const account = await this.accounts.reachable(actor.id, connection, businessProfileErrors.noAccount);
    const read = readProfileChanges(body);
    if ('fault' in read) throw faultOf(read.fault);
    const fields = Object.keys(read.changes);
    if (fields.length > 0) {
      await this.profiles.update(account, read.changes);
      const details = { channel: connection, fields };
      const entry = { actor, action: 'business_profile.change', subject: actor.username, details };
      await inTransaction(this.dataSource, (tx) => this.audit.record(tx, entry));
    }
    return this.profiles.read(account);
  }
}

const faultOf = (field: ProfileField): AppError =>
  field === 'websites' ? businessProfileErrors.websites() : businessProfileErrors.noText(field);
