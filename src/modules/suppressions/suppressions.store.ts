import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In, Not } from 'typeorm';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { spellingsOf } from '../../kernel/phone-numbers.js';
import { GroupCommit, ONE_TICK } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { inListedOrder, jsonRows, listKeys, type QuotedText, type WriteResult } from '../../platform/database/index.js';
import type { StopList } from '../engine/index.js';
import { countryOfZone, keptSpellings } from '../numbers/index.js';
import { recordUsed, lockQuota } from '../quotas/index.js';
import type { Suppression, SuppressionSource } from './suppression.js';
import { suppressionErrors } from './suppressions.errors.js';
import { SuppressionEntity } from './tables.js';

type PersonWhoLeft = Parameters<StopList['left']>[1][number];
type Addressed = Parameters<StopList['among']>[0][number];

interface HeldNumbers {
  id: number;
  country: string | null;
  /** whether some begin with a zero: older versions kept those */
  hasZeros: number | string;
}

const ABROAD = { country: null };
const BATCH = 5_000;
const NUMBERS_A_READ = 1_000;
/** Not the owner's own entries: beyond its quota. */
const OF_OTHERS = ['stop', 'carrier'] as const satisfies readonly SuppressionSource[];
const NUMBERS = `JSON_TABLE(?, '$[*]' COLUMNS (
  number VARCHAR(160) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]')) j`;

/** Stop lists as stored. */
@Injectable()
export class SuppressionStore implements StopList {
  /** batches of the same moment share one query */
  private readonly reads = new GroupCommit<readonly Addressed[], ReadonlySet<number>>(
    (asked) => this.amongEach(asked),
    {
      ...ONE_TICK,
      maxItems: NUMBERS_A_READ,
      weigh: (addressed) => addressed.length,
    },
  );

  /** of the house, for accounts that have none */
  private readonly country: string | null;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {
    this.country = countryOfZone(environment.APP_TIME_ZONE);
  }

  /** Adds numbers in key order, which avoids deadlocks; existing entries stay. @returns how many @throws AppError invalid */
  async add(
    tx: EntityManager,
    accountId: number,
    numbers: readonly string[],
    source: 'api' | 'import',
  ): Promise<number> {
    const used = await lockQuota(tx, accountId, 'suppressions');
    const room = this.environment.SUPPRESSIONS_PER_ACCOUNT - used;
    let added = 0;
    let taken = 0;
    for (const batch of batches(numbers)) {
      const { affectedRows } = await tx.query<WriteResult>(
        `INSERT IGNORE INTO suppressions (account_id, number, source, created_at)
         SELECT ?, j.number, ?, UTC_TIMESTAMP(3) FROM ${NUMBERS}`,
        [accountId, source, batch],
      );
      added += affectedRows;
      // What a carrier had listed for a category is the owner's own entry from now on.
      const changed = await tx.query<WriteResult>(
        `UPDATE ${NUMBERS} STRAIGHT_JOIN suppressions s ON s.account_id = ? AND s.number = j.number
         SET s.category = NULL, s.source = ?, s.route_id = NULL WHERE s.category IS NOT NULL`,
        [batch, accountId, source],
      );
      taken += changed.affectedRows;
      if (added + taken > Math.max(room, 0)) throw suppressionErrors.tooMany(this.environment.SUPPRESSIONS_PER_ACCOUNT);
    }
    await recordUsed(tx, accountId, 'suppressions', used + added + taken);
    return added;
  }

  /** Stores a stop word of a route; an entry of the account itself keeps its source. */
  async stop(tx: EntityManager, accountId: number, routeId: number, number: string): Promise<void> {
    await tx.query(
      `INSERT INTO suppressions (account_id, number, source, route_id, created_at)
       VALUES (?, ?, 'stop', ?, UTC_TIMESTAMP(3))
       ON DUPLICATE KEY UPDATE source = IF(source = 'carrier', 'stop', source), category = NULL,
         route_id = IF(source = 'stop', VALUES(route_id), route_id)`,
      [accountId, number, routeId],
    );
  }

  async left(tx: EntityManager, people: readonly PersonWhoLeft[]): Promise<void> {
    const rows = people.toSorted((a, b) => a.accountId - b.accountId || (a.number < b.number ? -1 : 1));
    await tx.query(
      `INSERT INTO suppressions (account_id, number, source, route_id, category, created_at)
       SELECT j.account_id, j.number, 'carrier', j.route_id, j.category, UTC_TIMESTAMP(3)
       FROM JSON_TABLE(?, '$[*]' COLUMNS (account_id INT PATH '$[0]',
         number VARCHAR(160) CHARACTER SET ascii COLLATE ascii_bin PATH '$[1]', route_id INT PATH '$[2]',
         category VARCHAR(16) CHARACTER SET utf8mb4 PATH '$[3]')) j
       ON DUPLICATE KEY UPDATE category = IF(suppressions.category <=> VALUES(category), suppressions.category, NULL)`,
      [jsonRows(rows.map(({ accountId, number, routeId, category }) => [accountId, number, routeId, category]))],
    );
  }

  /** Lets one campaign reach a number in spite of its stop word, which it confirms. */
  async spare(tx: EntityManager, accountId: number, number: string, campaignId: number): Promise<void> {
    await tx.query(
      "UPDATE suppressions SET spared_campaign = ? WHERE account_id = ? AND number = ? AND source = 'stop'",
      [campaignId, accountId, number],
    );
  }

