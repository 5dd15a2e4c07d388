import { Inject, Injectable, Logger } from '@nestjs/common';
import { Semaphore } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { isPassing } from '../../../platform/database/index.js';
import { AccountDirectory } from '../../accounts/index.js';
import { isTestRoute, type SendOutcome } from '../../providers/index.js';
import { LANE_ACTION, type LaneAction } from '../campaign.js';
import type { LaneSnapshot } from '../lanes.js';
import { BatchResults } from '../settle/batch-results.js';
import { Cancellations } from '../settle/cancellations.js';
import { CampaignStates } from '../state/campaign-states.js';
import { newClaimId } from '../state/lane-claims.js';
import { type LanesLeft, NOTHING_ENDED } from '../state/lane-endings.js';
import { LaneStore } from '../state/lane-store.js';
import { BatchRunner } from './batch-runner.js';
import { EXPIRED, hasExpired, notInTime, isOverdue, validityLeft } from './batch-sender.js';
import { ROUTE_DOWN_MS } from './capacity.js';
import { CarrierChoice, NO_ROUTE } from './carrier-choice.js';

function byRoute(lanes: readonly LaneSnapshot[]): LaneSnapshot[][] {
  const routes = new Map<number, LaneSnapshot[]>();
  for (const lane of lanes) routes.set(lane.routeId, [...(routes.get(lane.routeId) ?? []), lane]);
  return [...routes.values()];
}

/** Groups lanes by action; an open batch of a lost worker comes first. */
function byAction(lanes: readonly LaneSnapshot[]): Record<LaneAction | 'recover', LaneSnapshot[]> {
  const of: Record<LaneAction | 'recover', LaneSnapshot[]> = {
    recover: [],
    wait: [],
    send: [],
    refund: [],
    nothing: [],
  };
  for (const lane of lanes) {
    const isLost = lane.intentSeq > lane.nextSeq || lane.retriesBegun;
    of[isLost ? 'recover' : LANE_ACTION[lane.state]].push(lane);
  }
  return of;
}

export const CANCEL_STEP = 5_000;
const CANCELS_AT_ONCE = 4;

export interface BatchEnd extends LanesLeft {
  backoffMs: number;
  isDown: boolean;
}

const endOf = (ends: readonly BatchEnd[]): BatchEnd => ({
  done: ends.flatMap((end) => end.done),
  more: ends.some(({ more }) => more),
  backoffMs: Math.max(...ends.map(({ backoffMs }) => backoffMs)),
  isDown: ends.some(({ isDown }) => isDown),
});
const ended = (left: LanesLeft): BatchEnd => ({ ...left, backoffMs: 0, isDown: false });
const NOTHING: BatchEnd = ended(NOTHING_ENDED);
const nothing = (): void => undefined;

/**
 * Runs one batch of lanes of one route: recovers, refunds, suspends or sends, by the state of each lane's campaign.
 * @example
 * const end = await this.runner.run(lanes, (held) => onClaimed(held));
 */
