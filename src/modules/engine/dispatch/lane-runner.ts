import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { HeldLease } from '../../../platform/leases/index.js';
import { Metrics } from '../../../platform/observability/index.js';
import type { LaneJob } from '../../../platform/queues/index.js';
import { AccountDirectory } from '../../accounts/index.js';
import {
  DriverRegistry,
  type Route,
  type RouteConnection,
  RouteConnections,
  RouteDirectory,
  type SendOutcome,
} from '../../providers/index.js';
import { acceptanceErrors } from '../accept/acceptance.errors.js';
import type { DueRecipient } from '../settle/attempts.js';
import { type Channel } from '../channel.js';
import { Channels } from '../channels.js';
import { CampaignStates } from '../state/campaign-states.js';
import { LANE_DUTY, TRANSITIONS } from '../state/campaign-transitions.js';
import { type LaneEnd, LaneStore, type LaneTurn, newClaimId } from './lane-store.js';
import { RoutePace } from './route-pace.js';
import { type WindowResult, WindowResults } from '../settle/window-results.js';
import { conclude, inVain, isOverdue } from './lane-deadline.js';
import { applySuppressions, StopList } from './suppressions.js';
import { sendWindow } from './window-sender.js';
import { inRecipients, WINDOW_RECIPIENTS, WindowTempo } from './window-tempo.js';

/** Recipients; a commit of more would hold up those of others for too long. */
const CANCEL_STEP = 5_000;
const ROUTE_DOWN_MS = 1_000;
const ROUTE_BUSY_MS = 250;
const WRITE_AGAIN_MS = 500;
/** Results outlive a database that is away for minutes: a lost one would leave an outcome unknown. */
const KEEP_RESULTS_MS = 600_000;

const NO_ROUTE: SendOutcome = {
  kind: 'rejected',
  code: null,
  text: acceptanceErrors.noRoute.text,
  submitted: false,
};

/** A window whose lease is held. */
interface ClaimedWindow {
  route: Route;
  channel: Channel;
  connection: RouteConnection;
  deduplicated: boolean;
  recipients: readonly DueRecipient[];
  /** clock of `performance.now()`, taken before the claim */
  claimedAt: number;
}

