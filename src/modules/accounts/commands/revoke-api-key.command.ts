import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { assertOwner } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { NOTHING_ENDED } from '../domain/made-thing.js';
import { MadeThings } from '../made-things.js';
import { ApiKeyStore } from '../persistence/api-key-store.js';
import { AuditLog } from '../persistence/audit-log.js';

/**
 * Revoke an API key: at once on this instance, within 3 s on the others. What the key made may end with it. Throws 404
 * unless it is the account's.
 */
export class RevokeApiKeyCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
    readonly revoke: boolean,
  ) {
    super();
  }
}

@CommandHandler(RevokeApiKeyCommand)
export class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKeyCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly keys: ApiKeyStore,
    private readonly audit: AuditLog,
    private readonly made: MadeThings,
  ) {}

  async execute({ actor, id, revoke }: RevokeApiKeyCommand): Promise<void> {
    assertOwner(actor);
    const ended = await inTransaction(this.dataSource, async (tx) => {
      const { name, prefix } = await this.keys.revoke(tx, actor.id, id);
      const details = { id, name, prefix, revoke };
      await this.audit.record(tx, { actor, action: 'api_key.revoke', subject: actor.username, details });
      return revoke ? this.made.end(tx, actor, { account: actor, kind: 'key', ids: [id] }) : NOTHING_ENDED;
    });
    this.keys.forget();
    await this.made.finish(actor, ended);
  }
}
