import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Semaphore } from '../../../platform/concurrency/index.js';
import { again, inTransaction, jsonRows, takeDue } from '../../../platform/database/index.js';
import { campaignsOf, firstSendDay, inLockOrder, keyOf, RecipientStatus } from '../recipient.js';
import { DriverRegistry, ReceiptSink, RouteDirectory } from '../../providers/index.js';
import { unknownByRestore } from '../restore/restored-campaigns.js';
import { readFirst } from '../settle/status-writer.js';
import type { KnownRecipient } from '../settle/recipient-change.js';
import { Settlement } from '../settle/settlement.js';

const RECIPIENTS_A_STEP = 2_000;
const CAMPAIGNS_A_STEP = 500;
const CHECK_AGAIN_MS = 60_000;
/** Rows per statement (plus one campaign): the query has no index, and a longer one would time out. */
const ROWS_A_CHECK = 250_000;
/** A query reads the campaign's whole range, so queries are at least 1/100 of the timeout apart (43 minutes of 72 hours). */
const CHECKS_A_TIMEOUT = 100;
const CHECKS_A_CALL = 20;
/** Calls whose last word is missing are asked for again after this time, so many at once. */
const ASK_AGAIN_US = 600_000_000;
const ASKS_AT_ONCE = 10;
const MOST_ASKED = 500;
/** A round asks no longer than this: deadlines of all campaigns wait for it. */
const ASKS_MS = 20_000;
/** Checks of a campaign are this far apart, however short the timeout of its route is. */
const CHECK_EVERY_US = 30_000_000;

/** SQL: whether a campaign's check is due. */
export const IS_ANY_OVERDUE = 'EXISTS (SELECT 1 FROM campaigns WHERE overdue_check_at <= UTC_TIMESTAMP(3))';

interface Patience {
  failUs: number;
  /** `Infinity` = the carrier cannot be asked */
  askUs: number;
}

const NO_PATIENCE: Patience = { failUs: Infinity, askUs: Infinity };

/** Patience of a campaign, whose messages may have left over several routes. */
interface CampaignPatience {
  /** the shortest, by which checks are planned */
  least: Patience;
  /** that of its first route, for messages whose route is not recorded */
  usual: Patience;
  /** null = all routes have the same */
  ofRoutes: ReadonlyMap<number, Patience> | null;
}

const NO_ROUTES: CampaignPatience = { least: NO_PATIENCE, usual: NO_PATIENCE, ofRoutes: null };
/** Routes of the campaigns of a check, once each. */
const MOST_ROUTES = 10_000;
const MOST_ITEMS = 300;

interface DueCampaign {
  id: number;
  total_rows: number;
}

interface WaitingRow extends KnownRecipient {
  campaign_id: number;
  seq: number;
  /** microseconds since its last change */
  age_us: string;
}

interface UnknownRow extends Pick<WaitingRow, 'campaign_id' | 'seq'> {
  created_at: Date;
  is_waiting: number | string;
}