/** Takes one turn of one lane: claims it, records the intent, sends one window, writes what became of it. */
@Injectable()
export class LaneRunner {
  private readonly logger = new Logger(LaneRunner.name);
  private readonly outcomes;
  private readonly tempo = new WindowTempo();
  private stopping = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly lanes: LaneStore,
    private readonly states: CampaignStates,
    private readonly results: WindowResults,
    private readonly pace: RoutePace,
    private readonly channels: Channels,
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly connections: RouteConnections,
    private readonly accounts: AccountDirectory,
    private readonly stopList: StopList,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('switchboard_sends_total', 'Sends by channel and outcome', ['channel', 'outcome']);
  }

  /** After this, no new turn begins (graceful stop); windows under way end normally. */
  stop(): void {
    this.stopping = true;
  }

  /** @returns the lane's next job, if it wants one now; else its `wake_at` decides */
  async run(job: LaneJob): Promise<LaneJob | null> {
    if (this.stopping) {
      await this.lanes.postpone(job, 0); // for another worker
      return null;
    }
    const turn = await this.lanes.turn(job);
    if (!turn) return null;
    if (turn.intentSeq > turn.nextSeq || turn.retriesBegun) return this.recover(turn);
    const duty = LANE_DUTY[turn.state];
    if (duty === 'refund') return this.cancel(turn);
    if (duty === 'wait') await this.lanes.sleep(turn);
    if (duty !== 'send') return null;
    const account = await this.accounts.byId(turn.accountId);
    if (!account?.isActive) {
      await this.states.changeAlone(turn.campaignId, 'pause');
      return null;
    }
    return this.send(turn);
  }

  private async recover(turn: LaneTurn): Promise<LaneJob | null> {
    const route = await this.routes.byId(turn.routeId);
    const deduplicated = route !== null && this.deduplicates(route);
    if (!(await this.lanes.claim(turn, turn.intentSeq, this.environment.LANE_LEASE))) return null;
    this.logger.warn(
      { campaign: turn.campaignId, lane: turn.lane, deduplicated },
      'recovering the window of a lost worker',
    );
    return this.after(turn, await this.results.recover(turn, turn.fence + 1, deduplicated));
  }

  private async cancel(turn: LaneTurn): Promise<LaneJob | null> {
    // No intent is recorded: nothing leaves, so a crash from here on leaves no recipient in doubt.
    if (!(await this.lanes.claim(turn, turn.intentSeq, this.environment.LANE_LEASE))) return null;
    return this.after(turn, await this.results.cancelStep(turn, CANCEL_STEP, turn.fence + 1));
  }

  private async send(turn: LaneTurn): Promise<LaneJob | null> {
    const found = await this.routes.byId(turn.routeId);
    if (!found && !(await this.routes.exists(turn.routeId))) return this.refuse(turn, NO_ROUTE);
    const connection = found && (await this.connections.get(found.id));
    if (!found || !connection?.ready) return this.routeIsDown(turn, connection?.fault ?? 'Route cannot be used');
    const channel = this.channels.get(turn.channel);
    const route = inRecipients(found, channel, turn.content);
    const planned = plan(turn, connection.onTrial ? 1 : this.tempo.size(route));
    if (planned === 0) {
      // Nothing to do but to let `finish` decide when this lane wakes again (retries that are not due, or the end).
      if (!(await this.lanes.claim(turn, turn.intentSeq, this.environment.LANE_LEASE))) return null;
      return this.after(turn, await this.results.flush(turn, [], turn.fence + 1));
    }
    const wait = await this.pace.reserve(route, planned);
    if (wait === null) return this.later(turn, ROUTE_BUSY_MS);
    if (wait > 0) await sleep(wait);
    const claimedAt = performance.now();
    const deduplicated = this.deduplicates(route);
    const recipients = await this.claim(turn, planned, { deduplicated });
    if (!recipients) return null;
    return this.sendClaimed(turn, { route, channel, connection, deduplicated, recipients, claimedAt });
  }

  private deduplicates({ driver, config }: Route): boolean {
    return this.drivers.get(driver).deduplicates(config);
  }

  /** Nothing leaves and no attempt is counted: the lane looks again soon, until its deadline. */
  private async routeIsDown(turn: LaneTurn, fault: string): Promise<LaneJob | null> {
    if (isOverdue(turn, this.environment.RECEIPT_TIMEOUT)) return this.refuse(turn, inVain(fault));
    await this.lanes.postpone(turn, soon(ROUTE_DOWN_MS), true);
    return null;
  }

  /** What has not left can never leave, so it fails and is refunded (reference/engine#what-never-leaves). */
  private async refuse(turn: LaneTurn, outcome: SendOutcome): Promise<LaneJob | null> {
    const planned = plan(turn, WINDOW_RECIPIENTS);
    const recipients = await this.claim(turn, planned, { intentSeq: turn.intentSeq });
    if (!recipients) return null;
    const results = recipients.map((recipient): WindowResult => ({ recipient, outcome }));
    const reached = turn.dueRetries > 0 ? turn.nextSeq : turn.nextSeq + planned;
    return this.after(turn, await this.results.flush(turn, results, turn.fence + 1, reached));
  }

  /**
   * The last that is written before a message leaves. Whether a claim that broke off was written is unknown, but
   * nothing has left: it is given back as soon as the database can be reached.
   * @param intentSeq another than the end of the window where nothing is going to leave
   */
  private async claim(
    turn: LaneTurn,
    planned: number,
    { intentSeq = turn.nextSeq + planned, deduplicated = false },
  ): Promise<DueRecipient[] | null> {
    const { LANE_LEASE, RECEIPT_TIMEOUT } = this.environment;
    // Whatever leaves from now on has a deadline, even when this worker dies or the owner cancels.
    const begin = (tx: EntityManager): Promise<void> => this.states.begin(tx, turn.campaignId, RECEIPT_TIMEOUT);
    const terms = { id: newClaimId(), alongside: TRANSITIONS.begin.from.includes(turn.state) ? begin : undefined };
    try {
      if (turn.dueRetries > 0) {
        return await this.lanes.claimRetries(turn, planned, LANE_LEASE, { ...terms, deduplicated });
      }
      const recipients = await this.lanes.pending(turn.campaignId, turn.nextSeq, turn.nextSeq + planned);
      return (await this.lanes.claim(turn, intentSeq, LANE_LEASE, terms)) ? recipients : null;
    } catch (error) {
      this.logger.warn({ err: error, campaign: turn.campaignId, lane: turn.lane }, 'claim failed, giving it back');
      await this.insist(turn, () => this.lanes.giveBack(turn, terms.id));
      return null;
    }
  }

  private async sendClaimed(turn: LaneTurn, claimed: ClaimedWindow): Promise<LaneJob | null> {
    const { route, channel, connection, deduplicated, recipients, claimedAt } = claimed;
    const { LANE_LEASE: leaseMs, RECEIPT_TIMEOUT: patience } = this.environment;
    const fence = turn.fence + 1;
    const began = performance.now();
    const lease = new HeldLease({
      leaseMs,
      claimedAt,
      renew: () => this.lanes.renew(turn, fence, leaseMs),
      onFault: (error) => this.logger.warn({ err: error, campaign: turn.campaignId }, 'lease not renewed'),
    });
    try {
      const { leaving, held } = await applySuppressions(this.stopList, turn, recipients);
      const last = await sendWindow(
        {
          turn,
          channel,
          connection,
          deduplicated,
          recipients: leaving,
          intervalMs: route.messagesPerSecond === null ? 0 : 1_000 / route.messagesPerSecond,
          notAfter: () => lease.sendUntil,
        },
        async (results) => {
          await this.results.flush(turn, conclude(turn, results, patience), null);
          this.count(turn, results);
        },
      );
      if (leaving.length > 0) this.tempo.took(route.id, leaving.length, performance.now() - began);
      last.push(...held);
      const ended = conclude(turn, last, patience);
      const end = await this.insist(turn, () => this.results.flush(turn, ended, fence));
      this.count(turn, last);
      return this.after(turn, end);
    } finally {
      lease.end();
    }
  }

  private count(turn: LaneTurn, results: readonly WindowResult[]): void {
    const { channel } = turn;
    for (const { outcome } of results) this.outcomes.inc({ channel, outcome: outcome.kind });
  }

  /**
   * What cannot be written now is tried again, past the end of the lease too: what left, or has not, counts whichever worker holds
   * the lane by then. A worker that shall stop waits for no more than a lease.
   */
  private async insist<Result>(turn: LaneTurn, write: () => Promise<Result>): Promise<Result> {
    for (const started = performance.now(); ;) {
      try {
        return await write();
      } catch (error) {
        const patience = this.stopping ? this.environment.LANE_LEASE : KEEP_RESULTS_MS;
        if (performance.now() - started > patience) throw error;
        this.logger.warn({ err: error, campaign: turn.campaignId, lane: turn.lane }, 'not written, trying again');
        await sleep(WRITE_AGAIN_MS);
      }
    }
  }

  private after(turn: LaneTurn, end: LaneEnd): LaneJob | null {
    const { campaignId, lane, fence } = turn;
    return end === 'more' ? { campaignId, lane, fence: fence + 1 } : null;
  }

  /** The turn was not taken: the same fence asks again. The relay does it, so that a job id is never used twice. */
  private async later(turn: LaneTurn, delayMs: number): Promise<null> {
    await this.lanes.postpone(turn, soon(delayMs));
    return null;
  }
}

const soon = (delayMs: number): number => delayMs * (0.8 + Math.random() * 0.4);

/** Retries that are due come first. */
const plan = (turn: LaneTurn, size: number): number =>
  Math.min(size, turn.dueRetries > 0 ? turn.dueRetries : turn.endSeq - turn.nextSeq);
