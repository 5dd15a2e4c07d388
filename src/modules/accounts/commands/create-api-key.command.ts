import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { Credentials, type PasswordProof } from '../authentication/credentials.js';
import { assertOwner, isStaff } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { newApiKey } from '../domain/api-key.js';
import { createdBy } from '../domain/maker.js';
import { readIpRanges } from './ip-ranges.js';
import { ApiKeyStore } from '../persistence/api-key-store.js';
import { AuditLog } from '../persistence/audit-log.js';
import { type ApiKeyAnswerData, apiKeyData } from '../http/api-key.dto.js';

/**
 * A new API key of the acting account (reference/accounts#own-keys). The answer is the only place where the key itself
 * stands. A key of staff also wants the owner's password: 400 `current_password is required`, 401, 429 as at login.
 */
export class CreateApiKeyCommand extends Command<ApiKeyAnswerData & { key: string }> {
  /** @param allowedIps addresses and ranges as they came; [] = anywhere */
  constructor(
    readonly actor: Account,
    readonly name: string | null,
    readonly allowedIps: string[],
    readonly proof: PasswordProof,
  ) {
    super();
  }
}

@CommandHandler(CreateApiKeyCommand)
export class CreateApiKeyHandler implements ICommandHandler<CreateApiKeyCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly credentials: Credentials,
    private readonly keys: ApiKeyStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name, allowedIps, proof }: CreateApiKeyCommand): Promise<ApiKeyAnswerData & { key: string }> {
    assertOwner(actor);
    const ranges = readIpRanges('allowed_ips', allowedIps);
    if (isStaff(actor.userType)) await this.credentials.proveActor(actor, proof);
    const key = newApiKey();
    const row = await inTransaction(this.dataSource, async (tx) => {
      const created = await this.keys.create(tx, actor.id, {
        key,
        name,
        allowedIps: ranges,
        createdBy: createdBy(actor),
      });
      const details = { id: created.id, name, prefix: created.prefix, allowed_ips: ranges };
      await this.audit.record(tx, { actor, action: 'api_key.create', subject: actor.username, details });
      return created;
    });
    const { id, ...rest } = apiKeyData(row, actor.timeZone);
    return { id, key, ...rest };
  }
}
