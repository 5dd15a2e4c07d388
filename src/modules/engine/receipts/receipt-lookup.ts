import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { jsonRows } from '../../../platform/database/index.js';
import type { Receipt } from '../../providers/index.js';
import type { CampaignRecord } from '../campaign.js';
import type { Content } from '../channel.js';
import { firstSendDay, isFinal, readReference, type RecipientKey, RecipientStatus } from '../recipient.js';
import { canonical, isCounted, isSameId, isSameNumber, messageKey, spellings } from '../settle/message-ids.js';
import type { KnownRecipient } from '../settle/recipient-change.js';

interface Span {
  days: string;
  parts: readonly string[];
}

/** SQL: sent between two ages in days (UTC); age 0 includes rows of clocks that are ahead. */
const sentAgo = (newest: number, oldest: number): string =>
  newest === 0
    ? `m.sent_on >= UTC_DATE() - INTERVAL ${oldest} DAY`
    : `m.sent_on BETWEEN UTC_DATE() - INTERVAL ${oldest} DAY AND UTC_DATE() - INTERVAL ${newest} DAY`;

/** Today and yesterday, then spans of 1, 2, 4 … days: each day of a table larger than memory costs a disk read per id. */
export function spansOf(oldest: number): Span[] {
  const parts: string[] = [];
  for (let newest = 2, days = 1; newest <= oldest; newest += days, days *= 2) {
    parts.push(sentAgo(newest, Math.min(oldest, newest + days - 1)));
  }
  return [
    { days: sentAgo(0, 1), parts: [sentAgo(0, 0), sentAgo(1, 1)] },
    { days: sentAgo(2, oldest), parts },
  ];
}

export interface RoutedReceipt {
  routeId: number;
  /** all routes of the same login; absent = this one only */
  routeIds?: readonly number[];
  receipt: Receipt;
}

/** One item of a message at the carrier; most messages have one. */
export interface KnownItem {
  campaignId: number;
  seq: number;
  item: number;
  items: number;
  routeId?: number;
  ageMs?: number | null;
}

export interface FoundItem extends KnownItem, KnownRecipient {}

/** A candidate; `ordinal` = index of the receipt. */
interface FoundRow extends FoundItem {
  ordinal: number;
  routeId: number;
  id: string;
}

/** `key` = `messageKey` of a route and id */
type Wanted = [ordinal: number, key: number];

type Source = Pick<EntityManager, 'query'>;

type Rule = (receipt: Receipt, row: FoundRow) => boolean;

const DAY_MS = 86_400_000;
/** Extra days, since the deadline is checked per campaign, not per message. */
const DAYS_OF_GRACE = 7;
/** Limits per id and per statement. A carrier that gives all messages the same id must not make every receipt read them all. */
const MOST_OF_ONE_ID = 50;
const MOST_ROWS = 5_000;
const RECEIPTS_A_PART = 200;
/** Two groups run concurrently (`CampaignReceipts`), each with up to a third of the pool, rounded up. */
const POOL_SHARE = 3;
const COLUMNS = `j.ordinal, TIMESTAMPDIFF(MICROSECOND, m.submitted_at, UTC_TIMESTAMP(3)) DIV 1000 AS ageMs, m.campaign_id AS campaignId, m.seq, m.item, m.items, m.route_id AS routeId, m.provider_message_id AS id,
  r.receiver AS number, r.status, r.attempts`;
const RECIPIENT = 'STRAIGHT_JOIN campaign_recipients r ON r.campaign_id = m.campaign_id AND r.seq = m.seq';

/**
 * Finds the messages of receipts without locks (docs/decisions/0026): by our reference if present, else by the carrier's id.
 * Searches today, then yesterday for receipts that found nothing or only a final message, then older days.
 */
