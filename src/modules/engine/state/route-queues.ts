import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { CAMPAIGN_STATES, type CampaignState, TRANSITIONS } from '../campaign.js';
import { sqlIsRefusedLane } from '../lanes.js';
import { RecipientStatus } from '../recipient.js';
import { DueRoutes, type FirstDue } from './due-routes.js';

type Source = Pick<EntityManager, 'query'>;

/** Recipients that wait on a route. */
export interface RouteQueue {
  /** due now, including those about to be sent */
  waiting: number;
  /** paused, scheduled, unapproved, and later retries */
  later: number;
  /** true = counts are lower bounds */
  hasMore: boolean;
  /** of lanes without a lease; null = none */
  oldestDueMs: number | null;
}

export interface WaitingCampaign {
  requestId: string;
  broadcastName: string;
  accountId: number;
  channel: string;
  state: CampaignState;
  scheduledAt: Date | null;
  waiting: number;
}

const MOST_CAMPAIGNS = 100;
/** Rows read per query: lanes of campaigns, and single messages. */
const MOST_LANES = 2_000;
const MOST_SINGLE = 20_000;

const OPEN = [RecipientStatus.Pending, RecipientStatus.Retrying].join(', ');

/** SQL: pending recipients and retries of a lane; a grouped lane counts only its own recipients. */
export function sqlWaitingIn(lane: string): string {
  const of = `campaign_id = ${lane}.campaign_id AND`;
  const retries = `(SELECT COUNT(*) FROM recipient_retries t WHERE t.${of} t.lane = ${lane}.lane)`;
  const own = `(SELECT COALESCE(SUM(k.recipients), 0) FROM campaign_counters k
    WHERE k.${of} k.lane = ${lane}.lane AND k.status IN (${OPEN}))`;
  const range = `CAST(${lane}.end_seq AS SIGNED) - CAST(${lane}.next_seq AS SIGNED)`;
  return `IF(${sqlIsRefusedLane(`${lane}.lane`)}, ${retries}, LEAST(${own}, ${range} + ${retries}))`;
}

/** What waits on routes, counted by lane, so the cost does not depend on the number of recipients. */
@Injectable()
export class RouteQueues {
  private readonly due: DueRoutes;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {
    this.due = new DueRoutes(dataSource);
  }

  /** Waiting recipients of a route. @param channels carried by the route */
  async of(channels: readonly string[], routeId: number): Promise<RouteQueue> {
    if (channels.length === 0) return { waiting: 0, later: 0, hasMore: false, oldestDueMs: null };
    const [campaigns, single] = await Promise.all([
      this.sums(channels, routeId, { single: 0, most: MOST_LANES, each: sqlWaitingIn('l') }),
      this.sums(channels, routeId, { single: 1, most: MOST_SINGLE, each: '1' }),
    ]);
    const oldest = [campaigns.oldest, single.oldest].flatMap((us) => (us === null ? [] : [Number(us) / 1_000]));
    return {
      waiting: Number(campaigns.waiting) + Number(single.waiting),
      later: Number(campaigns.later) + Number(single.later),
      hasMore: Number(campaigns.lanes) > MOST_LANES || Number(single.lanes) > MOST_SINGLE,
      oldestDueMs: oldest.length > 0 ? Math.max(0, ...oldest) : null,
    };
  }

  /** Waiting campaigns of a route, largest first; only some of the single messages. @param channels carried by the route */
  async campaigns(
    channels: readonly string[],
    routeId: number,
  ): Promise<{ campaigns: WaitingCampaign[]; hasMore: boolean }> {
    if (channels.length === 0) return { campaigns: [], hasMore: false };
    const lanes = (single: 0 | 1, most: number): string =>
      `(SELECT campaign_id, lane, next_seq, end_seq FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_route)
        WHERE channel IN (?) AND route_id = ? AND single = ${single} LIMIT ${most + 1}) l`;
    const rows: (Omit<WaitingCampaign, 'waiting'> & { waiting: string; lanes: string })[] = await this.dataSource.query(
      `SELECT c.request_id AS requestId, c.broadcast_name AS broadcastName, c.account_id AS accountId, c.channel, c.state,
         c.scheduled_at AS scheduledAt, w.waiting, w.lanes
       FROM (SELECT campaign_id, SUM(waiting) AS waiting, SUM(COUNT(*)) OVER () AS lanes FROM (
           SELECT l.campaign_id, ${sqlWaitingIn('l')} AS waiting FROM ${lanes(0, MOST_LANES)}
           UNION ALL SELECT l.campaign_id, 1 FROM ${lanes(1, MOST_CAMPAIGNS)}) x
         GROUP BY campaign_id ORDER BY waiting DESC, campaign_id LIMIT ${MOST_CAMPAIGNS + 1}) w
       JOIN campaigns c ON c.id = w.campaign_id ORDER BY w.waiting DESC, w.campaign_id`,
      [channels, routeId, channels, routeId],
    );
    // filtered here, since empty lanes count towards the limit of rows
    const waiting = rows.filter((row) => Number(row.waiting) > 0);
    return {
      campaigns: waiting
        .slice(0, MOST_CAMPAIGNS)
        .map(({ lanes: _lanes, ...campaign }) => ({ ...campaign, waiting: Number(campaign.waiting) })),
      hasMore: waiting.length > MOST_CAMPAIGNS || Number(rows[0]?.lanes ?? 0) > MOST_LANES,
    };
  }

