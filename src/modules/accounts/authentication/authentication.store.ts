import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { TtlCache, GroupCommit, ONE_TICK } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { again, inTransaction } from '../../../platform/database/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { networksOf } from '../../../platform/security/index.js';
import { LoginAddressEntity } from '../tables.js';

const KEPT_DAYS = 90;
const MOST_ADDRESSES = 20;
/** One write for all logins of a holder from an address in this time. */
const WRITTEN_EVERY_MS = 3_600_000;

/**
 * The addresses (of IPv6: the /64) from which accounts and assigned users have logged in, the latest 20 of each, for 90
 * days. Only a digest under a key of ours is kept; under a new ENCRYPTION_KEY every address is new.
 */
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

  /** @param holderId id of an account or assigned user */
  async knows(holderId: number, ip: string): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      `SELECT 1 FROM login_addresses
       WHERE holder_id = ? AND digest = ? AND seen_at > UTC_TIMESTAMP(3) - INTERVAL ${KEPT_DAYS} DAY`,
      [holderId, this.digestOf(holderId, ip)],
    );
    return rows.length > 0;
  }

  /** To be called after a login. A fault is logged and ends no login. */
  async remember(holderId: number, ip: string): Promise<void> {
    const digest = this.digestOf(holderId, ip);
    try {
      await this.written.get(`${holderId} ${digest.toString('base64')}`, () => this.write(holderId, digest));
    } catch (error) {
      this.logger.warn({ err: safeError(error) }, 'the address of a login could not be kept');
    }
  }

  /** All of one login: a thief of the old password has perhaps logged in too. `remember` writes anew at once. */
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

/** How long a logout on another instance may take to act (reference/authentication#logout). */
const KEPT_MS = 3_000;
const PRUNED_AT_ONCE = 1_000;
/** The last second that the column holds; a token may claim to live longer. */
const LAST_SECOND = Date.UTC(9999, 11, 31) / 1000;

/** Tokens that were given back before their end, and a short-lived cache of them for the tokens of every request. */
@Injectable()
export class RevokedTokens {
  private readonly cache = new TtlCache<string, boolean>(KEPT_MS);
  private readonly reads = new GroupCommit<Buffer, boolean>((digests) => this.found(digests), ONE_TICK);

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Cached for 3 s; what is asked for in one turn of the event loop is one statement. */
  includes(token: string): Promise<boolean> {
    return this.cache.get(token, () => this.reads.add(digestOf(token)));
  }

  /**
   * At once on this instance, within 3 s on the others. Rows of tokens that have ended go at the same time, so that
   * there are about as many as there are logouts in the life of a token.
   * @param expiresAt `exp` of the token, in seconds since the epoch
   */
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

  private async found(digests: readonly Buffer[]): Promise<boolean[]> {
    const rows = await this.dataSource.query<{ digest: Buffer }[]>(
      'SELECT digest FROM revoked_tokens WHERE digest IN (?)',
      [digests],
    );
    return digests.map((digest) => rows.some((row) => row.digest.equals(digest)));
  }
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
