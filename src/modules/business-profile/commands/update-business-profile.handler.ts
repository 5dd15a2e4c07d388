import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type BusinessProfile, BusinessProfileClient } from '../../providers/index.js';
import { businessProfileErrors } from '../business-profile.errors.js';
import { ProfileAccounts } from '../profile-accounts.js';
import { readProfileChanges } from './profile-changes.js';
import { UpdateBusinessProfileCommand } from './update-business-profile.command.js';

@CommandHandler(UpdateBusinessProfileCommand)
export class UpdateBusinessProfileHandler implements ICommandHandler<UpdateBusinessProfileCommand> {
  constructor(
    private readonly accounts: ProfileAccounts,
    private readonly profiles: BusinessProfileClient,
  ) {}

  async execute({ accountId, connection, body }: UpdateBusinessProfileCommand): Promise<BusinessProfile> {
    const account = await this.accounts.reachable(accountId, connection, businessProfileErrors.noAccount);
    const read = readProfileChanges(body);
    if ('fault' in read) throw businessProfileErrors.field(read.fault);
    if (Object.keys(read.changes).length > 0) await this.profiles.update(account, read.changes);
    return this.profiles.read(account);
  }
}
