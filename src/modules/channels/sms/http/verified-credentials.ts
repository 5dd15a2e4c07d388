import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../../../platform/caches/index.js';
import { type Account, Credentials } from '../../../accounts/index.js';

const KEPT_MS = 60_000;
const MOST_ENTRIES = 10_000;

/**
 * Credentials of `sms_get.php`: a pair that was verified is remembered for 60 s (reference/sms#sms_getphp), so that a
 * client that sends message after message does not wait for bcrypt each time. Only a digest under a key of this process
 * is kept. A changed password, a closed or an expired account ends it at once. An API key in place of the password
 * needs no bcrypt and is looked up by itself.
 */
@Injectable()
export class VerifiedCredentials {
  private readonly key = randomBytes(32);
  private readonly verified = boundedCache<string, Account>(MOST_ENTRIES, { ttlMs: KEPT_MS });
  private readonly pending = new Map<string, Promise<Account>>();

  constructor(private readonly credentials: Credentials) {}

  /**
   * @param ip the client's address: failures count against it
   * @throws AppError the errors of login: unauthenticated, too_many
   */
  async check(username: string, password: string, ip: string): Promise<Account> {
    const byKey = await this.credentials.checkApiKey(username, password, ip);
    if (byKey) return byKey;
    const digest = this.digestOf(username, password);
    const known = await this.recall(digest);
    return known ?? this.verify(digest, username, password, ip);
  }

  private digestOf(username: string, password: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([username, password]))
      .digest('base64');
  }

  private async recall(digest: string): Promise<Account | null> {
    const verified = this.verified.get(digest);
    if (!verified) return null;
    const account = await this.credentials.recall(verified);
    if (!account) this.verified.delete(digest);
    return account;
  }

  /**
   * Equal tries that arrive at the same moment share one verification while it succeeds. A failure is each caller's
   * own, so that every try counts against the limits.
   */
  private verify(digest: string, username: string, password: string, ip: string): Promise<Account> {
    const running = this.pending.get(digest);
    if (running) return running.catch(() => this.credentials.check(username, password, ip));
    const check = this.credentials
      .check(username, password, ip)
      .then((account) => {
        this.verified.set(digest, account);
        return account;
      })
      .finally(() => this.pending.delete(digest));
    this.pending.set(digest, check);
    return check;
  }
}
