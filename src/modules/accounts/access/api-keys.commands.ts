import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { fieldErrors } from '../../../kernel/errors.js';
import { inTransaction } from '../../../platform/database/index.js';
import { readExpiresAt, readIpRanges } from '../account-changes.js';
import { Credentials, type PasswordProof } from '../authentication/credentials.js';
import { isStaff } from '../domain/account-policy.js';
import { type Account, createdBy, loginOf } from '../domain/account.js';
import { readScopes } from '../domain/rights.js';
import { AccountNotices } from '../../notices/index.js';
import { KEY_MODES, type KeyMode, newApiKey } from '../domain/tokens.js';
import { AuditLog } from '../logs/logs.store.js';
import { ManagedAccounts } from '../managed-accounts.store.js';
import { type ApiKeyAnswerData, apiKeyData } from './api-keys.dto.js';
import { ApiKeyStore, type KeyLimits } from './api-keys.store.js';
import { MadeThings, NOTHING_ENDED } from './made-things.js';

export interface ApiKeyWish {
  name: string | null;
  mode: string | null;
  allowedIps: string[];
  scopes: string[] | null;
  expiresAt: string | null;
  maxPerDay: number | null;
}

/** @throws AppError invalid for another word */
function readMode({ mode }: ApiKeyWish): KeyMode {
  const found = KEY_MODES.find((known) => known === (mode ?? 'live'));
  if (!found) throw fieldErrors.noWord('mode', KEY_MODES);
  return found;
}

/** @throws AppError 400 for the first fault, in the order of the fields */
function readLimits({ allowedIps, scopes, expiresAt: text, maxPerDay }: ApiKeyWish, zone: string): KeyLimits {
  const limits = { scopes: readScopes(scopes), allowedIps: readIpRanges('allowed_ips', allowedIps), maxPerDay };
  const expiresAt = readExpiresAt(text, zone);
  if (expiresAt !== null && expiresAt <= now()) throw fieldErrors.invalid('expires_at');
  return { ...limits, expiresAt };
}

/**
 * Creates an API key (reference/accounts#own-keys) and returns it, never again. Staff also prove the owner's password. @throws
 * AppError 400 `current_password is required`, 401, 429 as at login
 */
export class CreateApiKeyCommand extends Command<ApiKeyAnswerData & { key: string }> {
  constructor(
    readonly actor: Account,
    readonly wish: ApiKeyWish,
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
    private readonly notices: AccountNotices,
  ) {}

  async execute({ actor, wish, proof }: CreateApiKeyCommand): Promise<ApiKeyAnswerData & { key: string }> {
    const mode = readMode(wish);
    const limits = readLimits(wish, actor.timeZone);
    if (isStaff(actor.userType)) await this.credentials.proveActor(actor, proof);
    const key = newApiKey(mode);
    const row = await inTransaction(this.dataSource, async (tx) => {
      const created = await this.keys.create(tx, actor.id, {
        key,
        mode,
        ...limits,
        name: wish.name,
        createdBy: createdBy(actor),
      });
      const { last_used_at: _, created_by: __, created_at: ___, ...details } = apiKeyData(created, actor.timeZone);
      await this.audit.record(tx, { actor, action: 'api_key.create', subject: actor.username, details });
      return created;
    });
    const { id, ...rest } = apiKeyData(row, actor.timeZone);
    const by = loginOf(actor).username;
    const { assignedUser: _person, ...owner } = actor;
    await this.notices.notify(owner, { type: 'api_key.created', name: rest.name, prefix: rest.prefix, by });
    return { id, key, ...rest };
  }
}

/** Revokes an API key at once here, within 3 s elsewhere; can end what it made. @throws AppError 404 for a foreign key */
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

/** Revokes a managed account's leaked API key. @throws AppError as `ManagedAccounts.row`; 403 `Forbidden`; 404 */
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
      const owner = await this.managed.changeable(actor, username, tx);
      const { name, prefix } = await this.keys.revoke(tx, owner.id, id);
      const details = { id, name, prefix, revoke };
      await this.audit.record(tx, { actor, action: 'api_key.revoke', subject: username, accountId: owner.id, details });
      return revoke ? this.made.end(tx, actor, { account: owner, kind: 'key', ids: [id] }) : NOTHING_ENDED;
    });
    this.keys.forget();
    await this.made.finish(actor, ended);
  }
}
