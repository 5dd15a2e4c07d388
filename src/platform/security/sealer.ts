import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { constantTimeEqual } from './keys.js';

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
