import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { keepUrl } from '../../kernel/urls.js';
import { inTransaction, isDuplicateKey } from '../../platform/database/index.js';
import { type Account, AuditLog, ManagedAccounts } from '../accounts/index.js';
import {
  type ChatAccountDraft,
  ChatAccounts,
  type ChatConnection,
  formerSecret,
  hostsOf,
  MetaCloudClient,
} from '../providers/index.js';
import { GuardedAddresses } from './routes.commands.js';
import { connectionErrors } from './routes.errors.js';
import { RouteQueues } from '../engine/index.js';

/** Fields that staff cannot write. */
type Kept = 'accountId' | 'connection' | 'formerAppSecret' | 'formerVerifyToken' | 'guarded';

/** An absent field keeps its value, null clears it. */
export type ChatAccountChanges = {
  [Field in Exclude<keyof ChatAccountDraft, Kept>]: ChatAccountDraft[Field] | undefined;
};

/** Creates or changes a chat connection (reference/admin#chat-accounts). @throws AppError 404, 400 for missing fields */
export class PutChatAccountCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly connection: ChatConnection,
    readonly changes: ChatAccountChanges,
  ) {
    super();
  }
}

@CommandHandler(PutChatAccountCommand)
export class PutChatAccountHandler implements ICommandHandler<PutChatAccountCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly chatAccounts: ChatAccounts,
    private readonly client: MetaCloudClient,
    private readonly addresses: GuardedAddresses,
    private readonly audit: AuditLog,
  ) {}

  async execute(command: PutChatAccountCommand): Promise<void> {
    const put = (): Promise<void> => inTransaction(this.dataSource, (tx) => this.put(tx, command));
    try {
      // The loser of two concurrent creations changes the winner's row.
      await put().catch((error: unknown) => (isDuplicateKey(error) ? put() : Promise.reject(error as Error)));
    } finally {
      this.chatAccounts.forget();
    }
  }

  private async put(tx: EntityManager, command: PutChatAccountCommand): Promise<void> {
    const { actor, username, connection, changes } = command;
    const { id: accountId } = await this.managed.find(actor, username, tx);
    const current = await this.chatAccounts.locked(tx, accountId, connection);
    const provider = changes.provider ?? current?.provider;
    if (provider === undefined) throw connectionErrors.providerRequired();
    const kept = <Field extends keyof ChatAccountChanges>(field: Field): ChatAccountDraft[Field] | null =>
      changes[field] === undefined ? (current?.[field] ?? null) : changes[field];
    const givenUrl = kept('url');
    const url = givenUrl === null ? null : keepUrl(givenUrl, current?.url);
    if (givenUrl !== null && url === null) throw connectionErrors.urlWithAddress();
    // Only the token is sent to the address; the other two secrets verify what comes from there.
    const base = this.client.baseUrl({ url });
    const isMoved = base !== null && base !== this.client.baseUrl({ url: current?.url ?? null });
    if (isMoved && changes.token === undefined && current?.token) {
      throw connectionErrors.tokenWithAddress();
    }
    const hosts = url === null ? [] : hostsOf({ url }, ['url']);
    const written = { current: current?.guarded ?? false, isKept: current !== null && current.url === url, hosts };
    const guarded = await this.addresses.check(actor, written, connectionErrors.closedAddress);
    await this.chatAccounts.put(tx, {
      accountId,
      connection,
      provider,
      number: kept('number'),
      url,
      token: kept('token'),
      appId: kept('appId'),
      appSecret: kept('appSecret'),
      formerAppSecret: formerSecret(current?.appSecret, changes.appSecret, current?.formerAppSecret),
      verifyToken: kept('verifyToken'),
      formerVerifyToken: formerSecret(current?.verifyToken, changes.verifyToken, current?.formerVerifyToken),
      bmid: kept('bmid'),
      wabaId: kept('wabaId'),
      messagesPerSecond: kept('messagesPerSecond'),
      guarded,
    });
    // Names of fields, not their values: a URL may hold a secret too.
    const given = Object.entries(changes)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value] as const);
    const details = {
      channel: connection,
      provider,
      guarded,
      set: given.filter(([, value]) => value !== null).map(([field]) => field),
      cleared: given.filter(([, value]) => value === null).map(([field]) => field),
    };
    await this.audit.record(tx, {
      actor,
      action: 'chat_account.put',
      subject: username,
      accountId: accountId,
      details,
    });
  }
}

/** Removes a chat connection. @throws AppError 404 `Account not found`, `Chat account not found`; 409 while in use */
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
    private readonly queues: RouteQueues,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, username, connection }: RemoveChatAccountCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const { id } = await this.managed.find(actor, username, tx);
      const account = await this.chatAccounts.locked(tx, id, connection);
      if (!account) throw connectionErrors.notFound();
      if (await this.queues.unfinishedOn(tx, account.id)) {
        throw connectionErrors.inUse();
      }
      await this.chatAccounts.remove(tx, account.id);
      const details = { channel: connection, provider: account.provider };
      await this.audit.record(tx, { actor, action: 'chat_account.delete', subject: username, accountId: id, details });
    });
    this.chatAccounts.forget();
  }
}
