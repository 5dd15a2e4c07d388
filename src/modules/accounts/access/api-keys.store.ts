import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import type { Listed, Page } from '../../../kernel/lists.js';
import { TtlCache, GroupCommit, ONE_TICK } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { inListedOrder, listKeys } from '../../../platform/database/index.js';
import { RateCounters, tooMany } from '../../../platform/security/index.js';
import { assertWithin } from '../../quotas/index.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Scope, SCOPES } from '../domain/rights.js';
import { apiKeyDigest, apiKeyPrefix, type KeyMode } from '../domain/tokens.js';
import { ApiKeyEntity } from '../tables.js';

/** Maximum delay until a revocation on another instance takes effect. */
const KEPT_MS = 3_000;
const TOUCHED_EVERY_MS = 60_000;

export interface StoredApiKey {
  id: number;
  name: string | null;
  prefix: string;
  isTest: boolean;
  accountId: number;
  /** [] = anywhere */
  allowedIps: string[];
  scopes: readonly Scope[] | null;
  expiresAt: Date | null;
  maxPerDay: number | null;
  lastUsedAt: number;
}

export interface KeyLimits {
  allowedIps: string[];
  scopes: Scope[] | null;
  expiresAt: Date | null;
  maxPerDay: number | null;
}

interface NewApiKey extends KeyLimits {
  key: string;
  mode: KeyMode;
  name: string | null;
  createdBy: string;
}

/** Stores API keys, with a short-lived cache for authentication. */
@Injectable()
export class ApiKeyStore {
  private readonly cache = new TtlCache<string, StoredApiKey | null>(KEPT_MS);
  private readonly reads = new GroupCommit<string, StoredApiKey | null>((digests) => this.found(digests), ONE_TICK);
  private readonly logger = new Logger('ApiKeys');

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Returns null for an unknown or revoked key; cached for 3 s. */
  find(key: string): Promise<StoredApiKey | null> {
    const keyDigest = apiKeyDigest(key);
    return this.cache.get(keyDigest, () => this.reads.add(keyDigest));
  }

  /** Updates `last_used_at` at most once a minute, in the background; errors do not fail the request. */
  touch(key: StoredApiKey): void {
    const at = now();
    if (at.getTime() - key.lastUsedAt < TOUCHED_EVERY_MS) return;
    key.lastUsedAt = at.getTime();
    this.dataSource.manager.update(ApiKeyEntity, { id: key.id }, { lastUsedAt: at }).catch((error: unknown) => {
      this.logger.warn({ err: error, apiKey: key.id }, 'last_used_at could not be written');
    });
  }

  /** @throws AppError conflict when the account has `API_KEYS_PER_ACCOUNT` keys */
  async create(tx: EntityManager, accountId: number, fields: NewApiKey): Promise<ApiKeyEntity> {
    const row = tx.create(ApiKeyEntity, {
      accountId,
      name: fields.name,
      prefix: apiKeyPrefix(fields.key),
      keyDigest: apiKeyDigest(fields.key),
      isTest: fields.mode === 'test' ? 1 : 0,
      allowedIps: JSON.stringify(fields.allowedIps),
      scopes: fields.scopes && fields.scopes.join(','),
      expiresAt: fields.expiresAt,
      maxPerDay: fields.maxPerDay,
      lastUsedAt: null,
      createdBy: fields.createdBy,
      createdAt: now(),
    });
    await tx.insert(ApiKeyEntity, row);
    const quota = { accountId, kind: 'api_keys', most: this.environment.API_KEYS_PER_ACCOUNT } as const;
    await assertWithin(tx, quota, ApiKeyEntity, accountErrors.tooManyApiKeys);
    return row;
  }

  async part(accountId: number, page: Page): Promise<Listed<ApiKeyEntity>> {
    const ranges = [{ where: 'account_id = ?', values: [accountId] }];
    const list = { table: 'api_keys', index: 'ix_api_keys_account', key: 'id', order: 'DESC', ranges } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(ApiKeyEntity).findBy({ id: In(ids.items) });
    return inListedOrder(ids, rows, ({ id }) => id);
  }

  /** Call `forget` after the commit. @throws AppError not_found for a foreign key */
  async revoke(tx: EntityManager, accountId: number, id: number): Promise<ApiKeyEntity> {
    const row = await tx.findOne(ApiKeyEntity, { where: { id, accountId }, lock: { mode: 'pessimistic_write' } });
    if (!row) throw accountErrors.apiKeyNotFound();
    await tx.delete(ApiKeyEntity, { id });
    return row;
  }

  forget(): void {
    this.cache.clear();
  }

  private async found(digests: readonly string[]): Promise<(StoredApiKey | null)[]> {
    const rows = await this.dataSource.manager.findBy(ApiKeyEntity, { keyDigest: In(digests) });
    const byDigest = new Map(rows.map((row) => [row.keyDigest, toStored(row)]));
    return digests.map((digest) => byDigest.get(digest) ?? null);
  }
}

const DAY_MS = 86_400_000;

/** Requests of keys with a daily limit, counted over all instances; each by itself while Redis is away. */
@Injectable()
export class ApiKeyUses {
  constructor(private readonly counters: RateCounters) {}

  /** Counts a request. @throws AppError too_many beyond the limit */
  async count(id: number, maxPerDay: number): Promise<void> {
    const { count, leftMs } = await this.counters.add(counterOf(id), 1, DAY_MS);
    if (count > maxPerDay) throw tooMany(leftMs / 1000);
  }

  /** Requests so far of those keys that have a limit, by id. */
  async of(keys: readonly ApiKeyEntity[]): Promise<ReadonlyMap<number, number>> {
    const limited = keys.filter(({ maxPerDay }) => maxPerDay !== null);
    return new Map(
      await Promise.all(
        limited.map(async ({ id }): Promise<[number, number]> => [id, await this.counters.peek(counterOf(id))]),
      ),
    );
  }
}

const counterOf = (id: number): string => `api-key-day:${id}`;

export const scopesOf = ({ scopes }: ApiKeyEntity): Scope[] | null =>
  scopes === null ? null : SCOPES.filter((scope) => scopes.split(',').includes(scope));

const toStored = (row: ApiKeyEntity): StoredApiKey => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  isTest: row.isTest === 1,
  accountId: row.accountId,
  allowedIps: JSON.parse(row.allowedIps) as string[],
  scopes: scopesOf(row),
  expiresAt: row.expiresAt,
  maxPerDay: row.maxPerDay,
  lastUsedAt: row.lastUsedAt?.getTime() ?? 0,
});