@Injectable()
export class ReceiptLookup {
  private readonly spans: readonly Span[];
  private readonly mostParts: number;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT)
    { RECEIPT_TIMEOUT, DATABASE_POOL_SIZE }: Pick<Environment, 'RECEIPT_TIMEOUT' | 'DATABASE_POOL_SIZE'>,
  ) {
    this.spans = spansOf(Math.ceil(RECEIPT_TIMEOUT / DAY_MS) + DAYS_OF_GRACE);
    this.mostParts = Math.ceil(DATABASE_POOL_SIZE / POOL_SHARE);
  }

  /** Looks up large batches in parallel, since each id may be a disk read. Null = too few or a fault: use the transaction. */
  async findApart(receipts: readonly RoutedReceipt[]): Promise<(FoundItem | undefined)[] | null> {
    const parts = Math.min(this.mostParts, Math.floor(receipts.length / RECEIPTS_A_PART));
    if (parts < 2) return null;
    const size = Math.ceil(receipts.length / parts);
    const found = await Promise.allSettled(
      Array.from({ length: parts }, (_, part) =>
        this.find(this.dataSource, receipts.slice(part * size, (part + 1) * size)),
      ),
    );
    const all: (FoundItem | undefined)[] = [];
    for (const part of found) {
      if (part.status === 'rejected') return null;
      all.push(...part.value);
    }
    return all;
  }

  /**
   * One entry per receipt; undefined = unknown id. All routes of the login count, as carriers use any of its sessions. Exact
   * ids come first, then other spellings; a counted number matches in another spelling only with the same recipient.
   */
  async find(source: Source, receipts: readonly RoutedReceipt[]): Promise<(FoundItem | undefined)[]> {
    const found = receipts.map((): FoundRow | undefined => undefined);
    const take = (rows: readonly FoundRow[], isRight: Rule): void => {
      for (const row of rows) {
        const receipt = receipts[row.ordinal] as RoutedReceipt;
        const best = found[row.ordinal];
        if (
          isRight(receipt.receipt, row) &&
          mayCount(receipt.receipt, row) &&
          (!best || inOrder(row, best, receipt) < 0)
        )
          found[row.ordinal] = row;
      }
    };
    for (const { days, parts } of this.spans) {
      take(await this.referred(source, receipts, indexesWithout(found), days), hasId);
      let left = indexesWithout(found);
      const alike: FoundRow[] = [];
      for (const some of parts) {
        const rows = await this.lookUp(source, wanted(receipts, left, sameId), some);
        take(rows, isNamed);
        alike.push(...rows);
        left = left.filter((index) => !found[index] || isFinal(found[index].status));
      }
      left = indexesWithout(found);
      if (left.length === 0) break;
      const others = await this.lookUp(source, wanted(receipts, left, otherValues), days);
      take([...alike.filter(({ ordinal }) => !found[ordinal]), ...others], isSpelled);
    }
    return found;
  }

  private async referred(
    source: Source,
    receipts: readonly RoutedReceipt[],
    indexes: readonly number[],
    days: string,
  ): Promise<FoundRow[]> {
    const named: [index: number, campaignId: number, seq: number][] = [];
    for (const index of indexes) {
      const referent = referentOf(receipts[index]?.receipt);
      if (referent) named.push([index, referent.campaignId, referent.seq]);
    }
    if (named.length === 0) return [];
    const rows: FoundRow[] = await source.query(
      `SELECT ${COLUMNS} FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal INT PATH '$[0]', campaign_id BIGINT PATH '$[1]', seq INT PATH '$[2]')) j
       STRAIGHT_JOIN provider_messages m FORCE INDEX (PRIMARY) ON m.campaign_id = j.campaign_id AND m.seq = j.seq
         AND ${days} ${RECIPIENT}`,
      [jsonRows(named)],
    );
    return rows.filter(({ ordinal, routeId }) => routesOf(receipts[ordinal]).includes(routeId));
  }

  /** Queries each distinct id once. */
  private async lookUp(source: Source, ids: readonly Wanted[], days: string): Promise<FoundRow[]> {
    const known = new Map<number, number>();
    const keys: Wanted[] = [];
    /** receipts by index of the key; nearly always one */
    const first: number[] = [];
    const others = new Map<number, number[]>();
    for (const [ordinal, key] of ids) {
      const index = known.get(key);
      if (index === undefined) {
        known.set(key, first.push(ordinal) - 1);
        keys.push([keys.length, key]);
      } else others.set(index, [...(others.get(index) ?? []), ordinal]);
    }
    const taken = new Uint8Array(first.length);
    const found: FoundRow[] = [];
    for (const row of await this.keyed(source, keys, days)) {
      const index = row.ordinal;
      const before = taken[index] as number;
      if (before >= MOST_OF_ONE_ID) continue;
      taken[index] = before + 1;
      row.ordinal = first[index] as number;
      found.push(row);
      for (const ordinal of others.get(index) ?? []) found.push({ ...row, ordinal });
    }
    return found;
  }

  /** Splits the keys if one has too many messages, so that it does not hide those of others. */
  private async keyed(source: Source, keys: readonly Wanted[], days: string): Promise<FoundRow[]> {
    if (keys.length === 0) return [];
    // Without the hint, the optimizer takes the primary key because of the day.
    const rows: FoundRow[] = await source.query(
      `SELECT ${COLUMNS}
       FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal INT PATH '$[0]', message_key BIGINT UNSIGNED PATH '$[1]')) j
       STRAIGHT_JOIN provider_messages m FORCE INDEX (ix_provider_messages_key) ON m.message_key = j.message_key AND ${days}
       ${RECIPIENT} LIMIT ?`,
      [jsonRows(keys), keys.length === 1 ? MOST_OF_ONE_ID : MOST_ROWS],
    );
    if (keys.length === 1 || rows.length < MOST_ROWS) return rows;
    const middle = Math.ceil(keys.length / 2);
    return [
      ...(await this.keyed(source, keys.slice(0, middle), days)),
      ...(await this.keyed(source, keys.slice(middle), days)),
    ];
  }
}

const indexesWithout = (found: readonly (FoundRow | undefined)[]): number[] => {
  const left: number[] = [];
  for (let index = 0; index < found.length; index++) if (!found[index]) left.push(index);
  return left;
};

