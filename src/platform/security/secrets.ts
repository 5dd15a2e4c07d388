import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { availableParallelism } from 'node:os';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  SetMetadata,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import bcrypt from 'bcrypt';
import { DataSource, type EntityMetadata } from 'typeorm';
import { Semaphore } from '../concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import { again } from '../database/index.js';
import { tooMany } from './rate-limits.js';

/**
 * The key that signs and verifies tokens (HS256). A KeyObject, because jsonwebtoken tries to read a string as a public
 * key on every call, which makes verification 48 times slower.
 */
export const tokenKey = (environment: Pick<Environment, 'JWT_SECRET'>): KeyObject =>
  createSecretKey(Buffer.from(environment.JWT_SECRET, 'utf8'));

/** Compares secrets in a time that tells nothing, whatever their lengths. */
export function constantTimeEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b)) && a === b;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type Keys = Pick<Environment, 'ENCRYPTION_KEY'> & Partial<Pick<Environment, 'ENCRYPTION_KEYS_ACCEPTED'>>;

const read = (key: string): Buffer => Buffer.from(key, 'hex');

const idOf = (key: Buffer): string =>
  createHash('sha256').update('switchboard key id').update(key).digest('hex').slice(0, 8);

/** A key of its own for each purpose, so that a signature never tells anything of the key that seals. */
const hmacOf = (key: Buffer, purpose: string, text: string): string =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', `switchboard signature: ${purpose}`, 32)))
    .update(text)
    .digest('hex');

/** `changed` = the key is known and the signature is not of this text; `unknown key` = no key here could have made it. */
export type SignatureCheck = 'valid' | 'changed' | 'unknown key';

/**
 * Encrypts secrets at rest with AES-256-GCM under `ENCRYPTION_KEY`; opens what that key or one of
 * `ENCRYPTION_KEYS_ACCEPTED` sealed, so that keys can be changed. A sealed text is `<key id>.<base64url>`; the id is a
 * digest of the key, so that a text sealed under an unknown key is told from a damaged one.
 */
@Injectable()
export class Sealer {
  private readonly key: Buffer;
  private readonly keyId: string;
  private readonly keys: ReadonlyMap<string, Buffer>;

  constructor(@Inject(ENVIRONMENT) { ENCRYPTION_KEY: own, ENCRYPTION_KEYS_ACCEPTED: accepted = [] }: Keys) {
    this.key = read(own);
    this.keyId = idOf(this.key);
    this.keys = new Map([own, ...accepted].map(read).map((key) => [idOf(key), key]));
  }

  /** Whether there are further keys, so that texts may be waiting to be sealed anew. */
  get hasAccepted(): boolean {
    return this.keys.size > 1;
  }

  /** The keys that open texts, by digests that tell nothing of them; the first seals. */
  get keyIds(): string[] {
    return [...this.keys.keys()];
  }

  /** How every text begins that is sealed under `ENCRYPTION_KEY`. */
  get prefix(): string {
    return `${this.keyId}.`;
  }

