import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { TtlCache, GroupCommit, ONE_TICK } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { again, inTransaction } from '../../../platform/database/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { networksOf } from '../../../platform/security/index.js';
import { LoginAddressEntity } from '../tables.js';

const KEPT_DAYS = 90;
const MOST_ADDRESSES = 20;
/** Minimum interval between writes for one holder and address. */
const WRITTEN_EVERY_MS = 3_600_000;

/** Keeps the latest 20 login networks per holder for 90 days, as digests keyed by ENCRYPTION_KEY (IPv6: /64). */
@Injectable()
export class LoginAddresses {
  private readonly key: Buffer;
  private readonly written = new TtlCache<string, void>(WRITTEN_EVERY_MS);
  private readonly logger = new Logger('LoginAddresses');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) { ENCRYPTION_KEY }: Environment,
  ) {
    this.key = Buffer.from(hkdfSync('sha256', Buffer.from(ENCRYPTION_KEY, 'hex'), '', 'login addresses', 32));
  }

  async knows(holderId: number, ip: string): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      `SELECT 1 FROM login_addresses
       WHERE holder_id = ? AND digest = ? AND seen_at > UTC_TIMESTAMP(3) - INTERVAL ${KEPT_DAYS} DAY`,
      [holderId, this.digestOf(holderId, ip)],
    );
    return rows.length > 0;
  }

  /** Call after a login; errors are logged and do not fail it. */
  async remember(holderId: number, ip: string): Promise<void> {
    const digest = this.digestOf(holderId, ip);
    try {
      await this.written.get(`${holderId} ${digest.toString('base64')}`, () => this.write(holderId, digest));
    } catch (error) {
      this.logger.warn({ err: safeError(error) }, 'the address of a login could not be kept');
    }
  }

  /** Forgets all addresses of a holder, because a thief of the old password may have logged in. */
  async forget(tx: EntityManager, holderId: number): Promise<void> {
    await tx.delete(LoginAddressEntity, { holderId });
    this.written.clear();
  }

  private async write(holderId: number, digest: Buffer): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await tx.query(
        `INSERT INTO login_addresses (holder_id, digest, seen_at) VALUES (?, ?, UTC_TIMESTAMP(3))
         ON DUPLICATE KEY UPDATE seen_at = UTC_TIMESTAMP(3)`,
        [holderId, digest],
      );
      await tx.query(
        `DELETE FROM login_addresses WHERE holder_id = ? AND digest NOT IN (SELECT digest FROM (
           SELECT digest FROM login_addresses WHERE holder_id = ? ORDER BY seen_at DESC LIMIT ${MOST_ADDRESSES}
         ) AS latest)`,
        [holderId, holderId],
      );
    });
  }

  private digestOf(holderId: number, ip: string): Buffer {
    return createHmac('sha256', this.key)
      .update(`${holderId} ${networksOf(ip)[0]?.name ?? ip}`)
      .digest();
  }
}

/** Maximum delay until a logout on another instance takes effect (reference/authentication#logout). */
const KEPT_MS = 3_000;
const PRUNED_AT_ONCE = 1_000;
const TOKEN_MS = 7 * 86_400_000;
/** Limit of the column; a token may claim a later expiry. */
const LAST_SECOND = Date.UTC(9999, 11, 31) / 1000;

interface Checked {
  token: string;
  holderId: number;
}

/**
 * Stores revoked tokens that have no session: those of before there were sessions. With a short-lived cache for token checks.
 */
@Injectable()
export class RevokedTokens {
  private readonly cache = new TtlCache<string, boolean>(KEPT_MS);
  private readonly reads = new GroupCommit<Checked, boolean>((items) => this.found(items), ONE_TICK);

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Cached for 3 s; reads of one event-loop tick share a statement. */
  includes(token: string, holderId: number): Promise<boolean> {
    return this.cache.get(token, () => this.reads.add({ token, holderId }));
  }

  /** Revokes every token of a login that has no session; call `forget` after the commit. */
  async addAllOf(tx: EntityManager, holderId: number): Promise<void> {
    const until = new Date(now().getTime() + TOKEN_MS);
    await tx.query(
      'INSERT INTO revoked_tokens (digest, expires_at) VALUES (?, ?) ON DUPLICATE KEY UPDATE expires_at = ?',
      [digestOfHolder(holderId), until, until],
    );
  }

  forget(): void {
    this.cache.clear();
  }

  /** Revokes at once here, within 3 s elsewhere, and deletes expired rows. `expiresAt`: epoch seconds. */
  async add(token: string, expiresAt: number): Promise<void> {
    await this.dataSource.query(again('INSERT IGNORE INTO revoked_tokens (digest, expires_at) VALUES (?, ?)'), [
      digestOf(token),
      new Date(Math.min(expiresAt, LAST_SECOND) * 1000),
    ]);
    this.cache.clear();
    await this.dataSource.query(
      again(
        `DELETE FROM revoked_tokens WHERE expires_at < UTC_TIMESTAMP(3) ORDER BY expires_at LIMIT ${PRUNED_AT_ONCE}`,
      ),
    );
  }

  private async found(items: readonly Checked[]): Promise<boolean[]> {
    const pairs = items.map(({ token, holderId }) => [digestOf(token), digestOfHolder(holderId)]);
    const rows = await this.dataSource.query<{ digest: Buffer }[]>(
      'SELECT digest FROM revoked_tokens WHERE digest IN (?)',
      [pairs.flat()],
    );
    return pairs.map((pair) => rows.some((row) => pair.some((digest) => row.digest.equals(digest))));
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** No token is such a text. */
const digestOfHolder = (holderId: number): Buffer => digestOf(`login ${holderId}`);