const routesOf = (receipt: RoutedReceipt | undefined): readonly number[] =>
  receipt ? (receipt.routeIds ?? [receipt.routeId]) : [];

const sameId = ({ providerMessageId }: Receipt): readonly string[] => [providerMessageId];

/** Hexadecimal read as decimal, and the reverse; spellings of one value share a key. */
const otherValues = ({ providerMessageId: id, receiver, isExact }: Receipt): readonly string[] =>
  receiver === null || isExact ? [] : spellings(id).filter((value) => value !== canonical(id));

function wanted(
  receipts: readonly RoutedReceipt[],
  indexes: readonly number[],
  idsOf: (receipt: Receipt) => readonly string[],
): Wanted[] {
  const all: Wanted[] = [];
  for (const index of indexes) {
    const entry = receipts[index] as RoutedReceipt;
    const ids = idsOf(entry.receipt);
    for (const route of routesOf(entry)) for (const id of ids) all.push([index, messageKey(route, id)]);
  }
  return all;
}

/** Preference, since carriers reuse ids: a message that still waits, then one of the receipt's route, then the latest. */
const inOrder = (a: FoundRow, b: FoundRow, { routeId }: RoutedReceipt): number =>
  Number(isFinal(a.status)) - Number(isFinal(b.status)) ||
  Number(a.routeId !== routeId) - Number(b.routeId !== routeId) ||
  b.campaignId - a.campaignId;

/** The recipient named by our reference; carriers without ids of their own return it as the id. */
const referentOf = (receipt: Receipt | undefined) =>
  receipt ? readReference(receipt.ref ?? receipt.providerMessageId) : null;

/** Any spelling of the id, also hexadecimal for decimal and the reverse. */
const hasId: Rule = ({ providerMessageId: id }, row) =>
  isSameId(row.id, id) || spellings(id).includes(canonical(row.id));

/** An exact id counts, unless it is a counter that may belong to another message. */
const isNamed: Rule = (receipt, row) =>
  isSameId(row.id, receipt.providerMessageId) &&
  (receipt.receiver === null || !isCounted(row.id) || isAbout(receipt, row));

/** Another spelling counts for the same recipient only. */
const isSpelled: Rule = (receipt, row) => receipt.receiver !== null && hasId(receipt, row) && isAbout(receipt, row);

/** Whether reference or number match. Some carriers do not swap the two addresses, so the recipient may be in either field. */
const isAbout: Rule = ({ ref, receiver, otherAddress }, row) => {
  const referent = ref === undefined ? null : readReference(ref);
  if (referent?.campaignId === row.campaignId && referent.seq === row.seq) return true;
  return [receiver, otherAddress].some((address) => typeof address === 'string' && isSameNumber(address, row.number));
};

/** An exact id has one spelling; what is not marked as a receipt counts for the number that it names alone. */
const mayCount: Rule = (receipt, row) =>
  (!receipt.isExact || row.id === receipt.providerMessageId) && (receipt.orText === undefined || isAbout(receipt, row));

/** What a channel with a log of its own asks about one attempt at the carrier. */
@Injectable()
export class AttemptReader {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The recipient of our reference; null = not one of a campaign. */
  recipientOf(reference: string): RecipientKey | null {
    return readReference(reference);
  }

  /** What the campaign of an attempt sends; null = no such campaign. */
  async campaignOf(campaignId: number): Promise<Pick<CampaignRecord, 'channel' | 'routeId' | 'content'> | null> {
    const [row] = await this.dataSource.query<{ channel: string; routeId: number; content: string }[]>(
      'SELECT channel, route_id AS routeId, content FROM campaigns WHERE id = ?',
      [campaignId],
    );
    return row ? { ...row, content: JSON.parse(row.content) as Content } : null;
  }

  /**
   * The attempt of a carrier's id, even before its submit answer is written, from 1, or null (reference/providers#receipts).
   * In one statement, to see a concurrent write entirely or not at all.
   */
  async numberOf(
    tx: EntityManager,
    campaignId: number,
    seq: number,
    providerMessageId: string,
  ): Promise<number | null> {
    const rows: { status: RecipientStatus; attempts: number; item: number | null }[] = await tx.query(
      `SELECT r.status, r.attempts, m.item FROM campaign_recipients r LEFT JOIN provider_messages m
         ON m.campaign_id = r.campaign_id AND m.seq = r.seq AND m.provider_message_id = ? AND m.sent_on >= ?
       WHERE r.campaign_id = ? AND r.seq = ?`,
      [providerMessageId, firstSendDay([campaignId]), campaignId, seq],
    );
    const row = rows[0];
    if (!row) return null;
    if (row.item !== null) return row.item + 1;
    if (row.status === RecipientStatus.Submitted || isFinal(row.status)) return null;
    // Attempts of unknown outcome are already counted; others are counted with their answer.
    return Math.max(1, row.status === RecipientStatus.Unknown ? row.attempts : row.attempts + 1);
  }
}