  /** Two seals of one text differ. */
  seal(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce);
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.prefix}${sealed.toString('base64url')}`;
  }

  /** @throws Error when the text was sealed under a key that is not known or was changed; the message holds nothing of it */
  open(sealed: string): string {
    const [keyId, payload] = sealed.split('.');
    const key = this.keys.get(keyId ?? '');
    if (!key) throw new Error('A secret in the database was sealed under another ENCRYPTION_KEY');
    const bytes = Buffer.from(payload ?? '', 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('A sealed secret in the database is damaged');
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    const text = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  }

  /** @returns `<key id>.<HMAC-SHA256, hex>` under a key derived from `ENCRYPTION_KEY` for this purpose alone */
  sign(purpose: string, text: string): string {
    return `${this.prefix}${hmacOf(this.key, purpose, text)}`;
  }

  /** Accepts signatures of `ENCRYPTION_KEY` and of `ENCRYPTION_KEYS_ACCEPTED`; compares in constant time. */
  checkSignature(purpose: string, text: string, signature: string): SignatureCheck {
    const [keyId = '', hmac = ''] = signature.split('.');
    const key = this.keys.get(keyId);
    if (!key) return 'unknown key';
    return constantTimeEqual(hmac, hmacOf(key, purpose, text)) ? 'valid' : 'changed';
  }
}

const SEALED_COLUMNS = 'switchboard:sealed-columns';
const BATCH = 500;

/** Names the properties of an entity whose columns hold texts of the `Sealer`: they are sealed anew when its key changes. */
export const SealedColumns = (...properties: string[]): ClassDecorator => SetMetadata(SEALED_COLUMNS, properties);

const sealedColumnsOf = (target: unknown): string[] =>
  typeof target === 'function' ? ((Reflect.getMetadata(SEALED_COLUMNS, target) as string[] | undefined) ?? []) : [];

/**
 * Seals anew under `ENCRYPTION_KEY` what another accepted key has sealed, in the background after a start and only while
 * `ENCRYPTION_KEYS_ACCEPTED` names one. Several processes may do so at once: a row is changed only if it still is what was
 * read, so that a change by staff wins.
 */
@Injectable()
export class SealRenewal implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(SealRenewal.name);
  private running: Promise<unknown> = Promise.resolve();
  private stopped = false;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sealer: Sealer,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.sealer.hasAccepted) return;
    this.running = this.renew().then(
      (count) => this.logger.log({ count }, 'secrets were sealed under the present ENCRYPTION_KEY'),
      (error: unknown) => this.logger.error({ reason: (error as Error).message }, 'secrets could not be sealed anew'),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** @returns how many texts were sealed anew; one that no key opens stays as it is, and is logged */
  async renew(): Promise<number> {
    let count = 0;
    for (const entity of this.dataSource.entityMetadatas) {
      for (const property of sealedColumnsOf(entity.target)) count += await this.renewColumn(entity, property);
    }
    return count;
  }

  private async renewColumn(entity: EntityMetadata, property: string): Promise<number> {
    const column = entity.findColumnWithPropertyName(property)?.databaseName;
    const [key] = entity.primaryColumns;
    if (!column || !key || entity.primaryColumns.length > 1) {
      throw new Error(`${entity.name}.${property} is no column of a table with one key`);
    }
    const [table, id] = [entity.tableName, key.databaseName];
    let count = 0;
    for (let after: number | string | null = null; !this.stopped;) {
      const rows: { id: number | string; sealed: string }[] = await this.dataSource.query(
        `SELECT \`${id}\` AS id, \`${column}\` AS sealed FROM \`${table}\`
         WHERE \`${column}\` NOT LIKE ? ${after === null ? '' : `AND \`${id}\` > ?`} ORDER BY \`${id}\` LIMIT ${BATCH}`,
        after === null ? [`${this.sealer.prefix}%`] : [`${this.sealer.prefix}%`, after],
      );
      for (const row of rows) {
        const renewed = this.renewed(row.sealed);
        if (renewed === null) this.logger.error({ table, id: row.id }, 'a secret cannot be opened by any accepted key');
        else {
          const { affectedRows } = await this.dataSource.query<{ affectedRows: number }>(
            again(`UPDATE \`${table}\` SET \`${column}\` = ? WHERE \`${id}\` = ? AND \`${column}\` = ?`),
            [renewed, row.id, row.sealed],
          );
          count += affectedRows;
        }
      }
      after = rows.at(-1)?.id ?? null;
      if (rows.length < BATCH) break;
    }
    return count;
  }

  private renewed(sealed: string): string | null {
    try {
      return this.sealer.seal(this.sealer.open(sealed));
    } catch {
      return null;
    }
  }
}

const COST = 10;
/** bcrypt ignores what comes after. */
const MOST_BYTES = 72;
const PATIENCE_SECONDS = 10;
/** Threads of libuv's pool that are left to everything else. */
const SPARE_THREADS = 2;

/** Passwords at once: as many as cores, but never so many that nothing of libuv's pool is left. */
export const hashesAtOnce = (cores: number, poolSize: number): number =>
  Math.max(1, Math.min(cores, poolSize - SPARE_THREADS));

/**
 * bcrypt with cost 10, as many at once as there are cores (reference/requests#passwords-at-work) and threads to spare
 * in libuv's pool, where files and connections to named hosts are opened too. What waits longer than 10 s gets the 429
 * of every limit.
 */
@Injectable()
export class PasswordHasher {
  private readonly semaphore: Semaphore;

  constructor(@Inject(ENVIRONMENT) { UV_THREADPOOL_SIZE: poolSize }: Pick<Environment, 'UV_THREADPOOL_SIZE'>) {
    const refusal = (): Error => tooMany(PATIENCE_SECONDS);
    const permits = hashesAtOnce(availableParallelism(), poolSize);
    this.semaphore = new Semaphore(permits, { patienceMs: PATIENCE_SECONDS * 1000, refusal });
  }

  /** @param password at most 72 bytes count; longer ones are refused where passwords are set */
  hash(password: string): Promise<string> {
    return this.semaphore.run(() => bcrypt.hash(password, COST));
  }

  /**
   * True when the password made the hash. PHP's prefix `$2y$` names the same algorithm as `$2a$`
   * (reference/authentication#login). A text that is no bcrypt hash is false; so is, after the same time, a password of
   * more bytes than bcrypt reads.
   */
  async verify(password: string, hash: string): Promise<boolean> {
    const equal = await this.semaphore.run(() => bcrypt.compare(password, hash.replace(/^\$2y\$/, '$2a$')));
    return equal && Buffer.byteLength(password, 'utf8') <= MOST_BYTES;
  }
}
