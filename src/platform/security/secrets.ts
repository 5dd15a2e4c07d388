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

/** Key of tokens (HS256). A KeyObject: jsonwebtoken tries to parse a string as a public key at each call, 48 times slower. */
export const tokenKey = (environment: Pick<Environment, 'JWT_SECRET'>): KeyObject => keyOf(environment.JWT_SECRET);

const keyOf = (secret: string): KeyObject => createSecretKey(Buffer.from(secret, 'utf8'));

/** Finds the key that verifies a token: that of JWT_SECRET, or the one of JWT_SECRETS_ACCEPTED that signed it. */
export function tokenKeys(
  environment: Pick<Environment, 'JWT_SECRET' | 'JWT_SECRETS_ACCEPTED'>,
): (token: string) => KeyObject {
  const own = tokenKey(environment);
  const accepted = environment.JWT_SECRETS_ACCEPTED.map(keyOf);
  return (token) => (accepted.length === 0 ? own : (accepted.find((key) => isSignedBy(key, token)) ?? own));
}

function isSignedBy(key: KeyObject, token: string): boolean {
  const at = token.lastIndexOf('.');
  const signature = createHmac('sha256', key)
    .update(token.slice(0, Math.max(at, 0)))
    .digest('base64url');
  return constantTimeEqual(signature, token.slice(at + 1));
}

/** Compares secrets of any lengths in constant time. */
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

/** Derives a key for each purpose, so that a signature reveals nothing about the sealing key. */
const hmacOf = (key: Buffer, purpose: string, text: string): string =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', `switchboard signature: ${purpose}`, 32)))
    .update(text)
    .digest('hex');

/** `changed` = known key, but the text or signature differs; `unknown key` = no configured key made it. */
export type SignatureCheck = 'valid' | 'changed' | 'unknown key';

const BOUND = '2';

/** Where a sealed text stands: a copy of it in another column or row does not open. @param key unique, and never changed */
export const sealedIn = (table: string, column: string, key: number | string): string => `${table}.${column} ${key}`;

