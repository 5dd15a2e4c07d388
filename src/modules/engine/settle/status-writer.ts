import type { DataSource, EntityManager } from 'typeorm';
import { inTransaction, jsonRows, type LostCommit, type WriteResult } from '../../../platform/database/index.js';
import { campaignsOf, RecipientStatus } from '../recipient.js';
import type { RecipientMove } from './recipient-change.js';

/** A recipient has changed since it was read: roll back. */
export class Outdated extends Error {}

interface Alike {
  members: RecipientMove[];
  ofOne: boolean;
}

/** Smaller groups go row by row: one statement for all is cheaper than one for each. */
const FEWEST_ALIKE = 16;

/** Writes statuses if recipients are still as read; equal values share a statement. @param moves sorted @throws Outdated */
export async function writeStatuses(tx: EntityManager, moves: readonly RecipientMove[]): Promise<void> {
  const { alike, others } = sorted(moves);
  let written = 0;
  for (const group of alike)
    written += await (group.ofOne ? writeOfOne(tx, group.members) : writeAlike(tx, group.members));
  if (others.length > 0) written += await writeRows(tx, others);
  if (written !== moves.length) throw new Outdated();
  await writeReasons(
    tx,
    moves.filter(({ carrierCode, isRefused }) => carrierCode !== null || isRefused),
  );
}

async function writeReasons(tx: EntityManager, moves: readonly RecipientMove[]): Promise<void> {
  if (moves.length === 0) return;
  await tx.query(
    `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]',
       carrier_code VARCHAR(32) CHARACTER SET utf8mb4 PATH '$[2]', refused INT PATH '$[3]')) j
     STRAIGHT_JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = j.campaign_id AND r.seq = j.seq
     SET r.carrier_code = j.carrier_code, r.refused = j.refused WHERE r.campaign_id IN (?)`,
    [
      jsonRows(
        moves.map(({ campaignId, seq, carrierCode, isRefused }) => [campaignId, seq, carrierCode, Number(isRefused)]),
      ),
      campaignsOf(moves),
    ],
  );
}

const valuesOf = (move: RecipientMove): string =>
  `${move.from} ${move.to} ${move.tries} ${move.durationSeconds} ${move.errorCode} ${move.errorText === null ? '' : `'${move.errorText}`}`;

function sorted(moves: readonly RecipientMove[]): { alike: Alike[]; others: RecipientMove[] } {
  const byValues = group(moves, valuesOf, isSame);
  const alike: Alike[] = [];
  const others: RecipientMove[] = [];
  for (const same of byValues) {
    const small: RecipientMove[] = [];
    for (const members of group(same, ({ campaignId }) => campaignId, isOfSame)) {
      if (members.length >= FEWEST_ALIKE) alike.push({ members, ofOne: true });
      else small.push(...members);
    }
    if (small.length >= FEWEST_ALIKE) alike.push({ members: small, ofOne: false });
    else others.push(...small);
  }
  return { alike, others };
}

const isSame = (a: RecipientMove, b: RecipientMove): boolean =>
  a.from === b.from &&
  a.to === b.to &&
  a.tries === b.tries &&
  a.durationSeconds === b.durationSeconds &&
  a.errorCode === b.errorCode &&
  a.errorText === b.errorText;

const isOfSame = (a: RecipientMove, b: RecipientMove): boolean => a.campaignId === b.campaignId;

function group<Key>(
  moves: readonly RecipientMove[],
  keyOf: (move: RecipientMove) => Key,
  isAlike: (a: RecipientMove, b: RecipientMove) => boolean,
): RecipientMove[][] {
  const groups = new Map<Key, RecipientMove[]>();
  let last: RecipientMove[] = [];
  for (const move of moves) {
    const [first] = last;
    if (!first || !isAlike(first, move)) {
      const key = keyOf(move);
      last = groups.get(key) ?? [];
      groups.set(key, last);
    }
    last.push(move);
  }
  return [...groups.values()];
}

