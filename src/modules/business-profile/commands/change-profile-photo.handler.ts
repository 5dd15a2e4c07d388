import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { BusinessProfileClient } from '../../providers/index.js';
import { businessProfileErrors } from '../business-profile.errors.js';
import { ProfileAccounts } from '../profile-accounts.js';
import { ChangeProfilePhotoCommand } from './change-profile-photo.command.js';
import { readPhoto } from './photo.js';

@CommandHandler(ChangeProfilePhotoCommand)
export class ChangeProfilePhotoHandler implements ICommandHandler<ChangeProfilePhotoCommand> {
  constructor(
    private readonly accounts: ProfileAccounts,
    private readonly profiles: BusinessProfileClient,
  ) {}

  async execute({ accountId, connection, file }: ChangeProfilePhotoCommand): Promise<Record<string, unknown>> {
    const account = await this.accounts.reachable(accountId, connection, businessProfileErrors.noAccountForPhoto);
    return this.profiles.changePhoto(account, await readPhoto(file));
  }
}
