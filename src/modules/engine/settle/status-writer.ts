import type { DataSource, EntityManager } from 'typeorm';
import { inTransaction, jsonRows, type LostCommit, type WriteResult } from '../../../platform/database/index.js';
import { campaignsOf, RecipientStatus } from '../recipient.js';
import type { RecipientMove } from './recipient-change.js';

/** A recipient is not as it was read: nothing may be written of what was concluded from it. */
export class Outdated extends Error {}

/** Recipients that get the same values; what they have less in common is left over for one statement, row by row. */
interface Alike {
  members: RecipientMove[];
  /** of one campaign, else of several */
  ofOne: boolean;
}

/** Fewer go row by row: one statement for all of them costs less than one for each few. */
const FEWEST_ALIKE = 16;

/**
 * Writes statuses under the condition that every recipient still stands as it was read. Recipients that get the same values
 * share a statement whose values are constants: that costs a third of one whose rows bring their own.
 * @param moves in the order of their keys
 * @throws Outdated where a recipient has changed since; its transaction must be rolled back
 */
export async function writeStatuses(tx: EntityManager, moves: readonly RecipientMove[]): Promise<void> {
  const { alike, others } = sorted(moves);
  let written = 0;
  for (const group of alike)
    written += await (group.ofOne ? writeOfOne(tx, group.members) : writeAlike(tx, group.members));
  if (others.length > 0) written += await writeRows(tx, others);
  if (written !== moves.length) throw new Outdated();
}

/** What is the same for recipients that a statement writes together. */
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

/** @param isAlike what the equality of keys comes to: most moves are as the one before, and need no key */
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

/** The column holds no more: a count that is full stays full, and the status is written. */
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

/** Before a message counts as read, the time of its delivery is kept for the timeline; other statements stay as they are. */
const keepDelivered = (moves: readonly RecipientMove[], row = ''): string =>
  moves.some(({ to }) => to === RecipientStatus.Read)
    ? `${row}delivered_at = IF(${row}status = ${RecipientStatus.Delivered}, ${row}updated_at, ${row}delivered_at), `
    : '';

/**
 * Runs work that judges recipients as they were read without a lock: what was read is the condition of what is written. Where
 * another transaction was faster, which is rare, it runs again in a fresh transaction and locks before it judges.
 * @param work told whether it locks; as in `inTransaction` without any effect outside the database
 * @param lost as in `inTransaction`
 */
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
