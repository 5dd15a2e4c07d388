import { createCipheriv, hash } from 'node:crypto';
import { RecipientStatus } from '../engine/index.js';
import { LEAVES_A_PAGE, sha256 } from './merkle.js';

/** Names the encodings of this file (reference/settlements#encoding): another one gets another number. */
export const SETTLEMENT_FORMAT = 'switchboard-settlement/1';
export const BUNDLE_FORMAT = 'switchboard-settlement-bundle/1';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** JSON with sorted names and without white space: one text for one value. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value as Record<string, Json>).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

const { Answered, Busy, Cancelled, Delivered, Failed, NoAnswer, Read } = RecipientStatus;

/** Names of final statuses. A message that was read counts as delivered: reading may come after the settlement. */
const STATUS_NAMES: Partial<Record<RecipientStatus, string>> = {
  [Delivered]: 'delivered',
  [Read]: 'delivered',
  [Failed]: 'failed',
  [Cancelled]: 'cancelled',
  [Answered]: 'answered',
  [NoAnswer]: 'no_answer',
  [Busy]: 'busy',
};

export const SETTLED_STATUSES = [...new Set(Object.values(STATUS_NAMES))];

/** The final name of a status; null = the recipient is not final. */
export const statusName = (status: RecipientStatus): string | null => STATUS_NAMES[status] ?? null;

/** What a settlement says about a recipient. */
export interface SettledRecipient {
  seq: number;
  number: string;
  status: string;
  code: string | null;
  parts: number;
  /** credits */
  price: number;
  refund: number;
  /** channel, and category if there is one: never a carrier's name */
  routeClass: string;
  acceptedAt: number;
  finalAt: number;
}

/** The leaf's text: a JSON array. @param tag keyed hash of the number (`tagOf`) */
export const recipientText = (tag: string, of: SettledRecipient): string =>
  JSON.stringify([
    tag,
    of.seq,
    of.status,
    of.code,
    of.parts,
    of.price,
    of.refund,
    of.routeClass,
    of.acceptedAt,
    of.finalAt,
  ]);

export interface SettledEntry {
  id: number;
  kind: string;
  balance: string;
  amount: number;
  available: number;
  createdAt: number;
}

export const entryText = ({ id, kind, balance, amount, available, createdAt }: SettledEntry): string =>
  JSON.stringify([id, kind, balance, amount, available, createdAt]);

const SALT_BYTES = 16;
export const PAGE_KEY_BYTES = 32;
const NO_SALTS = Buffer.alloc(LEAVES_A_PAGE * SALT_BYTES);
const NO_IV = Buffer.alloc(16);

/**
 * The salts of a page: 16 bytes a recipient. A page key expands to them (AES-256-CTR); once a person of the page is erased, the
 * page keeps the salts of the others instead, and no key (docs/decisions/0072).
 * @param kept as stored: a page key, or the remaining salts @returns the salt at an index, null = erased
 */
export function saltsOf(kept: Buffer): (index: number) => Buffer | null {
  const isKey = kept.length === PAGE_KEY_BYTES;
  const salts = isKey ? createCipheriv('aes-256-ctr', kept, NO_IV).update(NO_SALTS) : kept;
  return (index) => {
    const salt = salts.subarray(index * SALT_BYTES, (index + 1) * SALT_BYTES);
    return isKey || salt.some((byte) => byte !== 0) ? salt : null;
  };
}

/** The page without the salts of some recipients. @returns what replaces the stored key or salts */
export function withoutSalts(kept: Buffer, indexes: readonly number[]): Buffer {
  const saltAt = saltsOf(kept);
  const salts = Buffer.alloc(LEAVES_A_PAGE * SALT_BYTES);
  for (let index = 0; index < LEAVES_A_PAGE; index++) saltAt(index)?.copy(salts, index * SALT_BYTES);
  for (const index of indexes) salts.fill(0, index * SALT_BYTES, (index + 1) * SALT_BYTES);
  return salts;
}

const BLOCK = 64;

/** HMAC-SHA-256 of the number under the recipient's salt, base64url. Two one-shot hashes cost half of an Hmac object. */
export function tagOf(salt: Buffer, number: string): string {
  const inner = Buffer.alloc(BLOCK + number.length, 0x36);
  const outer = Buffer.alloc(BLOCK + 32, 0x5c);
  for (let at = 0; at < salt.length; at++) {
    const byte = salt[at] ?? 0;
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  inner.write(number, BLOCK, 'latin1');
  sha256(inner).copy(outer, BLOCK);
  return hash('sha256', outer, 'base64url');
}
