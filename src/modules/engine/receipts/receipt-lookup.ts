import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { jsonRows } from '../../../platform/database/index.js';
import type { Receipt } from '../../providers/index.js';
import { firstSendDay, isFinal, readReference, RecipientStatus } from '../recipient.js';
import { isCounted, isSameNumber, spellings } from '../settle/message-ids.js';
import type { KnownRecipient } from '../settle/recipient-change.js';

/** Days that are looked through together; for an id as it came, part by part, newest first. Conditions on `m.sent_on`. */
interface Span {
  days: string;
  parts: readonly string[];
}

/** What was sent from so many to so many days ago (UTC); today's with whatever a clock ahead has written. */
const sentAgo = (newest: number, oldest: number): string =>
  newest === 0
    ? `m.sent_on >= UTC_DATE() - INTERVAL ${oldest} DAY`
    : `m.sent_on BETWEEN UTC_DATE() - INTERVAL ${oldest} DAY AND UTC_DATE() - INTERVAL ${newest} DAY`;

/**
 * Today and yesterday, then the days before them until `oldest` days ago: one, two, four days at a time. Most receipts come on
 * the same day, and of a table far beyond the memory each day that an id is looked up in is a read of the disk.
 */
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

/** A receipt with where it came in. */
export interface RoutedReceipt {
  routeId: number;
  /** the routes of the same login, this one among them; without it this one alone */
  routeIds?: readonly number[];
  receipt: Receipt;
}

/** An item that a carrier has: most messages are one, some are several. */
export interface KnownItem {
  campaignId: number;
  seq: number;
  /** counts from 0 */
  item: number;
  /** items of the whole message */
  items: number;
  /** over which it was sent; absent = not known */
  routeId?: number;
  /** since it was sent, milliseconds; absent = not known */
  ageMs?: number | null;
}

/** An item with its recipient as it stood, read without a lock. */
export interface FoundItem extends KnownItem, KnownRecipient {}

/** An item that may be the one a receipt is about; `ordinal` = the receipt's place in the list. */
interface FoundRow extends FoundItem {
  ordinal: number;
  routeId: number;
  /** where it was looked up by our reference: it must agree */
  id?: string;
  matchKey?: string | null;
}

/** What to look for: place in the list of these, route, id. */
type Wanted = [place: number, routeId: number, id: string];

/** By what an id is looked up: as the carrier gave it, or as it may be written otherwise. */
type IdColumn = 'provider_message_id' | 'match_key';

/** What is read through: the pool, or a transaction. */
type Source = Pick<EntityManager, 'query'>;

type Rule = (receipt: Receipt, row: FoundRow) => boolean;

const DAY_MS = 86_400_000;
/** Receipts that come this much later than they may are still found: the deadline is looked at by campaign, not by message. */
const DAYS_OF_GRACE = 7;
/**
 * Messages of one id that are looked at, and those that one statement reads for the ids of a batch, of which nearly all have
 * one: an upstream that gives all its messages one id names none of them, and must not make every receipt read them all.
 */
const MOST_OF_ONE_ID = 50;
const MOST_ROWS = 5_000;
/** Fewer are looked up as quickly by one statement. */
const RECEIPTS_A_PART = 200;
/** Two groups are looked up at a time (`CampaignReceipts`), each over a third of the pool, rounded up. */
const POOL_SHARE = 3;
const COLUMNS = `j.ordinal, TIMESTAMPDIFF(MICROSECOND, m.submitted_at, UTC_TIMESTAMP(3)) DIV 1000 AS ageMs, m.campaign_id AS campaignId, m.seq, m.item, m.items, m.route_id AS routeId,
  r.receiver AS number, r.status, r.attempts`;
const RECIPIENT = 'STRAIGHT_JOIN campaign_recipients r ON r.campaign_id = m.campaign_id AND r.seq = m.seq';