/** Asks for calls without a last word, and fails recipients without a receipt by the deadline: FAILED `No delivery receipt` (reference/engine#receipt-deadline). */
@Injectable()
export class OverdueReceipts {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly settlement: Settlement,
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly receipts: ReceiptSink,
  ) {}

  /** Fails overdue recipients of all due campaigns. @param isStopped checked between transactions */
  async round(receiptTimeoutMs: number, isStopped: () => boolean = () => false): Promise<void> {
    for (let full = true; full && !isStopped();) {
      const campaigns = await this.take();
      for (const ids of checksOf(campaigns)) if (!isStopped()) await this.sweep(ids, receiptTimeoutMs, isStopped);
      full = campaigns.length === CAMPAIGNS_A_STEP;
    }
  }

  /** Takes due campaigns; their next check is in a minute, in case this worker dies. */
  private take(): Promise<DueCampaign[]> {
    return takeDue<DueCampaign>(this.dataSource, {
      table: 'campaigns',
      key: ['id'],
      columns: ['total_rows'],
      due: 'overdue_check_at',
      most: CAMPAIGNS_A_STEP,
      againAfterMs: CHECK_AGAIN_MS,
    });
  }

  /** Fails overdue recipients of these campaigns and schedules the next check. */
  async sweep(
    campaigns: readonly number[],
    receiptTimeoutMs: number,
    isStopped: () => boolean = () => false,
  ): Promise<void> {
    const patience = await this.patienceOf(campaigns, Math.round(receiptTimeoutMs * 1000));
    const next = new Map([...patience].map(([id, { least }]) => [id, Math.min(least.failUs, least.askUs)]));
    const asked: WaitingRow[] = [];
    let unanswered = 0;
    for await (const rows of this.waiting([...campaigns].sort((a, b) => a - b))) {
      const routes = await this.routesOf(rows.filter((row) => patience.get(row.campaign_id)?.ofRoutes));
      const ofRow = (row: WaitingRow) => {
        const { campaign_id: id, age_us: age } = row;
        const { usual, ofRoutes } = patience.get(id) ?? NO_ROUTES;
        const { failUs, askUs } = ofRoutes?.get(routes.get(keyOf(recipientKeyOf(row))) ?? 0) ?? usual;
        return { failsInUs: failUs - Number(age), asksInUs: askUs - Number(age) };
      };
      const overdue = rows.filter((row) => ofRow(row).failsInUs <= 0);
      if (overdue.length > 0) {
        const read = new Map(overdue.map((row) => [keyOf(recipientKeyOf(row)), row]));
        const restored = await unknownByRestore(
          this.dataSource,
          overdue.filter(({ status }) => status === RecipientStatus.Unknown).map(recipientKeyOf),
        );
        const changes = overdue.map((row) => failed(row, restored.has(keyOf(recipientKeyOf(row)))));
        await readFirst(this.dataSource, (tx, locking) =>
          this.settlement.settle(tx, changes, locking ? undefined : read),
        );
      }
      for (const row of rows) {
        const { failsInUs, asksInUs } = ofRow(row);
        if (failsInUs <= 0) continue;
        const isAsked = asksInUs <= 0 && row.status === RecipientStatus.Submitted;
        if (isAsked) {
          // A random choice: calls without an answer must not keep the others from being asked.
          const index = asked.length < MOST_ASKED ? asked.length : Math.floor(Math.random() * (unanswered + 1));
          if (index < MOST_ASKED) asked[index] = row;
          unanswered += 1;
        }
        const inUs = Math.min(failsInUs, asksInUs > 0 ? asksInUs : ASK_AGAIN_US);
        next.set(row.campaign_id, Math.min(next.get(row.campaign_id) ?? inUs, inUs));
      }
    }
    if (asked.length > 0) await this.ask(asked, isStopped);
    for (const [id, inUs] of next) {
      const { failUs, askUs } = (patience.get(id) ?? NO_ROUTES).least;
      next.set(
        id,
        Math.max(
          inUs,
          Math.min(failUs / CHECKS_A_TIMEOUT, askUs / CHECKS_A_CALL),
          Math.min(failUs / 4, CHECK_EVERY_US),
        ),
      );
    }
    await inTransaction(this.dataSource, (tx) => this.planNext(tx, next));
  }

  private async patienceOf(
    campaigns: readonly number[],
    usualUs: number,
  ): Promise<ReadonlyMap<number, CampaignPatience>> {
    const ids = campaigns.length > 0 ? campaigns : [0];
    const rows: { id: number; routeId: number; isFirst: number | string }[] = await this.dataSource.query(
      `SELECT id, routeId, MAX(first) AS isFirst FROM (
         SELECT id, route_id AS routeId, 1 AS first FROM campaigns WHERE id IN (?)
         UNION SELECT campaign_id, route_id, 0 FROM campaign_lanes WHERE campaign_id IN (?)
         UNION SELECT campaign_id, from_route, 0 FROM route_changes WHERE campaign_id IN (?)
         UNION SELECT campaign_id, to_route, 0 FROM route_changes WHERE campaign_id IN (?)) r
       GROUP BY id, routeId ORDER BY id, isFirst DESC LIMIT ${MOST_ROUTES}`,
      [ids, ids, ids, ids],
    );
    const found = new Map<number, Map<number, Patience>>();
    for (const { id, routeId } of rows) {
      const route = await this.routes.byId(routeId);
      const { askMs = null, failMs = null } = route ? this.drivers.patienceOf(route) : {};
      const failUs = failMs === null ? usualUs : failMs * 1_000;
      const askUs = askMs === null ? Infinity : askMs * 1_000;
      const own = found.get(id) ?? new Map<number, Patience>();
      found.set(id, own.set(routeId, { failUs, askUs }));
    }
    return new Map(Array.from(found, ([id, ofRoutes]) => [id, together(ofRoutes)]));
  }

  /** The routes over which the last attempts of these recipients left, where they are recorded. */
  private async routesOf(rows: readonly WaitingRow[]): Promise<ReadonlyMap<string, number>> {
    if (rows.length === 0) return new Map();
    const keys = rows.map(recipientKeyOf);
    const wanted = `JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j`;
    const given = jsonRows(keys.map(({ campaignId, seq }) => [campaignId, seq]));
    const sent: { campaignId: number; seq: number; routeId: number }[] = await this.dataSource.query(
      `SELECT m.campaign_id AS campaignId, m.seq, m.route_id AS routeId FROM ${wanted}
       STRAIGHT_JOIN provider_messages m FORCE INDEX (PRIMARY) ON m.campaign_id = j.campaign_id AND m.seq = j.seq
         AND m.sent_on >= ?
       ORDER BY m.campaign_id, m.seq, m.item LIMIT ${RECIPIENTS_A_STEP * MOST_ITEMS}`,
      [given, firstSendDay(campaignsOf(keys))],
    );
    const unknown: typeof sent = await this.dataSource.query(
      `SELECT u.campaign_id AS campaignId, u.seq, u.route_id AS routeId FROM ${wanted}
       STRAIGHT_JOIN unknown_outcomes u FORCE INDEX (PRIMARY) ON u.campaign_id = j.campaign_id AND u.seq = j.seq
       LIMIT ${RECIPIENTS_A_STEP}`,
      [given],
    );
    return new Map([...sent, ...unknown].map((row) => [keyOf(row), row.routeId]));
  }

  /** Asks the carriers of attempts whose last word is missing; what they say is a receipt like any other. */
  private async ask(rows: readonly WaitingRow[], isStopped: () => boolean): Promise<void> {
    const keys = rows.map(recipientKeyOf);
    const sent: { routeId: number; id: string }[] = await this.dataSource.query(
      `SELECT m.route_id AS routeId, m.provider_message_id AS id FROM JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', item INT PATH '$[2]')) j
       STRAIGHT_JOIN provider_messages m FORCE INDEX (PRIMARY) ON m.campaign_id = j.campaign_id AND m.seq = j.seq
         AND m.item = j.item AND m.sent_on >= ?`,
      [
        jsonRows(rows.map((row) => [row.campaign_id, row.seq, Math.max(row.attempts, 1) - 1])),
        firstSendDay(campaignsOf(keys)),
      ],
    );
    const permits = new Semaphore(ASKS_AT_ONCE);
    const endsAt = performance.now() + ASKS_MS;
    await Promise.all(
      sent.map(async ({ routeId, id }) => {
        await permits.acquire(Infinity);
        try {
          if (isStopped() || performance.now() > endsAt) return;
          const route = await this.routes.byId(routeId);
          const receipt = route && (await this.drivers.ask(route, id));
          if (receipt) await this.receipts.accept(routeId, [receipt]);
        } finally {
          permits.release();
        }
      }),
    );
  }

  /**
   * Removes recipients from the list of unknown outcomes after twice the deadline. Waiting ones stay, since the refund at the
   * deadline depends on the list.
   */
  async forgetUnknown(receiptTimeoutMs: number, isStopped: () => boolean = () => false): Promise<void> {
    const isOld = 'u.created_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND';
    const ageUs = Math.round(2 * receiptTimeoutMs * 1000);
    let after: UnknownRow | undefined = { campaign_id: 0, seq: 0, created_at: new Date(0), is_waiting: 0 };
    while (after && !isStopped()) {
      const { created_at: at, campaign_id: campaignId, seq } = after;
      const rows: UnknownRow[] = await this.dataSource.query(
        `SELECT u.campaign_id, u.seq, u.created_at, COALESCE(r.status IN (?), 0) AS is_waiting
         FROM unknown_outcomes u FORCE INDEX (ix_unknown_outcomes_created)
         LEFT JOIN campaign_recipients r ON r.campaign_id = u.campaign_id AND r.seq = u.seq
         WHERE ${isOld} AND u.created_at >= ?
           AND (u.created_at > ? OR u.campaign_id > ? OR u.campaign_id = ? AND u.seq > ?)
         ORDER BY u.created_at, u.campaign_id, u.seq LIMIT ?`,
        [WAITING, ageUs, at, at, campaignId, campaignId, seq, RECIPIENTS_A_STEP],
      );
      const over = rows.filter(({ is_waiting: isWaiting }) => Number(isWaiting) === 0).map(recipientKeyOf);
      if (over.length > 0) {
        await this.dataSource.query(
          again(`DELETE u FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
             STRAIGHT_JOIN unknown_outcomes u FORCE INDEX (PRIMARY) ON u.campaign_id = j.campaign_id AND u.seq = j.seq
           WHERE ${isOld}`),
          [jsonRows(over.sort(inLockOrder).map((key) => [key.campaignId, key.seq])), ageUs],
        );
      }
      after = rows.length === RECIPIENTS_A_STEP ? rows.at(-1) : undefined;
    }
  }

  private async *waiting(campaigns: readonly number[]): AsyncGenerator<WaitingRow[], void, undefined> {
    let after = { campaign_id: 0, seq: 0 };
    for (;;) {
      const { campaign_id: campaignId } = after;
      const later = campaigns.filter((id) => id > campaignId);
      const rows: WaitingRow[] = await this.dataSource.query(
        `SELECT campaign_id, seq, receiver AS number, status, attempts, TIMESTAMPDIFF(MICROSECOND, updated_at, UTC_TIMESTAMP(3)) AS age_us
         FROM campaign_recipients WHERE (campaign_id = ? AND seq > ? OR campaign_id IN (?)) AND status IN (?)
         ORDER BY campaign_id, seq LIMIT ?`,
        [campaignId, after.seq, later.length > 0 ? later : [0], WAITING, RECIPIENTS_A_STEP],
      );
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < RECIPIENTS_A_STEP) return;
      after = last;
    }
  }

  private async planNext(tx: EntityManager, next: ReadonlyMap<number, number>): Promise<void> {
    await tx.query(
      `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$[0]', left_us BIGINT PATH '$[1]')) j
         STRAIGHT_JOIN campaigns c FORCE INDEX (PRIMARY) ON c.id = j.id
       SET c.overdue_check_at = UTC_TIMESTAMP(3) + INTERVAL j.left_us MICROSECOND WHERE c.open_lanes > 0`,
      [jsonRows([...next].sort((a, b) => a[0] - b[0]).map(([id, left]) => [id, Math.round(left)]))],
    );
  }
}