/** Limited to the column's maximum, so that the status is still written. */
const counted = (row: string, tries: string): string =>
  `LEAST(255, GREATEST(0, CAST(${row}attempts AS SIGNED) + ${tries}))`;

const SET_ALIKE = `status = ?, attempts = ${counted('', '?')}, error_code = ?, error_message = ?, duration = COALESCE(?, duration),
  updated_at = UTC_TIMESTAMP(3)`;

const constants = (move: RecipientMove): unknown[] => [
  move.to,
  move.tries,
  move.errorCode,
  move.errorText,
  move.durationSeconds,
];

async function writeOfOne(tx: EntityManager, members: readonly RecipientMove[]): Promise<number> {
  const [first, last] = [members[0] as RecipientMove, members.at(-1) as RecipientMove];
  const isRange = last.seq - first.seq === members.length - 1;
  const { affectedRows }: WriteResult = await tx.query(
    `UPDATE campaign_recipients SET ${keepDelivered(members)}${SET_ALIKE}
     WHERE campaign_id = ? AND ${isRange ? 'seq BETWEEN ? AND ?' : 'seq IN (?)'} AND status = ?`,
    [
      ...constants(first),
      first.campaignId,
      ...(isRange ? [first.seq, last.seq] : [members.map(({ seq }) => seq)]),
      first.from,
    ],
  );
  return affectedRows;
}

async function writeAlike(tx: EntityManager, members: readonly RecipientMove[]): Promise<number> {
  const first = members[0] as RecipientMove;
  const { affectedRows }: WriteResult = await tx.query(
    `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
     STRAIGHT_JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = j.campaign_id AND r.seq = j.seq
     SET ${keepDelivered(members)}${SET_ALIKE} WHERE r.status = ? AND r.campaign_id IN (?)`,
    [
      jsonRows(members.map(({ campaignId, seq }) => [campaignId, seq])),
      ...constants(first),
      first.from,
      campaignsOf(members),
    ],
  );
  return affectedRows;
}

async function writeRows(tx: EntityManager, moves: readonly RecipientMove[]): Promise<number> {
  const { affectedRows }: WriteResult = await tx.query(
    `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
       campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', status INT PATH '$[2]', attempted INT PATH '$[3]',
       error_code INT PATH '$[4]', error_message VARCHAR(255) CHARACTER SET utf8mb4 PATH '$[5]',
       duration INT PATH '$[6]', former INT PATH '$[7]')) j
     STRAIGHT_JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = j.campaign_id AND r.seq = j.seq AND r.status = j.former
     SET ${keepDelivered(moves, 'r.')}r.status = j.status, r.attempts = ${counted('r.', 'j.attempted')},
       r.error_code = j.error_code, r.error_message = j.error_message, r.duration = COALESCE(j.duration, r.duration),
       r.updated_at = UTC_TIMESTAMP(3) WHERE r.campaign_id IN (?)`,
    [jsonRows(moves.map((move) => [move.campaignId, move.seq, ...constants(move), move.from])), campaignsOf(moves)],
  );
  return affectedRows;
}

/** Keeps the time of delivery for the timeline when a message is read; other statements are unchanged. */
const keepDelivered = (moves: readonly RecipientMove[], row = ''): string =>
  moves.some(({ to }) => to === RecipientStatus.Read)
    ? `${row}delivered_at = IF(${row}status = ${RecipientStatus.Delivered}, ${row}updated_at, ${row}delivered_at), `
    : '';

/** Runs work on recipients read without locks, and after a conflict once more with locks: no effects outside the database. */
export async function readFirst<Result>(
  dataSource: DataSource,
  work: (tx: EntityManager, locking: boolean) => Promise<Result>,
  lost?: LostCommit<Result>,
): Promise<Result> {
  try {
    return await inTransaction(dataSource, (tx) => work(tx, false), lost);
  } catch (error) {
    if (!(error instanceof Outdated)) throw error;
    return inTransaction(dataSource, (tx) => work(tx, true), lost);
  }
}
