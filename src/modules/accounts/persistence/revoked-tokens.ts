import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { TtlCache } from '../../../platform/caches/index.js';
import { GroupCommit, ONE_TURN } from '../../../platform/concurrency/index.js';
import { again } from '../../../platform/database/index.js';

/** How long a logout on another instance may take to act (reference/authentication#logout). */
const KEPT_MS = 3_000;
const PRUNED_AT_ONCE = 1_000;
/** The last second that the column holds; a token may claim to live longer. */
const LAST_SECOND = Date.UTC(9999, 11, 31) / 1000;

/** Tokens that were given back before their end, and a short-lived cache of them for the tokens of every request. */
@Injectable()
export class RevokedTokens {
  private readonly cache = new TtlCache<string, boolean>(KEPT_MS);
  private readonly reads = new GroupCommit<Buffer, boolean>((digests) => this.found(digests), ONE_TURN);

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
