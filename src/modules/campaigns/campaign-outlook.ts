import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { boundedCache, TtlCache } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { type CampaignRecord, isEndState, RECIPIENTS_A_READ, RecipientStatus } from '../engine/index.js';
import { RouteDirectory, type RouteRecord } from '../providers/index.js';
import type { CountedCampaign } from './campaigns.store.js';

/** What is known of how a campaign goes on. */
export interface SendingPace {
  /** recipients that have still to leave */
  unsent: number;
  /** messages a second that left lately; null = not seen for long enough */
  recent: number | null;
  /** messages a second since it might begin; null = none has left */
  average: number | null;
  /** messages a second that the routes let through; null = no limit */
  limit: number | null;
}

/**
 * Seconds until the last recipient has left: by what left lately, else by the whole time, and never quicker than the routes
 * let through. @returns null where nothing says how long
 */
export function secondsLeft({ unsent, recent, average, limit }: SendingPace): number | null {
  if (unsent === 0) return 0;
  const seen = recent ?? average;
  const pace = limit === null ? seen : Math.min(seen ?? limit, limit);
  return pace === null || pace <= 0 ? null : Math.ceil(unsent / pace);
}

/** How many had still to leave at a moment. */
interface Point {
  at: number;
  left: number;
}

const MOST_CAMPAIGNS = 10_000;
const MOST_POINTS = 32;
const KEPT_MS = 60_000;
/** A shorter time says more about windows than about the pace. */
const SHORTEST_MS = 5_000;

/**
 * What this process has seen of campaigns that are looked at, for the pace of the last minute: nothing is stored and nothing
 * asked for it, and a pause or a night before the schedule does not count as slow sending.
 */
export class PaceMemory {
  private readonly points = boundedCache<number, Point[]>(MOST_CAMPAIGNS, { ttlMs: 2 * KEPT_MS });

  /**
   * Notes how many have still to leave.
   * @param at milliseconds
   * @returns messages a second since the oldest look of the last minute; null = not known yet
   */
  note(campaignId: number, left: number, at: number): number | null {
    const fresh = (this.points.get(campaignId) ?? []).filter((point) => at - point.at <= KEPT_MS && point.at <= at);
    const [oldest] = fresh;
    const last = fresh.at(-1);
    if (!last || at - last.at >= KEPT_MS / MOST_POINTS) fresh.push({ at, left });
    this.points.set(campaignId, fresh);
    if (!oldest || at - oldest.at < SHORTEST_MS) return null;
    return Math.max(0, oldest.left - left) / ((at - oldest.at) / 1_000);
  }

  /** It stands still: what comes after is another pace. */
  forget(campaignId: number): void {
    this.points.delete(campaignId);
  }
}

/** How a campaign goes on. */
export interface Outlook {
  /** names: the first carries, the others may take over; without chat connections and what was removed */
  routes: string[];
  /** limit of the routes that carry what is left, together; null = none */
  messagesPerSecond: number | null;
  secondsLeft: number | null;
  /** credits; null = it cannot be cancelled */
  refund: number | null;
  isRefundApproximate: boolean;
  /** null = none is in doubt */
  inDoubtUntil: Date | null;
}

/** Groups of lanes of a campaign. */
const MOST_GROUPS = 2_048;
/** Of those in doubt, so many are asked for their deadline. */
const MOST_IN_DOUBT = 10_000;
/** What a cancel of a larger campaign would give back is added up once in a few seconds, however many look. */
const FEW = 10_000;
const REFUND_KEPT_MS = 5_000;
const MOST_KEPT = 1_000;