function together(ofRoutes: ReadonlyMap<number, Patience>): CampaignPatience {
  const all = [...ofRoutes.values()];
  const least = {
    failUs: Math.min(...all.map(({ failUs }) => failUs)),
    askUs: Math.min(...all.map(({ askUs }) => askUs)),
  };
  const differ = all.some(({ failUs, askUs }) => failUs !== least.failUs || askUs !== least.askUs);
  return { least, usual: all[0] ?? NO_PATIENCE, ofRoutes: differ ? ofRoutes : null };
}

function checksOf(campaigns: readonly DueCampaign[]): number[][] {
  const found: number[][] = [];
  let room = 0;
  for (const { id, total_rows: rows } of campaigns) {
    if (rows > room) {
      found.push([]);
      room = ROWS_A_CHECK;
    }
    found.at(-1)?.push(id);
    room -= rows;
  }
  return found;
}

const WAITING = [RecipientStatus.Submitted, RecipientStatus.Unknown];

const recipientKeyOf = ({ campaign_id: campaignId, seq }: Pick<WaitingRow, 'campaign_id' | 'seq'>) => ({
  campaignId,
  seq,
});

const failed = ({ campaign_id: campaignId, seq }: WaitingRow, refund: boolean) => ({
  campaignId,
  seq,
  to: RecipientStatus.Failed,
  errorCode: null,
  errorText: 'No delivery receipt',
  refund,
  attempted: false,
  isOverdue: true,
});