/**
 * Finds the messages that receipts are about (docs/decisions/0026): by our reference where the receipt carries one, else
 * by the carrier's id. Nothing is locked. Today is looked through first, yesterday for what is left or settled already; the days
 * before them, part by part alike, only for what neither has.
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

  /**
   * The same before a transaction, by some statements side by side: of a table that is far larger than the memory each id is
   * a read of the disk, and one statement waits for one after the other.
   * @returns null where it is not worth it, or did not go well: then they are looked up as the transaction reads
   */
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
   * One entry a receipt, in order; undefined where no message of its login has the id. Carriers hand receipts to any
   * session of a login, so all routes of it count. The id as it came goes first, then what it may mean otherwise. A
   * number that is counted up may be another message's in another spelling: it counts only with the same recipient.
   */
  async find(source: Source, receipts: readonly RoutedReceipt[]): Promise<(FoundItem | undefined)[]> {
    const found = receipts.map((): FoundRow | undefined => undefined);
    const take = (rows: readonly FoundRow[], isRight: Rule): void => {
      for (const row of rows) {
        const receipt = receipts[row.ordinal] as RoutedReceipt;
        const best = found[row.ordinal];
        if (isRight(receipt.receipt, row) && (!best || inOrder(row, best, receipt) < 0)) found[row.ordinal] = row;
      }
    };
    for (const { days, parts } of this.spans) {
      take(await this.referred(source, receipts, placesWithout(found), days), hasId);
      let left = placesWithout(found);
      for (const some of parts) {
        take(await this.lookUp(source, 'provider_message_id', wanted(receipts, left, sameId), some), isNamed);
        left = left.filter((place) => !found[place] || isFinal(found[place].status));
      }
      left = placesWithout(found);
      if (left.length === 0) break;
      const others = wanted(receipts, left, otherSpellings);
      const rows = await this.lookUp(source, 'provider_message_id', others, days);
      take([...rows, ...(await this.lookUp(source, 'match_key', others, days))], isAbout);
    }
    return found;
  }

  /** The messages of the recipients that our references name, over the routes of their receipts' logins. */
  private async referred(
    source: Source,
    receipts: readonly RoutedReceipt[],
    places: readonly number[],
    days: string,
  ): Promise<FoundRow[]> {
    const named: [place: number, campaignId: number, seq: number][] = [];
    for (const place of places) {
      const referent = referentOf(receipts[place]?.receipt);
      if (referent) named.push([place, referent.campaignId, referent.seq]);
    }
    if (named.length === 0) return [];
    const rows: FoundRow[] = await source.query(
      `SELECT ${COLUMNS}, m.provider_message_id AS id, m.match_key AS matchKey FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal INT PATH '$[0]', campaign_id BIGINT PATH '$[1]', seq INT PATH '$[2]')) j
       STRAIGHT_JOIN provider_messages m FORCE INDEX (PRIMARY) ON m.campaign_id = j.campaign_id AND m.seq = j.seq
         AND ${days} ${RECIPIENT}`,
      [jsonRows(named)],
    );
    return rows.filter(({ ordinal, routeId }) => routesOf(receipts[ordinal]).includes(routeId));
  }

  /** Each id once, however many receipts have it. */
  private async lookUp(source: Source, column: IdColumn, ids: readonly Wanted[], days: string): Promise<FoundRow[]> {
    const known = new Map<string, number>();
    const names: Wanted[] = [];
    /** by place of the name: the receipts that have it, of which nearly all are one */
    const first: number[] = [];
    const others = new Map<number, number[]>();
    for (const [ordinal, routeId, id] of ids) {
      const key = `${routeId} ${id}`;
      const place = known.get(key);
      if (place === undefined) {
        known.set(key, first.push(ordinal) - 1);
        names.push([names.length, routeId, id]);
      } else others.set(place, [...(others.get(place) ?? []), ordinal]);
    }
    const taken = new Uint8Array(first.length);
    const found: FoundRow[] = [];
    for (const row of await this.named(source, column, names, days)) {
      const place = row.ordinal;
      const before = taken[place] as number;
      if (before >= MOST_OF_ONE_ID) continue;
      taken[place] = before + 1;
      row.ordinal = first[place] as number;
      found.push(row);
      for (const ordinal of others.get(place) ?? []) found.push({ ...row, ordinal });
    }
    return found;
  }

  /** @param ids different ones; what has too many messages is found by halves, and does not hide those of the others */
  private async named(source: Source, column: IdColumn, ids: readonly Wanted[], days: string): Promise<FoundRow[]> {
    if (ids.length === 0) return [];
    const [type, index] =
      column === 'match_key'
        ? ['CHARACTER SET ascii COLLATE ascii_bin', 'ix_provider_messages_match']
        : ['CHARACTER SET utf8mb4 COLLATE utf8mb4_bin', 'ix_provider_messages_id'];
    // The optimizer would take the primary key for its bound on the day.
    const rows: FoundRow[] = await source.query(
      `SELECT ${COLUMNS}
       FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal INT PATH '$[0]', route_id INT PATH '$[1]', id VARCHAR(128) ${type} PATH '$[2]')) j
       STRAIGHT_JOIN provider_messages m FORCE INDEX (${index}) ON m.route_id = j.route_id AND m.${column} = j.id AND ${days}
       ${RECIPIENT} LIMIT ?`,
      [jsonRows(ids), ids.length === 1 ? MOST_OF_ONE_ID : MOST_ROWS],
    );
    if (ids.length === 1 || rows.length < MOST_ROWS) return rows;
    const middle = Math.ceil(ids.length / 2);
    return [
      ...(await this.named(source, column, ids.slice(0, middle), days)),
      ...(await this.named(source, column, ids.slice(middle), days)),
    ];
  }
}

