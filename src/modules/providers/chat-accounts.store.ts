import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { TtlCache } from '../../platform/concurrency/index.js';
import { Sealer } from '../../platform/security/index.js';
import type { ChatAccount, ChatConnection } from './chat-account.js';
import { type MetaCloudConfig, metaCloudConfigSchema } from './drivers/meta-cloud/config.js';
import { openRoute, placeOfConfig, RouteDirectory, type RouteRecord } from './routes.store.js';
import { RouteEntity } from './tables.js';

export interface ChatAccountRecord extends ChatAccount {
  createdAt: Date;
  updatedAt: Date;
}

export type ChatAccountDraft = Omit<ChatAccount, 'id'>;

const KEPT_MS = 2_000;
const CHANNEL = 'chat';
/** All providers share one API (reference/providers#drivers); the config names the provider. */
const DRIVER = 'meta_cloud';
const UNUSED_SECRET_BYTES = 24;

/** Customers' chat accounts, one per connection, read one by one and cached for 2 s. */
@Injectable()
export class ChatAccounts {
  private readonly cache = new TtlCache<string, ChatAccountRecord | null>(KEPT_MS);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sealer: Sealer,
    private readonly routes: RouteDirectory,
  ) {}

  find(accountId: number, connection: ChatConnection): Promise<ChatAccountRecord | null> {
    return this.cache.get(`${accountId} ${connection}`, async () => {
      const row = await this.dataSource.getRepository(RouteEntity).findOneBy({ accountId, connection });
      return row && toAccount(openRoute(row, this.sealer));
    });
  }

  async byId(id: number): Promise<ChatAccountRecord | null> {
    const route = await this.routes.byId(id);
    return route && toAccount(route);
  }

  async locked(tx: EntityManager, accountId: number, connection: ChatConnection): Promise<ChatAccountRecord | null> {
    const row = await tx.findOne(RouteEntity, {
      where: { accountId, connection },
      lock: { mode: 'pessimistic_write' },
    });
    return row && toAccount(openRoute(row, this.sealer));
  }

  /** Creates or replaces a connection. Call `forget` after the commit. */
  async put(tx: EntityManager, draft: ChatAccountDraft): Promise<ChatAccountRecord> {
    const { accountId, connection, messagesPerSecond, guarded = false } = draft;
    const at = now();
    // operators cannot use slashes in names, so names never collide
    const name = `${CHANNEL}/${accountId}/${connection}`;
    const config = this.sealer.seal(JSON.stringify(toConfig(draft)), placeOfConfig(name));
    const updated = await tx.update(
      RouteEntity,
      { accountId, connection },
      { config, messagesPerSecond, guarded, updatedAt: at },
    );
    if (!updated.affected) {
      await tx.insert(RouteEntity, {
        name,
        channel: CHANNEL,
        driver: DRIVER,
        config,
        messagesPerSecond,
        guarded,
        defaultFor: null,
        accountId,
        connection,
        // unused: callbacks of chat accounts are signed
        callbackSecret: randomBytes(UNUSED_SECRET_BYTES).toString('base64url'),
        paceUs: 0,
        createdAt: at,
        updatedAt: at,
      });
    }
    const row = await tx.findOneByOrFail(RouteEntity, { accountId, connection });
    const account = toAccount(openRoute(row, this.sealer));
    if (!account) throw new Error('A chat account was stored that cannot be read');
    return account;
  }

  /** Removes a connection. Call `forget` after the commit. */
  async remove(tx: EntityManager, id: number): Promise<void> {
    await tx.delete(RouteEntity, { id, channel: CHANNEL });
  }

  forget(): void {
    this.cache.clear();
    this.routes.forget();
  }
}

function toAccount(route: RouteRecord): ChatAccountRecord | null {
  if (!route.owner) return null;
  const { app_id, app_secret, verify_token, former_app_secret, former_verify_token, waba_id, ...config } =
    metaCloudConfigSchema.parse(route.config);
  return {
    ...config,
    id: route.id,
    accountId: route.owner.accountId,
    connection: route.owner.connection as ChatConnection,
    appId: app_id,
    appSecret: app_secret,
    verifyToken: verify_token,
    formerAppSecret: former_app_secret ?? null,
    formerVerifyToken: former_verify_token ?? null,
    wabaId: waba_id,
    messagesPerSecond: route.messagesPerSecond,
    guarded: route.guarded,
    createdAt: route.createdAt,
    updatedAt: route.updatedAt,
  };
}

const toConfig = (account: ChatAccountDraft): MetaCloudConfig => ({
  provider: account.provider,
  number: account.number,
  url: account.url,
  token: account.token,
  app_id: account.appId,
  app_secret: account.appSecret,
  verify_token: account.verifyToken,
  former_app_secret: account.formerAppSecret ?? null,
  former_verify_token: account.formerVerifyToken ?? null,
  bmid: account.bmid,
  waba_id: account.wabaId,
});
