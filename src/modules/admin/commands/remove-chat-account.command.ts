import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog, ManagedAccounts } from '../../accounts/index.js';
import { CampaignReader } from '../../engine/index.js';
import { ChatAccounts, type ChatConnection } from '../../providers/index.js';
import { connectionErrors } from '../admin.errors.js';

/**
 * Removes an account's chat connection.
 * @throws AppError 404 `Account not found`, `Chat account not found`; 409 `Chat account is used by unfinished campaigns`
 */
export class RemoveChatAccountCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly connection: ChatConnection,
  ) {
    super();
  }
}

@CommandHandler(RemoveChatAccountCommand)
export class RemoveChatAccountHandler implements ICommandHandler<RemoveChatAccountCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly chatAccounts: ChatAccounts,
    private readonly campaigns: CampaignReader,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, username, connection }: RemoveChatAccountCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const { id } = await this.managed.find(actor, username, tx);
      const account = await this.chatAccounts.locked(tx, id, connection);
      if (!account) throw connectionErrors.notFound();
      if (await this.campaigns.unfinishedOn(tx, account.id)) {
        throw connectionErrors.inUse();
      }
      await this.chatAccounts.remove(tx, account.id);
      const details = { channel: connection, provider: account.provider };
      await this.audit.record(tx, { actor, action: 'chat_account.delete', subject: username, accountId: id, details });
    });
    this.chatAccounts.forget();
  }
}