  /** Whether any lane uses the route. */
  async isUsed(source: Source, channels: readonly string[], routeId: number): Promise<boolean> {
    if (channels.length === 0) return false;
    const rows: unknown[] = await source.query(
      `SELECT 1 FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_route)
       WHERE channel IN (?) AND route_id = ? AND single IN (0, 1) LIMIT 1`,
      [channels, routeId],
    );
    return rows.length > 0;
  }

  /** Whether an unfinished campaign, or a recipient of one, uses the route. */
  async unfinishedOn(tx: EntityManager, routeId: number): Promise<boolean> {
    // By state: otherwise the optimizer visits millions of completed campaigns.
    const rows: unknown[] = await tx.query(
      `SELECT 1 FROM campaigns c FORCE INDEX (ix_campaigns_state)
       WHERE c.state IN (?) AND c.open_lanes > 0 AND (c.route_id = ?
         OR EXISTS (SELECT 1 FROM campaign_routes k WHERE k.campaign_id = c.id AND FIND_IN_SET(?, k.route_ids) > 0)
         OR c.own_terms = 1 AND EXISTS (
         SELECT 1 FROM recipient_terms t WHERE t.campaign_id = c.id AND t.route_id = ?)) LIMIT 1`,
      [CAMPAIGN_STATES.filter((state) => state !== TRANSITIONS.complete.to), routeId, routeId, routeId],
    );
    return rows.length > 0;
  }

  /** The longest due lane of each route, for monitors. */
  oldestDue(channels: readonly string[]): Promise<FirstDue[]> {
    return this.due.first(channels);
  }

  /** Number of due lanes of a route, counted up to `most`. */
  async countDue(channel: string, routeId: number, most: number): Promise<number> {
    const due = `SELECT 1 FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_route)
      WHERE channel = ? AND route_id = ? AND single = ? AND wake_at <= UTC_TIMESTAMP(3) LIMIT ${most}`;
    const [row] = await this.dataSource.query<{ lanes: string }[]>(
      `SELECT COUNT(*) AS lanes FROM ((${due}) UNION ALL (${due})) d LIMIT 1`,
      [channel, routeId, 0, channel, routeId, 1],
    );
    return Math.min(most, Number(row?.lanes ?? 0));
  }

  /** Unmatched receipts older than this, by route; counts only the `most` latest. */
  async unmatchedReceipts(olderThanMs: number, most: number): Promise<Map<number, number>> {
    const rows: { route_id: number; receipts: string }[] = await this.dataSource.query(
      `SELECT route_id, COUNT(*) AS receipts FROM (
         SELECT route_id FROM parked_receipts FORCE INDEX (ix_parked_receipts_received)
         WHERE received_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND ORDER BY received_at DESC LIMIT ?) latest GROUP BY route_id`,
      [olderThanMs * 1000, most],
    );
    return new Map(rows.map((row) => [row.route_id, Number(row.receipts)]));
  }

  /** A lane with a lease is due again when the lease ends. */
  private async sums(
    channels: readonly string[],
    routeId: number,
    { single, most, each }: { single: 0 | 1; most: number; each: string },
  ): Promise<Record<'lanes' | 'waiting' | 'later', string> & { oldest: string | null }> {
    const isDue = 'l.wake_at <= UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND';
    const columns = single === 1 ? 'wake_at' : 'campaign_id, lane, next_seq, end_seq, wake_at';
    const lease = this.environment.LANE_LEASE * 1_000;
    const [row] = await this.dataSource.query<
      [Record<'lanes' | 'waiting' | 'later', string> & { oldest: string | null }]
    >(
      `SELECT COUNT(*) AS lanes, COALESCE(SUM(IF(${isDue}, ${each}, 0)), 0) AS waiting,
         COALESCE(SUM(IF(${isDue}, 0, ${each})), 0) AS later,
         MAX(IF(l.wake_at <= UTC_TIMESTAMP(3), TIMESTAMPDIFF(MICROSECOND, l.wake_at, UTC_TIMESTAMP(3)), NULL)) AS oldest
       FROM (SELECT ${columns} FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_route)
         WHERE channel IN (?) AND route_id = ? AND single = ${single} LIMIT ${most + 1}) l`,
      [lease, lease, channels, routeId],
    );
    return row;
  }
}
