import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { GroupCommit, ONE_TICK } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { mayBeOwn } from '../../../platform/database/index.js';
import { DriverRegistry, RouteDirectory } from '../../providers/index.js';
import type { DueRecipient } from '../attempts.js';
import { TRANSITIONS } from '../campaign.js';
import { isShared, type LaneSnapshot } from '../lanes.js';
import { beginsAlongside } from '../state/campaign-states.js';
import { type LaneClaim, type LanePart, pendingOf, pendingOfEach, type BatchClaim } from '../state/lane-claims.js';
import { LaneStore } from '../state/lane-store.js';
import { BATCH_RECIPIENTS } from './capacity.js';

/** Rows of a grouped lane that are scanned at once for recipients of its own group. */
const GROUPED_SPAN = 10_000;

export interface PlannedLane {
  lane: LaneSnapshot;
  end: number;
  most: number;
}

/** Lanes with retries or several groups need their own batch: the end of the range is unknown until recipients are read. */
const isAlone = ({ single, retriesDue, grouped }: LaneSnapshot): boolean => !single && (retriesDue || grouped);

/** Fills a batch with lanes of one route in order; retries and grouped lanes get their own. @param size recipients */
export function planBatch(lanes: readonly LaneSnapshot[], size: number): PlannedLane[] {
  const [first] = lanes;
  if (!first) return [];
  if (isAlone(first)) {
    const end = first.retriesDue ? first.nextSeq : Math.min(first.nextSeq + GROUPED_SPAN, first.endSeq);
    return [{ lane: first, end, most: size }];
  }
  const planned: PlannedLane[] = [];
  let left = size;
  for (const lane of lanes) {
    if (isAlone(lane)) continue;
    const most = lane.retriesDue ? 1 : Math.min(left, lane.endSeq - lane.nextSeq);
    if (planned.length > 0 && most > left) break;
    planned.push({ lane, end: lane.retriesDue ? lane.nextSeq : lane.nextSeq + most, most });
    left -= most;
    if (left <= 0) break;
  }
  return planned;
}

const isGrouped = ({ lane }: PlannedLane): boolean => lane.grouped && !lane.single && !lane.retriesDue;

/** Recipients of a shared read; each lane costs as much as `OF_A_LANE` recipients. */
const RECIPIENTS_A_READ = 2_000;
const OF_A_LANE = 4;

/** Reads and claims recipients. Batches share statements, so that a thousand slow routes cost as much as a few quick ones. */
@Injectable()
export class BatchClaims {
  private readonly reads = new GroupCommit<readonly LanePart[], DueRecipient[]>(
    (batches) => pendingOfEach(this.dataSource, batches),
    { ...ONE_TICK, maxItems: RECIPIENTS_A_READ, weigh: weightOf, isOwn: mayBeOwn },
  );
  private readonly claims = new GroupCommit<BatchClaim, LaneClaim[]>((batches) => this.claimEach(batches), {
    ...ONE_TICK,
    weigh: ({ claims }) => claims.length,
    isOwn: mayBeOwn,
  });

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly lanes: LaneStore,
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
  ) {}

  /** Pending recipients per lane. Read before the claim, since only a batch of the same lane changes them. */
  async plan(planned: readonly PlannedLane[]): Promise<LaneClaim[]> {
    const [first] = planned;
    const alone = planned.length === 1 && first && isGrouped(first) ? first : null;
    const parts = planned
      .map(({ lane, end }) => ({ lane, from: lane.nextSeq, end }))
      .filter(({ from, end }) => from < end);
    const recipients =
      !alone && planned.every(({ lane }) => isShared(lane))
        ? await this.reads.add(parts)
        : await pendingOf(this.dataSource, parts, alone ? { most: alone.most } : {});
    const byLane = new Map(planned.map(({ lane }): [LaneSnapshot, typeof recipients] => [lane, []]));
    for (const recipient of recipients) byLane.get(recipient.lane)?.push(recipient);
    const last = recipients.at(-1);
    return planned.map(({ lane, end }) => ({
      lane,
      recipients: byLane.get(lane) ?? [],
      intentSeq: alone && last && recipients.length === alone.most ? last.seq + 1 : Math.max(end, lane.nextSeq),
    }));
  }

  async claim(batch: BatchClaim): Promise<LaneClaim[]> {
    const asked = { mostRetries: BATCH_RECIPIENTS, ...batch };
    if (asked.claims.every(({ lane }) => isShared(lane))) return this.claims.add(asked);
    const [held = []] = await this.claimEach([asked]);
    return held;
  }

  private async claimEach(batches: readonly BatchClaim[]): Promise<LaneClaim[][]> {
    const { LANE_LEASE } = this.environment;
    const lanes = batches.flatMap(({ claims }) => claims.map(({ lane }) => lane));
    const unbegun = lanes.filter(({ state }) => TRANSITIONS.begin.from.includes(state));
    const ids = [...new Set(unbegun.map(({ campaignId }) => campaignId))];
    // From now on the campaign has a receipt deadline, even if this worker dies or the owner cancels.
    const begin = ids.length > 0 ? beginsAlongside(ids, await this.patienceOf(unbegun)) : undefined;
    return this.lanes.claimEach(batches, LANE_LEASE, begin);
  }

  /** Milliseconds until the receipts of these lanes are looked at first: the sweep plans what follows. */
  private async patienceOf(lanes: readonly LaneSnapshot[]): Promise<number> {
    let least = this.environment.RECEIPT_TIMEOUT;
    for (const routeId of new Set(lanes.map((lane) => lane.routeId))) {
      const route = await this.routes.byId(routeId);
      const { askMs, failMs } = route ? this.drivers.patienceOf(route) : { askMs: null, failMs: null };
      least = Math.min(least, askMs ?? least, failMs ?? least);
    }
    return least;
  }
}

const weightOf = (parts: readonly LanePart[]): number =>
  parts.reduce((sum, { from, end }) => sum + Math.max(end - from, OF_A_LANE), 0);