/** What can be said of the rest of a campaign: over which routes it leaves, how long it takes, what a cancel would give back. */
@Injectable()
export class CampaignOutlooks {
  private readonly memory = new PaceMemory();
  private readonly refunds = new TtlCache<number, number>(REFUND_KEPT_MS, MOST_KEPT);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'RECEIPT_TIMEOUT'>,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
  ) {}

  async of(counted: CountedCampaign): Promise<Outlook> {
    const { campaign, carrying } = counted;
    const chains = await this.chains(campaign);
    const of = async (ids: readonly number[]): Promise<(RouteRecord | null)[]> =>
      Promise.all(ids.map((id) => this.routes.byId(id)));
    const all = await of([...new Set([campaign.routeId, ...chains, ...carrying])]);
    const limits = (await of(carrying.length > 0 ? carrying : [campaign.routeId])).map(
      (route) => route?.messagesPerSecond ?? null,
    );
    const limit = limits.includes(null) ? null : limits.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    const { refund, isApproximate } = await this.refund(counted);
    return {
      routes: all.flatMap((route) => (route && route.owner === null ? [route.name] : [])),
      messagesPerSecond: limit,
      secondsLeft: this.left(counted, limit),
      refund,
      isRefundApproximate: isApproximate,
      inDoubtUntil: await this.inDoubtUntil(counted),
    };
  }

  /** Names of the routes of one recipient: the first was to carry it, the others may take over. */
  async routesOf({ id, routeId }: CampaignRecord, seq: number, own: number | undefined): Promise<string[]> {
    const [chain] = await this.dataSource.query<{ route_ids: string }[]>(
      `SELECT route_ids FROM campaign_routes WHERE campaign_id = ? AND lane_group = COALESCE(
         (SELECT lane_group FROM recipient_terms WHERE campaign_id = ? AND seq = ?), 0) LIMIT 1`,
      [id, id, seq],
    );
    const ids = chain ? chain.route_ids.split(',').map(Number) : [own ?? routeId];
    const routes = await Promise.all(ids.map((one) => this.routes.byId(one)));
    return routes.flatMap((route) => (route && route.owner === null ? [route.name] : []));
  }

  /** When the deadline of the last one in doubt comes, as the sweeper of receipts reckons it. */
  private async inDoubtUntil({ campaign: { id }, counts }: CountedCampaign): Promise<Date | null> {
    if ((counts.get(RecipientStatus.Unknown) ?? 0) === 0) return null;
    const [row] = await this.dataSource.query<{ at: Date | null }[]>(
      `SELECT MAX(r.updated_at) AS at
       FROM (SELECT campaign_id, seq FROM unknown_outcomes WHERE campaign_id = ? LIMIT ${MOST_IN_DOUBT}) u
       STRAIGHT_JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = u.campaign_id AND r.seq = u.seq
       WHERE r.status = ${RecipientStatus.Unknown}`,
      [id],
    );
    return row?.at ? new Date(row.at.getTime() + this.environment.RECEIPT_TIMEOUT) : null;
  }

  /** Routes of all chains, in their order. */
  private async chains({ id }: CampaignRecord): Promise<number[]> {
    const rows: { route_ids: string }[] = await this.dataSource.query(
      `SELECT route_ids FROM campaign_routes WHERE campaign_id = ? ORDER BY lane_group LIMIT ${MOST_GROUPS}`,
      [id],
    );
    return rows.flatMap(({ route_ids }) => route_ids.split(',').map(Number));
  }

  private left({ campaign, counts }: CountedCampaign, limit: number | null): number | null {
    const { id, state, scheduledAt, createdAt, totalRows } = campaign;
    const pending = counts.get(RecipientStatus.Pending) ?? 0;
    const retrying = counts.get(RecipientStatus.Retrying) ?? 0;
    const at = now().getTime();
    const since = Math.max(createdAt.getTime(), scheduledAt?.getTime() ?? 0);
    if (isEndState(state)) return 0;
    if ((state !== 'accepted' && state !== 'running') || since > at) {
      this.memory.forget(id);
      return null;
    }
    // Calls in vain are made again after a wait of their own, as many as it takes.
    if (pending === 0) return retrying === 0 ? 0 : null;
    const sent = totalRows - pending;
    const average = sent > 0 && at > since ? sent / ((at - since) / 1_000) : null;
    return secondsLeft({ unsent: pending, recent: this.memory.note(id, pending, at), average, limit });
  }

  /** What has not left is refunded by what each was charged. */
  private async refund({
    campaign,
    counts,
  }: CountedCampaign): Promise<{ refund: number | null; isApproximate: boolean }> {
    const { id, state, unitCredits, ownTerms, chargedCredits, totalRows } = campaign;
    if (isEndState(state)) return { refund: null, isApproximate: false };
    const pending = counts.get(RecipientStatus.Pending) ?? 0;
    if (!ownTerms) return { refund: pending * unitCredits, isApproximate: false };
    if (pending === totalRows) return { refund: chargedCredits, isApproximate: false };
    if (totalRows > RECIPIENTS_A_READ)
      return { refund: Math.round((chargedCredits * pending) / totalRows), isApproximate: true };
    const add = (): Promise<number> => this.waitingCredits(id, unitCredits);
    return { refund: await (totalRows <= FEW ? add() : this.refunds.get(id, add)), isApproximate: false };
  }

  /** Credits of those that have not left. */
  private async waitingCredits(id: number, unitCredits: number): Promise<number> {
    const [row] = await this.dataSource.query<{ credits: string | null }[]>(
      `SELECT SUM(COALESCE(t.credits, ?)) AS credits FROM campaign_recipients r
       LEFT JOIN recipient_terms t ON t.campaign_id = r.campaign_id AND t.seq = r.seq
       WHERE r.campaign_id = ? AND r.status = ${RecipientStatus.Pending} LIMIT 1`,
      [unitCredits, id],
    );
    return Number(row?.credits ?? 0);
  }
}