  /** Those of the user ids that a stop word put on the list. */
  async stoppedUserIds(tx: EntityManager, accountId: number, userIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows: { number: string }[] = await tx.query(
      "SELECT number FROM suppressions WHERE account_id = ? AND number IN (?) AND source = 'stop'",
      [accountId, userIds],
    );
    return new Set(rows.map(({ number }) => number));
  }

  /** Removes what stop words and carriers of these routes added, for all accounts. */
  async start(tx: EntityManager, routeIds: readonly number[], number: string): Promise<void> {
    const these = { routeId: In(routeIds), number: In(keptSpellings(number, ABROAD)), source: In(OF_OTHERS) };
    await tx.delete(SuppressionEntity, these);
  }

  /** @param numbers as kept, in all spellings */
  async remove(tx: EntityManager, accountId: number, numbers: readonly string[]): Promise<number> {
    const used = await lockQuota(tx, accountId, 'suppressions');
    let own = 0;
    let stopped = 0;
    const sorted = [...new Set(numbers)].sort();
    for (let from = 0; from < sorted.length; from += BATCH) {
      const these = { accountId, number: In(sorted.slice(from, from + BATCH)) };
      own += (await tx.delete(SuppressionEntity, { ...these, source: Not(In(OF_OTHERS)) })).affected ?? 0;
      stopped += (await tx.delete(SuppressionEntity, these)).affected ?? 0;
    }
    await recordUsed(tx, accountId, 'suppressions', Math.max(used - own, 0));
    return own + stopped;
  }

  /** Sorted by number, the order of the key. @param spellings of one number; null = all */
  async part(accountId: number, spellings: readonly string[] | null, page: Page): Promise<Listed<Suppression>> {
    const one = spellings === null ? { where: '', values: [] } : { where: ' AND number IN (?)', values: [spellings] };
    const ranges = [{ where: `account_id = ?${one.where}`, values: [accountId, ...one.values] }];
    const list = { table: 'suppressions', index: 'PRIMARY', key: 'number', order: 'ASC', ranges } as const;
    const numbers = await listKeys<string>(this.dataSource, list, page);
    const rows = await this.dataSource
      .getRepository(SuppressionEntity)
      .findBy({ accountId, number: In(numbers.items) });
    return shown(
      inListedOrder(numbers, rows, (row) => row.number),
      (row) => ({
        number: row.number,
        source: row.source as SuppressionSource,
        category: row.category,
        createdAt: row.createdAt,
      }),
    );
  }

  among(addressed: readonly Addressed[]): Promise<ReadonlySet<number>> {
    return this.reads.add(addressed);
  }

  private async amongEach(asked: readonly (readonly Addressed[])[]): Promise<ReadonlySet<number>[]> {
    const listed = await this.listed(asked.flat());
    let first = 0;
    return asked.map(({ length }) => {
      const own = new Set<number>();
      for (let index = 0; index < length; index++) if (listed.has(first + index)) own.add(index);
      first += length;
      return own;
    });
  }

  /** One look at what the lists hold first, which suffices for empty ones; then one statement for all receivers. */
  private async listed(addressed: readonly Addressed[]): Promise<ReadonlySet<number>> {
    const accounts = [...new Set(addressed.map(({ accountId }) => accountId))];
    const held = await this.dataSource.query<HeldNumbers[]>(
      `SELECT a.id, a.country_code AS country,
         EXISTS (SELECT 1 FROM suppressions s WHERE s.account_id = a.id AND s.number >= '0' AND s.number < '1') AS hasZeros
       FROM accounts a WHERE a.id IN (?) AND EXISTS (SELECT 1 FROM suppressions s WHERE s.account_id = a.id) LIMIT ?`,
      [accounts, accounts.length],
    );
    if (held.length === 0) return new Set();
    const byAccount = new Map(held.map((each) => [Number(each.id), each]));
    const spellings = ({ accountId, number }: Addressed): readonly string[] => {
      const own = byAccount.get(Number(accountId));
      if (!own) return [];
      if (Number(own.hasZeros) === 0 && !number.startsWith('0')) return spellingsOf(number);
      return keptSpellings(number, { country: own.country ?? this.country });
    };
    const asked = addressed.flatMap((one, index) =>
      spellings(one).map((spelling) => [index, one.accountId, spelling, one.campaignId]),
    );
    const rows: { ordinal: number }[] = await this.dataSource.query(
      `SELECT STRAIGHT_JOIN j.ordinal FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal INT PATH '$[0]', account_id BIGINT PATH '$[1]',
         number VARCHAR(160) CHARACTER SET ascii COLLATE ascii_bin PATH '$[2]', campaign_id BIGINT PATH '$[3]')) j
       JOIN suppressions s ON s.account_id = j.account_id AND s.number = j.number
         AND COALESCE(s.spared_campaign = j.campaign_id, 0) = 0
       WHERE s.category IS NULL OR EXISTS (SELECT 1 FROM campaigns c
         WHERE c.id = j.campaign_id AND c.balance = CONCAT('chat_', s.category, '_credits'))`,
      [jsonRows(asked)],
    );
    return new Set(rows.map(({ ordinal }) => ordinal));
  }
}

const rowsOf = (numbers: readonly string[]): QuotedText => jsonRows(numbers.map((number) => [number]));

function* batches(numbers: readonly string[]): Generator<QuotedText> {
  const sorted = numbers.toSorted();
  for (let from = 0; from < sorted.length; from += BATCH) yield rowsOf(sorted.slice(from, from + BATCH));
}