/**
 * AES-256-GCM under `ENCRYPTION_KEY`; also opens texts of `ENCRYPTION_KEYS_ACCEPTED`. A text is `<digest of the key>.2.<base64url>`,
 * bound to its place as associated data; those of before have no `2.` and no place.
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

  /** Whether further keys exist, so that texts may need resealing. */
  get hasAccepted(): boolean {
    return this.keys.size > 1;
  }

  /** Ids of the keys that open texts; the first key seals. */
  get keyIds(): string[] {
    return [...this.keys.keys()];
  }

  get prefix(): string {
    return `${this.keyId}.`;
  }

  /** Starts every text under the present key that is bound to its place. */
  get boundPrefix(): string {
    return `${this.prefix}${BOUND}.`;
  }

  /** Encrypts a text for a place (`sealedIn`), with a new nonce each time. */
  seal(text: string, place: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(place, 'utf8'));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.boundPrefix}${sealed.toString('base64url')}`;
  }

  /** @throws Error, without the text, when it was changed, was sealed for another place, or its key is unknown */
  open(sealed: string, place: string): string {
    const [keyId, ...rest] = sealed.split('.');
    const isBound = rest.length === 2 && rest[0] === BOUND;
    const payload = rest.at(-1);
    const key = this.keys.get(keyId ?? '');
    if (!key) throw new Error('A secret in the database was sealed under another ENCRYPTION_KEY');
    const bytes = Buffer.from(payload ?? '', 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('A sealed secret in the database is damaged');
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
    if (isBound) decipher.setAAD(Buffer.from(place, 'utf8'));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    const text = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  }

  /** @returns `<key id>.<HMAC-SHA256, hex>` under a key derived from `ENCRYPTION_KEY` for this purpose */
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

interface Sealed {
  properties: readonly string[];
  /** the property whose value names the row in `sealedIn`; default: the primary key */
  by?: string;
}

/** Names the entity's properties with sealed texts, which are resealed when the key changes. */
export const SealedColumns = (sealed: Sealed): ClassDecorator => SetMetadata(SEALED_COLUMNS, sealed);

const sealedColumnsOf = (target: unknown): Sealed =>
  (typeof target === 'function' && (Reflect.getMetadata(SEALED_COLUMNS, target) as Sealed | undefined)) || {
    properties: [],
  };

/** Reseals texts of accepted keys after a start. Conditional updates: parallel runs and staff's changes are safe. */
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

  /** @returns the number of resealed texts; a text that no key opens is logged and left */
  async renew(): Promise<number> {
    let count = 0;
    for (const entity of this.dataSource.entityMetadatas) {
      const { properties, by } = sealedColumnsOf(entity.target);
      for (const property of properties) count += await this.renewColumn(entity, property, by);
    }
    return count;
  }

  private async renewColumn(entity: EntityMetadata, property: string, by?: string): Promise<number> {
    const column = entity.findColumnWithPropertyName(property)?.databaseName;
    const [key] = entity.primaryColumns;
    const named = by === undefined ? key?.databaseName : entity.findColumnWithPropertyName(by)?.databaseName;
    if (!column || !key || !named || entity.primaryColumns.length > 1) {
      throw new Error(`${entity.name}.${property} is no column of a table with one key`);
    }
    const [table, id] = [entity.tableName, key.databaseName];
    let count = 0;
    for (let after: number | string | null = null; !this.stopped;) {
      const rows: { id: number | string; name: number | string; sealed: string }[] = await this.dataSource.query(
        `SELECT \`${id}\` AS id, \`${named}\` AS name, \`${column}\` AS sealed FROM \`${table}\`
         WHERE \`${column}\` NOT LIKE ? ${after === null ? '' : `AND \`${id}\` > ?`} ORDER BY \`${id}\` LIMIT ${BATCH}`,
        [`${this.sealer.boundPrefix}%`, ...(after === null ? [] : [after])],
      );
      for (const row of rows) {
        const renewed = this.renewed(row.sealed, sealedIn(table, column, row.name));
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

  private renewed(sealed: string, place: string): string | null {
    try {
      return this.sealer.seal(this.sealer.open(sealed, place), place);
    } catch {
      return null;
    }
  }
}

const COST = 10;
/** bcrypt ignores further bytes. */
const MOST_BYTES = 72;
const PATIENCE_SECONDS = 10;
/** Threads of libuv's pool left for other work. */
const SPARE_THREADS = 2;

/** Parallel hashes: one per core, but never all threads of libuv's pool. */
export const hashesAtOnce = (cores: number, poolSize: number): number =>
  Math.max(1, Math.min(cores, poolSize - SPARE_THREADS));

/** bcrypt, cost 10, one per core (reference/requests#passwords-at-work) minus spare threads; 429 after waiting 10 s. */
@Injectable()
export class PasswordHasher {
  private readonly semaphore: Semaphore;

  constructor(@Inject(ENVIRONMENT) { UV_THREADPOOL_SIZE: poolSize }: Pick<Environment, 'UV_THREADPOOL_SIZE'>) {
    const refusal = (): Error => tooMany(PATIENCE_SECONDS);
    const permits = hashesAtOnce(availableParallelism(), poolSize);
    this.semaphore = new Semaphore(permits, { patienceMs: PATIENCE_SECONDS * 1000, refusal });
  }

  /** @param password at most 72 bytes count; setting a longer one is refused */
  hash(password: string): Promise<string> {
    return this.semaphore.run(() => bcrypt.hash(password, COST));
  }

  /** Checks a password. `$2y$` equals `$2a$` (reference/authentication#login). Overlong: false, in the same time. */
  async verify(password: string, hash: string): Promise<boolean> {
    const equal = await this.semaphore.run(() => bcrypt.compare(password, hash.replace(/^\$2y\$/, '$2a$')));
    return equal && Buffer.byteLength(password, 'utf8') <= MOST_BYTES;
  }
}
