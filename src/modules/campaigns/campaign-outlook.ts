import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { boundedCache, TtlCache } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { type CampaignRecord, isEndState, RecipientStatus } from '../engine/index.js';
import { DriverRegistry, RouteDirectory, type RouteRecord } from '../providers/index.js';
import type { CountedCampaign } from './campaigns.store.js';
import { RECIPIENTS_A_READ } from './campaign-scan.js';

export interface SendingPace {
  unsent: number;
  /** messages per second lately; null = observed too briefly */
  recent: number | null;
  /** messages per second since the campaign could begin; null = none sent */
  average: number | null;
  /** messages per second that the routes allow; null = no limit */
  limit: number | null;
}

/** Estimates seconds until the last send from the recent (else average) pace, capped by the routes' limit; null = unknown. */
export function secondsLeft({ unsent, recent, average, limit }: SendingPace): number | null {
  if (unsent === 0) return 0;
  const seen = recent ?? average;
  const pace = limit === null ? seen : Math.min(seen ?? limit, limit);
  return pace === null || pace <= 0 ? null : Math.ceil(unsent / pace);
}

interface Point {
  at: number;
  left: number;
}

const MOST_CAMPAIGNS = 10_000;
const MOST_POINTS = 32;
const KEPT_MS = 60_000;
/** Below this span, batches distort the measured pace. */
const SHORTEST_MS = 5_000;

/** Measures the pace of watched campaigns in memory, without queries; pauses and waiting times do not slow the pace. */
export class PaceMemory {
  private readonly points = boundedCache<number, Point[]>(MOST_CAMPAIGNS, { ttlMs: 2 * KEPT_MS });

  /** Records the unsent recipients at `at` (ms). Returns messages per second over the last minute; null = not known yet. */
  record(campaignId: number, left: number, at: number): number | null {
    const fresh = (this.points.get(campaignId) ?? []).filter((point) => at - point.at <= KEPT_MS && point.at <= at);
    const [oldest] = fresh;
    const last = fresh.at(-1);
    if (!last || at - last.at >= KEPT_MS / MOST_POINTS) fresh.push({ at, left });
    this.points.set(campaignId, fresh);
    if (!oldest || at - oldest.at < SHORTEST_MS) return null;
    return Math.max(0, oldest.left - left) / ((at - oldest.at) / 1_000);
  }

  /** Drops the points when the campaign stops, because the pace afterwards is independent. */
  forget(campaignId: number): void {
    this.points.delete(campaignId);
  }
}

export interface Outlook {
  /** names: primary route, then fallbacks; without chat connections and removed routes */
  routes: string[];
  /** combined limit of the routes that carry the remaining recipients; null = none */
  messagesPerSecond: number | null;
  secondsLeft: number | null;
  /** credits; null = the campaign cannot be cancelled */
  refund: number | null;
  isRefundApproximate: boolean;
  /** null = no send has an unknown outcome */
  inDoubtUntil: Date | null;
  /** null = not all are sent, or no receipt is awaited */
  receiptsUntil: Date | null;
}

const MOST_GROUPS = 2_048;
/** Recipients with an unknown outcome whose deadline is queried. */
const MOST_IN_DOUBT = 10_000;
/** The refund of a larger campaign is summed once per REFUND_KEPT_MS, independent of the number of viewers. */
const FEW = 10_000;
const REFUND_KEPT_MS = 5_000;
const MOST_KEPT = 1_000;

/** Estimates the routes, the remaining time and the cancel refund of a campaign. */
@Injectable()
export class CampaignOutlooks {
  private readonly memory = new PaceMemory();
  private readonly refunds = new TtlCache<number, number>(REFUND_KEPT_MS, MOST_KEPT);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'RECEIPT_TIMEOUT'>,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
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
      receiptsUntil: await this.receiptsUntil(counted),
    };
  }

  /** Names the routes of one recipient: primary route, then fallbacks. */
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

  /** Returns the last deadline of sends with an unknown outcome, by the receipt sweeper's rule. */
  private async inDoubtUntil({ campaign: { id, routeId }, counts }: CountedCampaign): Promise<Date | null> {
    if ((counts.get(RecipientStatus.Unknown) ?? 0) === 0) return null;
    const [row] = await this.dataSource.query<{ at: Date | null }[]>(
      `SELECT MAX(r.updated_at) AS at
       FROM (SELECT campaign_id, seq FROM unknown_outcomes WHERE campaign_id = ? LIMIT ${MOST_IN_DOUBT}) u
       STRAIGHT_JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = u.campaign_id AND r.seq = u.seq
       WHERE r.status = ${RecipientStatus.Unknown}`,
      [id],
    );
    return row?.at ? new Date(row.at.getTime() + (await this.patienceOf(routeId))) : null;
  }

  /** Returns the deadline of the receipts that a wholly sent campaign waits for. */
  private async receiptsUntil({ campaign: { routeId, sentAt, state }, counts }: CountedCampaign): Promise<Date | null> {
    const waiting = counts.get(RecipientStatus.Submitted) ?? 0;
    const unsent = (counts.get(RecipientStatus.Pending) ?? 0) + (counts.get(RecipientStatus.Retrying) ?? 0);
    if (waiting === 0 || unsent > 0 || sentAt === null || isEndState(state)) return null;
    return new Date(sentAt.getTime() + (await this.patienceOf(routeId)));
  }

  /** How long a receipt is awaited, ms. */
  private async patienceOf(routeId: number): Promise<number> {
    const route = await this.routes.byId(routeId);
    const own = route && this.drivers.patienceOf(route).failMs;
    return own ?? this.environment.RECEIPT_TIMEOUT;
  }

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
    // Retries of failed calls wait for their own backoff, so no estimate is possible.
    if (pending === 0) return retrying === 0 ? 0 : null;
    const sent = totalRows - pending;
    const average = sent > 0 && at > since ? sent / ((at - since) / 1_000) : null;
    return secondsLeft({ unsent: pending, recent: this.memory.record(id, pending, at), average, limit });
  }

  /** Credits that a cancel would refund: the charges of unsent recipients. */
  private async refund({
    campaign,
    counts,
  }: CountedCampaign): Promise<{ refund: number | null; isApproximate: boolean }> {
    const { id, state, isTest, unitCredits, ownTerms, chargedCredits, totalRows } = campaign;
    if (isEndState(state)) return { refund: null, isApproximate: false };
    if (isTest) return { refund: 0, isApproximate: false };
    const pending = counts.get(RecipientStatus.Pending) ?? 0;
    if (!ownTerms) return { refund: pending * unitCredits, isApproximate: false };
    if (pending === totalRows) return { refund: chargedCredits, isApproximate: false };
    if (totalRows > RECIPIENTS_A_READ)
      return { refund: Math.round((chargedCredits * pending) / totalRows), isApproximate: true };
    const add = (): Promise<number> => this.waitingCredits(id, unitCredits);
    return { refund: await (totalRows <= FEW ? add() : this.refunds.get(id, add)), isApproximate: false };
  }

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
