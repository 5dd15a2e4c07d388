import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/index.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets at rest with AES-256-GCM under `ENCRYPTION_KEY`. A sealed text is `<key id>.<base64url>`; the id is a
 * digest of the key, so that a text sealed under another key is told from a damaged one.
 */
@Injectable()
export class Sealer {
  private readonly key: Buffer;
  private readonly keyId: string;

  constructor(@Inject(ENVIRONMENT) environment: Pick<Environment, 'ENCRYPTION_KEY'>) {
    this.key = Buffer.from(environment.ENCRYPTION_KEY, 'hex');
    this.keyId = createHash('sha256').update('switchboard key id').update(this.key).digest('hex').slice(0, 8);
  }

  /** Two seals of one text differ. */
  seal(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce);
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.keyId}.${sealed.toString('base64url')}`;
  }

  /** @throws Error when the text was sealed under another key or was changed; the message holds nothing of it */
  open(sealed: string): string {
    const [keyId, payload] = sealed.split('.');
    if (keyId !== this.keyId) throw new Error('A secret in the database was sealed under another ENCRYPTION_KEY');
    const bytes = Buffer.from(payload ?? '', 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('A sealed secret in the database is damaged');
    const decipher = createDecipheriv(CIPHER, this.key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    const text = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  }
}
