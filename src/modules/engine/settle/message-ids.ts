import { hash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { personKey } from '../../../kernel/phone-numbers.js';
import type { BegunAttempt } from '../attempts.js';
import { inLockOrder, RecipientStatus } from '../recipient.js';
import type { BatchResult } from './recipient-change.js';

const NUMBER = /^(0x)?([0-9a-f]{1,40})$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Longer ids are names, not counters (64 bits). */
const LONGEST_HEX = 16;
const LONGEST_DECIMAL = 20;
/** Fewer digits do not identify a number. */
const FEWEST_DIGITS = 8;

const stripped = (digits: string): string => digits.replace(/^0+(?=.)/, '');

/** As the database keeps and compares it: no half characters, and no spaces at the end. */
const stored = (id: string): string => id.replace(/ +$/, '').replace(/\p{Surrogate}/gu, '\uFFFD');

export const isSameId = (a: string, b: string): boolean => a === b || stored(a) === stored(b);

/** Normal form: numbers without `0x`, leading zeros and capitals, UUIDs in lower case; others unchanged. */
export function canonical(said: string): string {
  const id = stored(said);
  if (UUID.test(id)) return id.toLowerCase();
  const digits = NUMBER.exec(id)?.[2];
  return digits === undefined ? id : stripped(digits.toLowerCase());
}

const KEY_DIGITS = 13;

/** 52 bits of a hash of the route and the id's normal form. A row that is found by it must be compared with the id. */
export const messageKey = (routeId: number, id: string): number =>
  Number.parseInt(hash('sha256', `${routeId} ${canonical(id)}`, 'hex').slice(0, KEY_DIGITS), 16);

/** At most three other values of an id: some carriers answer in hexadecimal and send receipts in decimal, or vice versa. */
export function spellings(id: string): string[] {
  const value = canonical(id);
  if (UUID.test(id)) return [value];
  const number = NUMBER.exec(id);
  if (!number) return [];
  const found = new Set([value]);
  const isHex = number[1] !== undefined;
  if (!isHex && /^[0-9]+$/.test(value) && value.length <= LONGEST_DECIMAL) found.add(BigInt(value).toString(16));
  if (value.length <= LONGEST_HEX) found.add(BigInt(`0x${value}`).toString());
  return [...found];
}

/** Whether the carrier counts its ids: in another spelling it may belong to another message. */
export const isCounted = (id: string): boolean => NUMBER.test(id) && stripped(id).length <= LONGEST_DECIMAL;

/** Whether two numbers are equal apart from a missing country code, leading zeros or the spelling of a person's number. */
export function isSameNumber(a: string, b: string): boolean {
  if (a === b || personKey(a) === personKey(b)) return true;
  const [one, other] = [stripped(a), stripped(b)];
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short === long || (short.length >= FEWEST_DIGITS && long.endsWith(short));
}

const LONGEST_ID = 128;

interface TakenItem {
  campaignId: number;
  seq: number;
  item: number;
  routeId: number;
  id: string;
  items: number;
}

/** Stores carriers' ids. A known item keeps its id (maybe written by a lost worker); ids may repeat (docs/decisions/0026). */
export async function storeProviderIds(tx: EntityManager, results: readonly BatchResult[]): Promise<void> {
  const taken: TakenItem[] = [];
  for (const { recipient, outcome } of results) {
    if (outcome.kind !== 'accepted') continue;
    const { lane, seq, made = 0 } = recipient;
    const { campaignId, routeId } = lane;
    const { providerMessageIds: ids } = outcome;
    for (const [index, id] of ids.entries()) {
      taken.push({ campaignId, seq, item: made + index, routeId, id: id.slice(0, LONGEST_ID), items: ids.length });
    }
  }
  if (taken.length === 0) return;
  const rows = taken
    .sort((a, b) => inLockOrder(a, b) || a.item - b.item)
    .map(({ campaignId, seq, item, routeId, id, items }) => [
      ...[campaignId, seq, item, routeId, id, items],
      ...[messageKey(routeId, id), RecipientStatus.Submitted],
    ]);
  // A fifth cheaper than JSON_TABLE, which evaluates a path per column.
  await tx.query(
    `INSERT IGNORE INTO provider_messages
       (campaign_id, seq, item, route_id, provider_message_id, items, message_key, status) VALUES ?`,
    [rows],
  );
}

/** Attempts that carriers have accepted. */
export function begunAttempts(results: readonly BatchResult[]): BegunAttempt[] {
  return results.flatMap(({ recipient, outcome }): BegunAttempt[] => {
    const id = outcome.kind === 'accepted' ? outcome.providerMessageIds[0]?.slice(0, LONGEST_ID) : undefined;
    if (id === undefined) return [];
    const { lane, seq, made = 0 } = recipient;
    return [{ campaignId: lane.campaignId, seq, attempt: made + 1, providerMessageId: id }];
  });
}
