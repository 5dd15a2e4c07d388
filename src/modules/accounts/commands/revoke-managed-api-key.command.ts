import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { assertMayChange } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { NOTHING_ENDED } from '../domain/made-thing.js';
import { MadeThings } from '../made-things.js';
import { ApiKeyStore } from '../persistence/api-key-store.js';
import { AuditLog } from '../persistence/audit-log.js';
import { ManagedAccounts } from '../persistence/managed-accounts.js';

/**
 * Staff, or the reseller of a client, revoke one of its API keys, as when it has leaked and the owner does not answer.
 * @throws AppError as `ManagedAccounts.row`, 403 `Forbidden` for staff that only super changes, 404 unless it is its key
 */
export class RevokeManagedApiKeyCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly id: number,
    readonly revoke: boolean,
  ) {
    super();
  }
}

@CommandHandler(RevokeManagedApiKeyCommand)
export class RevokeManagedApiKeyHandler implements ICommandHandler<RevokeManagedApiKeyCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly keys: ApiKeyStore,
    private readonly audit: AuditLog,
    private readonly made: MadeThings,
  ) {}

  async execute({ actor, username, id, revoke }: RevokeManagedApiKeyCommand): Promise<void> {
    const ended = await inTransaction(this.dataSource, async (tx) => {
      const owner = await this.managed.find(actor, username, tx);
      assertMayChange(actor, owner);
      const { name, prefix } = await this.keys.revoke(tx, owner.id, id);
      const details = { id, name, prefix, revoke };
      await this.audit.record(tx, { actor, action: 'api_key.revoke', subject: username, accountId: owner.id, details });
      return revoke ? this.made.end(tx, actor, { account: owner, kind: 'key', ids: [id] }) : NOTHING_ENDED;
    });
    this.keys.forget();
    await this.made.finish(actor, ended);
  }
}
