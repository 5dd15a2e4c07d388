import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { BusinessProfileClient, type ChatConnection } from '../../providers/index.js';
import { businessProfileErrors } from '../business-profile.errors.js';
import { ProfileAccounts } from '../profile-accounts.js';
import { readPhoto } from './photo.js';

/**
 * Replaces the profile's photo at the provider in its three steps; answers what the provider said to the last one.
 * Safe to repeat.
 * @throws AppError the rows of reference/business-profile#errors in their order, then those of the file; the provider's
 * own text of the step that failed
 */
export class ChangeProfilePhotoCommand extends Command<Record<string, unknown>> {
  /** @param file the bytes as they were uploaded; null = none came */
  constructor(
    readonly actor: Account,
    readonly connection: ChatConnection,
    readonly file: Buffer | null,
  ) {
    super();
  }
}

@CommandHandler(ChangeProfilePhotoCommand)
export class ChangeProfilePhotoHandler implements ICommandHandler<ChangeProfilePhotoCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    private readonly accounts: ProfileAccounts,
    private readonly profiles: BusinessProfileClient,
  ) {}

  async execute({ actor, connection, file }: ChangeProfilePhotoCommand): Promise<Record<string, unknown>> {
    const account = await this.accounts.reachable(actor.id, connection, businessProfileErrors.noAccountForPhoto);
    const answer = await this.profiles.changePhoto(account, await readPhoto(file));
    const details = { channel: connection };
    const entry = { actor, action: 'business_profile.photo', subject: actor.username, details };
    await inTransaction(this.dataSource, (tx) => this.audit.record(tx, entry));
    return answer;
  }
}