@Injectable()
export class LaneRunner {
  private readonly logger = new Logger(LaneRunner.name);
  private stopping = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly lanes: LaneStore,
    private readonly states: CampaignStates,
    private readonly results: BatchResults,
    private readonly cancellations: Cancellations,
    private readonly batches: BatchRunner,
    private readonly carriers: CarrierChoice,
    private readonly accounts: AccountDirectory,
  ) {}

  /** Starts no further run (graceful stop); batches under way finish. */
  stop(): void {
    this.stopping = true;
    this.batches.stop();
  }

  /** Runs lanes of one channel and route, in order. @param onClaimed called with claimed lanes before anything leaves */
  async run(
    lanes: readonly LaneSnapshot[],
    onClaimed: (held: readonly LaneSnapshot[]) => void = nothing,
  ): Promise<BatchEnd> {
    try {
      return await this.take(lanes, async (of) => this.send(of.send, onClaimed));
    } catch (error) {
      // A database fault is not the lane's fault: retry immediately.
      if (!isPassing(error)) await this.lanes.leaveAlone(lanes).catch(() => undefined);
      throw error;
    }
  }

  /** Settles lanes of any routes that send nothing more; needs no permit. @throws Error of one lane, after the others */
  async settle(lanes: readonly LaneSnapshot[]): Promise<BatchEnd> {
    try {
      return await this.take(lanes, async (of) => this.expire([...of.send, ...of.wait]));
    } catch (error) {
      if (isPassing(error)) throw error;
      if (lanes.length === 1) await this.lanes.leaveAlone(lanes).catch(() => undefined);
      if (lanes.length <= 1) throw error;
      const middle = lanes.length >> 1;
      const [first] = await Promise.allSettled([this.settle(lanes.slice(0, middle))]);
      const second = await this.settle(lanes.slice(middle));
      if (first.status === 'rejected') throw first.reason;
      return endOf([first.value, second]);
    }
  }

  private async take(
    lanes: readonly LaneSnapshot[],
    further: (of: Readonly<Record<LaneAction, LaneSnapshot[]>>) => Promise<BatchEnd>,
  ): Promise<BatchEnd> {
    if (this.stopping || lanes.length === 0) return NOTHING;
    const ends: BatchEnd[] = [];
    try {
      const of = byAction(lanes);
      for (const lost of byRoute(of.recover)) ends.push(await this.recover(lost));
      await this.cancel(of.refund, (end) => ends.push(end));
      if (of.wait.length > 0) await this.lanes.sleep(of.wait);
      if (of.nothing.length > 0) await this.lanes.drop(of.nothing);
      ends.push(await further(of));
    } finally {
      // After the commit: if two lanes end together, the later one sees both ended.
      const done = ends.flatMap((end) => end.done);
      if (done.length > 0) await this.states.markSent(done);
    }
    return endOf(ends);
  }

  private async recover(lanes: readonly LaneSnapshot[]): Promise<BatchEnd> {
    const [first] = lanes;
    if (!first) return NOTHING;
    const deduplicated = await this.carriers.deduplicates(first.routeId);
    this.logger.warn(
      { campaign: first.campaignId, lanes: lanes.length, deduplicated },
      'recovering the batch of a lost worker',
    );
    return ended(await this.results.recover(lanes, deduplicated, this.environment.LANE_LEASE));
  }

  private async cancel(lanes: readonly LaneSnapshot[], onEnd: (end: BatchEnd) => void): Promise<void> {
    const held = await this.claim(lanes);
    const permits = new Semaphore(CANCELS_AT_ONCE);
    const steps = held.map(async (lane) => {
      await permits.acquire(Infinity);
      try {
        onEnd(ended(await this.cancellations.step(lane, CANCEL_STEP)));
      } finally {
        permits.release();
      }
    });
    const failed = (await Promise.allSettled(steps)).find((step) => step.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Fails lanes with expired validity and schedules the expiry of the others. */
  private async expire(lanes: readonly LaneSnapshot[]): Promise<BatchEnd> {
    if (lanes.length === 0) return NOTHING;
    const inTime = await this.inTime(lanes);
    const expired = this.expired(inTime);
    const others = inTime.filter((lane) => !expired.includes(lane));
    if (others.length > 0) {
      const moments = others.map((lane) => {
        const validity = this.carriers.channelOf(lane).validitySeconds?.(lane.content);
        return { lane, inMs: validity === undefined ? null : validityLeft(lane, validity) };
      });
      await this.lanes.settleLater(moments);
    }
    const end = await this.refuse(expired, EXPIRED);
    return inTime.length < lanes.length ? { ...end, more: true } : end;
  }

  private expired(lanes: readonly LaneSnapshot[]): LaneSnapshot[] {
    return lanes.filter((lane) => hasExpired(this.carriers.channelOf(lane), lane));
  }

  /** Retries end with their lane, even if not yet due. */
  private async refuse(lanes: readonly LaneSnapshot[], outcome: SendOutcome): Promise<BatchEnd> {
    if (lanes.length === 0) return NOTHING;
    const left = lanes.map((lane) => (lane.nextSeq < lane.endSeq ? lane : { ...lane, retriesDue: true }));
    return ended(await this.batches.refuse(left, outcome));
  }

  private async send(
    lanes: readonly LaneSnapshot[],
    onClaimed: (held: readonly LaneSnapshot[]) => void,
  ): Promise<BatchEnd> {
    const [first] = lanes;
    if (!first) return NOTHING;
    const active = await this.ofActiveAccounts(await this.inTime(lanes));
    if (active.length < lanes.length) return ended({ more: true, done: [] });
    const astray = lanes.filter(({ isTest, routeId }) => isTest !== isTestRoute(routeId));
    if (astray.length > 0) return this.refuse(astray, NO_ROUTE);
    const choice = await this.carriers.of([first, ...lanes.slice(1)]);
    switch (choice.kind) {
      case 'send':
        return ended(await this.batches.send(lanes, choice.carrier, choice.size, onClaimed));
      case 'wait':
        return { ...NOTHING, backoffMs: choice.backoffMs };
      case 'moved':
        return { more: true, done: [], backoffMs: 0, isDown: true };
      case 'gone':
        return this.refuse(choice.lanes, NO_ROUTE);
      case 'down':
        return this.routeIsDown(lanes, choice.fault);
    }
  }

  /** Cancels or pauses campaigns that have not begun in time. @returns lanes of the others */
  private async inTime(lanes: readonly LaneSnapshot[]): Promise<LaneSnapshot[]> {
    const changed = new Set<number>();
    for (const [campaignId, late] of new Map(lanes.map((lane) => [lane.campaignId, lane.late]))) {
      if (late && (await this.states.late(campaignId, late))) changed.add(campaignId);
    }
    return lanes.filter(({ campaignId }) => !changed.has(campaignId));
  }

  /** Pauses campaigns of closed accounts. */
  private async ofActiveAccounts(lanes: readonly LaneSnapshot[]): Promise<LaneSnapshot[]> {
    const ids = [...new Set(lanes.map(({ accountId }) => accountId))];
    const accounts = await Promise.all(ids.map((id) => this.accounts.byId(id)));
    const active = new Set(ids.filter((_, index) => accounts[index]?.isActive));
    const isActive = ({ accountId }: LaneSnapshot): boolean => active.has(accountId);
    for (const { campaignId } of lanes.filter((lane) => !isActive(lane))) {
      await this.states.changeAlone(campaignId, 'pause');
    }
    return lanes.filter(isActive);
  }

  /** Sends nothing and counts no attempt: lanes stay due until their deadline or the end of their validity. */
  private async routeIsDown(lanes: readonly LaneSnapshot[], fault: string): Promise<BatchEnd> {
    const { RECEIPT_TIMEOUT } = this.environment;
    const expired = this.expired(lanes);
    if (expired.length > 0) return { ...(await this.refuse(expired, EXPIRED)), isDown: true };
    await this.lanes.stallUnclaimed(lanes.filter(({ stalledMs }) => stalledMs === null));
    const overdue = lanes.filter((lane) => isOverdue(lane, RECEIPT_TIMEOUT));
    const left = await this.refuse(overdue, notInTime(fault));
    return { ...left, backoffMs: left.more ? 0 : ROUTE_DOWN_MS, isDown: true };
  }

  private async claim(lanes: readonly LaneSnapshot[]): Promise<LaneSnapshot[]> {
    if (lanes.length === 0) return [];
    const claims = lanes.map((lane) => ({
      lane: { ...lane, retriesDue: false },
      intentSeq: lane.intentSeq,
      recipients: [],
    }));
    const held = await this.lanes.claim(claims, this.environment.LANE_LEASE, { id: newClaimId() });
    return held.map(({ lane }) => lane);
  }
}