const placesWithout = (found: readonly (FoundRow | undefined)[]): number[] => {
  const left: number[] = [];
  for (let place = 0; place < found.length; place++) if (!found[place]) left.push(place);
  return left;
};

const routesOf = (receipt: RoutedReceipt | undefined): readonly number[] =>
  receipt ? (receipt.routeIds ?? [receipt.routeId]) : [];

const sameId = ({ providerMessageId }: Receipt): readonly string[] => [providerMessageId];

const otherSpellings = ({ providerMessageId: id, receiver }: Receipt): readonly string[] =>
  receiver === null ? [] : spellings(id);

/** The ids of receipts, over every route of their logins. */
function wanted(
  receipts: readonly RoutedReceipt[],
  places: readonly number[],
  idsOf: (receipt: Receipt) => readonly string[],
): Wanted[] {
  const all: Wanted[] = [];
  for (const place of places) {
    const entry = receipts[place] as RoutedReceipt;
    const ids = idsOf(entry.receipt);
    for (const route of routesOf(entry)) for (const id of ids) all.push([place, route, id]);
  }
  return all;
}

/**
 * Of several messages of one id the one that is meant first: carriers count from the start again one day, so one that still
 * waits, then one of the receipt's own route rather than of another of its login, then the latest. Of older days none is
 * read where one of the newer still waits.
 */
const inOrder = (a: FoundRow, b: FoundRow, { routeId }: RoutedReceipt): number =>
  Number(isFinal(a.status)) - Number(isFinal(b.status)) ||
  Number(a.routeId !== routeId) - Number(b.routeId !== routeId) ||
  b.campaignId - a.campaignId;

/** The recipient that a receipt names by our reference; an upstream without ids of its own names the message by it. */
const referentOf = (receipt: Receipt | undefined) =>
  receipt ? readReference(receipt.ref ?? receipt.providerMessageId) : null;

/** Of a recipient that our reference names: the message is the one with this id, however it is written. */
const hasId: Rule = ({ providerMessageId: id }, row) =>
  row.id === id || spellings(id).some((spelling) => spelling === row.id || spelling === row.matchKey);

/** An id as it was given is a name; one that is counted up may be another message's in another spelling. */
const isNamed: Rule = (receipt, row) =>
  receipt.receiver === null || !isCounted(receipt.providerMessageId) || isAbout(receipt, row);

/**
 * Whether the receipt says that it is about this recipient: by our reference, or by the number. Carriers that do not turn
 * the two addresses round name the recipient where others name the sender.
 */
const isAbout: Rule = ({ ref, receiver, otherAddress }, row) => {
  const referent = ref === undefined ? null : readReference(ref);
  if (referent?.campaignId === row.campaignId && referent.seq === row.seq) return true;
  return [receiver, otherAddress].some((address) => typeof address === 'string' && isSameNumber(address, row.number));
};

/** Which attempt a carrier speaks of, also before its submit answer has been written. */
@Injectable()
export class AttemptReader {
  /**
   * Read in one statement, so that a send which is being written counts wholly or not at all.
   * @returns the attempt with this id of the carrier, else the one whose answer is not written yet, counted from 1; null
   * without such a recipient or attempt (reference/providers#receipts: only messages of the connection's own)
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
    // An attempt of unknown outcome has been counted; any other is counted when its answer is written.
    return Math.max(1, row.status === RecipientStatus.Unknown ? row.attempts : row.attempts + 1);
  }
}
