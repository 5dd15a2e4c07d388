import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { sha256 } from './merkle.js';

/** PKCS #8 of an Ed25519 key, before its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const RAW_BYTES = 32;

export interface SigningKey {
  id: string;
  /** raw, base64 */
  publicKey: string;
  sign(text: string): Buffer;
}

/** @param seed `SETTLEMENT_KEY`: 64 hexadecimal digits */
export function signingKey(seed: string): SigningKey {
  const key: KeyObject = createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.from(seed, 'hex')]),
    format: 'der',
    type: 'pkcs8',
  });
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-RAW_BYTES);
  return {
    id: keyId(raw),
    publicKey: raw.toString('base64'),
    sign: (text) => sign(null, Buffer.from(text), key),
  };
}

/** The name of a public key in settlements: the beginning of its digest. */
const keyId = (raw: Buffer): string => sha256(raw).toString('hex').slice(0, 16);

/** The house's key of settlements; null = they are off (reference/settlements#keys). */
@Injectable()
export class SettlementKey {
  readonly key: SigningKey | null;

  constructor(@Inject(ENVIRONMENT) { SETTLEMENT_KEY }: Pick<Environment, 'SETTLEMENT_KEY'>) {
    this.key = SETTLEMENT_KEY === undefined ? null : signingKey(SETTLEMENT_KEY);
  }
}
