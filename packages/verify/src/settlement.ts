import { bytesOf, bytesOfBase64, canonical, fail, hexOf } from './encoding.js';
import { sha256 } from './sha256.js';

const FORMAT = 'switchboard-settlement/1';

export interface Totals {
  recipients: number;
  statuses: Record<string, number>;
  parts: number;
  charged: number;
  refunded: number;
  net: number;
}

export interface Statement {
  format: string;
  type: string;
  account: string;
  number: number;
  previous: string | null;
  restored_at: string | null;
  request_id: string;
  balance: string;
  root: string;
  totals: Totals;
  entries: { count: number; root: string };
  key: string;
}

/** As the API answers: `GET /v6/api/campaigns/{request_id}/settlement`. */
export interface SignedSettlement {
  statement: Statement;
  digest: string;
  signature: string;
  public_key: string;
}

/** As `GET /.well-known/switchboard-settlement-keys` has them. */
export interface PublishedKey {
  id: string;
  public_key: string;
}

export interface Options {
  /** keys of the house, from a source that you trust; absent = the settlement's own key is believed */
  keys?: readonly PublishedKey[];
}

const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** Checks form, digest, key and signature. @throws Problem */
export async function checkSignature(settlement: SignedSettlement, options: Options): Promise<void> {
  checkForm(settlement.statement);
  await checkSigned(settlement, options);
}

/** What is signed, of any type. */
export interface Signed {
  statement: { key: string };
  digest: string;
  signature: string;
  public_key: string;
}

/** Checks digest, key and signature. @throws Problem */
export async function checkSigned(signed: Signed, { keys }: Options): Promise<void> {
  const { statement, digest, signature, public_key: publicKey } = signed;
  const text = bytesOf(canonical(statement));
  if (hexOf(sha256(text)) !== digest) fail('The digest is not that of the statement.');
  const raw = bytesOfBase64(publicKey);
  if (raw?.length !== 32 || hexOf(sha256(raw)).slice(0, 16) !== statement.key)
    fail('The public key is not the one that the statement names.');
  if (keys && !keys.some((known) => known.id === statement.key && known.public_key === publicKey))
    fail(`The house has not published the key ${statement.key}, which signed the settlement.`);
  const bytes = bytesOfBase64(signature);
  if (bytes?.length !== 64) fail('The signature is not one of Ed25519.');
  const key = await crypto.subtle.importKey('raw', copied(raw), { name: 'Ed25519' }, false, ['verify']);
  if (!(await crypto.subtle.verify({ name: 'Ed25519' }, key, copied(bytes), copied(text))))
    fail('The signature does not fit the statement: it was changed after it was signed.');
}

/** A statement as a file may have it. */
interface Unread {
  format?: unknown;
  number?: unknown;
  totals?: { recipients?: unknown; parts?: unknown; charged?: unknown; refunded?: unknown } | null;
  entries?: { count?: unknown } | null;
}

/** What comes from a file has any form. */
function checkForm(statement: Unread | null | undefined): void {
  if (statement?.format !== FORMAT) fail(`The format of the statement is not ${FORMAT}.`);
  const { totals, entries, number } = statement;
  const counts = [totals?.recipients, totals?.parts, totals?.charged, totals?.refunded, entries?.count, number];
  if (!counts.every(isCount)) fail('The statement lacks a figure.');
}

const copied = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

/** Checks that settlements of one account follow each other, in any order given. @throws Problem */
export async function checkChain(settlements: readonly SignedSettlement[], options: Options): Promise<void> {
  for (const settlement of settlements) await checkSignature(settlement, options);
  const sorted = [...settlements].sort((a, b) => a.statement.number - b.statement.number);
  for (const [index, { statement }] of sorted.entries()) {
    const before = sorted[index - 1];
    if (statement.number === 1 && statement.previous !== null) fail('The first settlement names one before it.');
    if (before) checkLink(before, statement);
  }
}

function checkLink(before: SignedSettlement, { account, number, previous, restored_at: restored }: Statement): void {
  if (before.statement.account !== account) fail('The settlements are of different accounts.');
  const why = restored ?? before.statement.restored_at;
  if (number === before.statement.number) {
    const reason = why === null ? 'and no restore explains it' : `since the house was restored from a copy at ${why}`;
    fail(`The chain forks: there are two settlements with the number ${number}, ${reason}.`);
  }
  if (number !== before.statement.number + 1)
    fail(`Settlements are missing between the numbers ${before.statement.number} and ${number}.`);
  if (previous !== before.digest) fail(`Settlement ${number} does not follow the one before it.`);
}
