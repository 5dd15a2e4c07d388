import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { mayBeOwn, HeldLease } from '../../../platform/database/index.js';
import type { SendOutcome } from '../../providers/index.js';
import type { DueRecipient } from '../attempts.js';
import { endingsOf, heldFence, type LaneEnding, type LaneSnapshot } from '../lanes.js';
import { BatchResults } from '../settle/batch-results.js';
import type { BatchResult } from '../settle/recipient-change.js';
import { StopList } from '../settle/settlement.js';
import { type LaneClaim, newClaimId, type BatchClaim } from '../state/lane-claims.js';
import { type LanesLeft, NOTHING_ENDED } from '../state/lane-endings.js';
import { LaneStore } from '../state/lane-store.js';
import { planBatch, BatchClaims } from './batch-claims.js';
import { conclude, isPatient, submitBatch } from './batch-sender.js';
import { Governor, BATCH_RECIPIENTS } from './capacity.js';
import type { Carrier } from './carrier-choice.js';
import { BatchObserver } from './metrics.js';
import { type SubmitLog, SubmitLogs } from './submit-log.js';

const logger = new Logger('Suppressions');

/** Nothing is sent while the stop list cannot be read. */
const NOT_NOW: SendOutcome = { kind: 'unsent', afterMs: 0, text: 'Stop list unread' };

/** Leaves out suppressed recipients at send time, so that a STOP after the acceptance counts too. */
async function applySuppressions(
  stopList: StopList,
  recipients: readonly DueRecipient[],
): Promise<{ leaving: readonly DueRecipient[]; held: BatchResult[] }> {
  const hold = (those: readonly DueRecipient[], outcome: BatchResult['outcome']): BatchResult[] =>
    those.map((recipient) => ({ recipient, outcome }));
  if (recipients.length === 0) return { leaving: [], held: [] };
  try {
    const suppressed = await stopList.among(
      recipients.map(({ lane, number }) => ({ accountId: lane.accountId, campaignId: lane.campaignId, number })),
    );
    if (suppressed.size === 0) return { leaving: recipients, held: [] };
    return {
      leaving: recipients.filter((_, index) => !suppressed.has(index)),
      held: hold(
        recipients.filter((_, index) => suppressed.has(index)),
        { kind: 'suppressed' },
      ),
    };
  } catch (error) {
    logger.warn({ err: error, campaign: recipients[0]?.lane.campaignId }, 'stop list not read, the batch waits');
    return { leaving: [], held: hold(recipients, NOT_NOW) };
  }
}

/** A stop word counts two seconds after its commit, also for a batch that takes longer. */
const READ_AGAIN_MS = 1_000;

/** Reads the stop list again while a batch is under way. */
class StopWatch {
  private held: ReadonlyMap<DueRecipient, BatchResult['outcome']> = new Map();
  private readonly timer: NodeJS.Timeout;
  private isReading = false;

  private readonly waiting: Set<DueRecipient>;

  constructor(
    private readonly stopList: StopList,
    recipients: readonly DueRecipient[],
  ) {
    this.waiting = new Set(recipients);
    this.timer = setInterval(() => void this.read(), READ_AGAIN_MS);
  }

  /** What ends a recipient that has not left; null = it may leave. */
  readonly outcomeOf = (recipient: DueRecipient): BatchResult['outcome'] | null => this.held.get(recipient) ?? null;

  /** Recipients with a result are not read again. */
  ended(results: readonly BatchResult[]): void {
    for (const { recipient } of results) this.waiting.delete(recipient);
  }

  end(): void {
    clearInterval(this.timer);
  }

  private async read(): Promise<void> {
    if (this.isReading || this.waiting.size === 0) return;
    this.isReading = true;
    const { held } = await applySuppressions(this.stopList, [...this.waiting]);
    this.held = new Map(held.map(({ recipient, outcome }) => [recipient, outcome]));
    this.isReading = false;
  }
}

/** Larger writes of urgent messages take longer by themselves, so they say nothing of the campaigns beside them. */
const MOST_URGENT = 16;
const WRITE_AGAIN_MS = 500;
/** Results are kept through minutes of database downtime: a lost result is an unknown outcome. */
const KEEP_RESULTS_MS = 600_000;

/** Sends one batch of a route: claims lanes, logs the intent, sends, and writes the results. */
@Injectable()
export class BatchRunner {
  private readonly logger = new Logger(BatchRunner.name);
  private stopping = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly lanes: LaneStore,
    private readonly batches: BatchClaims,
    private readonly results: BatchResults,
    private readonly governor: Governor,
    private readonly stopList: StopList,
    private readonly logs: SubmitLogs,
    private readonly observer: BatchObserver,
  ) {}

  /** From now on unwritten results are kept only for the duration of a lease. */
  stop(): void {
    this.stopping = true;
  }

  /** Sends one batch. @param size recipients @param onClaimed called with the claimed lanes before anything leaves */
  async send(
    lanes: readonly LaneSnapshot[],
    carrier: Carrier,
    size: number,
    onClaimed: (held: readonly LaneSnapshot[]) => void,
  ): Promise<LanesLeft> {
    const planned = planBatch(lanes, size);
    const claimedAt = performance.now();
    const wanted = await this.batches.plan(planned);
    const id = newClaimId();
    // Before the claim: otherwise a worker killed in between would leave the whole batch in doubt.
    const log = this.logs.begin(
      id,
      wanted.map(({ lane }) => ({ ...lane, fence: heldFence(lane) })),
    );
    const { deduplicated } = carrier;
    const claims = await this.claim({ id, claims: wanted, deduplicated, mostRetries: size });
    onClaimed(claims.map(({ lane }) => lane));
    const left = claims.length > 0 ? await this.sendClaimed(claims, carrier, claimedAt, log) : NOTHING_ENDED;
    log.end();
    if (claims.length === 0) return left;
    return planned.length < lanes.length ? { ...left, more: true } : left;
  }

  /** Fails and refunds recipients that can never be sent (reference/engine#what-never-leaves). */
  async refuse(lanes: readonly LaneSnapshot[], outcome: SendOutcome): Promise<LanesLeft> {
    const planned = await this.batches.plan(planBatch(lanes, BATCH_RECIPIENTS));
    const reached = new Map(planned.map(({ lane, intentSeq }) => [lane, lane.retriesDue ? lane.nextSeq : intentSeq]));
    const claims = await this.claim({
      id: newClaimId(),
      claims: planned.map((claim) => ({ ...claim, intentSeq: claim.lane.intentSeq })),
      beforeDue: true,
    });
    if (claims.length === 0) return NOTHING_ENDED;
    const results = claims.flatMap(({ recipients }) => recipients.map((recipient) => ({ recipient, outcome })));
    const endings = claims.map(({ lane }): LaneEnding => ({ lane, reached: reached.get(lane) ?? null }));
    return { ...(await this.results.giveUp(results, endings)), more: true };
  }

  /** After a fault the claim may or may not be written, but nothing has left, so it is given back. */
  private async claim(batch: BatchClaim): Promise<LaneClaim[]> {
    try {
      return await this.batches.claim(batch);
    } catch (error) {
      const lanes = batch.claims.map(({ lane }) => lane);
      this.logger.warn({ err: error, ...named(lanes) }, 'claim failed, giving it back');
      await this.insist(lanes, () => this.lanes.giveBack(lanes, batch.id));
      return [];
    }
  }

  private async sendClaimed(
    claims: readonly LaneClaim[],
    carrier: Carrier,
    claimedAt: number,
    log: SubmitLog,
  ): Promise<LanesLeft> {
    const { route, channel, connection, deduplicated, opened } = carrier;
    const { LANE_LEASE: leaseMs, RECEIPT_TIMEOUT: patience } = this.environment;
    const lanes = claims.map(({ lane }) => lane);
    const single = lanes[0]?.single ?? false;
    const isUrgent = single && this.governor.isQuick(route) && claims.length <= MOST_URGENT;
    const began = performance.now();
    const lease = new HeldLease({
      leaseMs,
      claimedAt,
      renew: () => this.lanes.renew(lanes, leaseMs),
      onFault: (error) => this.logger.warn({ err: error, ...named(lanes) }, 'lease not renewed'),
    });
    const spans = await this.observer.begin(claims, carrier);
    try {
      const open = await this.results.holdBack(claims.flatMap(({ recipients }) => recipients));
      const { leaving, held } = await applySuppressions(this.stopList, open.leaving);
      const stops = new StopWatch(this.stopList, leaving);
      const last = await submitBatch(
        {
          channel,
          connection,
          deduplicated,
          opened,
          recipients: leaving,
          log,
          urgent: single,
          pacer: this.governor.pacerOf(route),
          isPatient: isPatient(route.messagesPerSecond) && !single,
          notAfter: () => lease.sendUntil,
          heldOutcome: stops.outcomeOf,
        },
        async (results) => {
          stops.ended(results);
          await this.flush(conclude(results, patience), null, isUrgent);
          this.observer.count(carrier, results);
          spans?.count(results);
        },
      ).finally(() => stops.end());
      const tempo = this.governor.tempoOf({ single }, route.messagesPerSecond);
      if (leaving.length > 0) tempo.took(route.id, leaving.length, performance.now() - began);
      last.push(...open.held, ...held);
      const ended = conclude(last, patience);
      const left = await this.insist(lanes, (isAlone) => this.flush(ended, endingsOf(lanes), isUrgent, isAlone));
      this.observer.count(carrier, last);
      spans?.count(last);
      return left;
    } finally {
      spans?.end();
      lease.end();
    }
  }

  private flush(
    results: readonly BatchResult[],
    endings: readonly LaneEnding[] | null,
    isUrgent: boolean,
    isAlone = false,
  ): Promise<LanesLeft> {
    const write = (): Promise<LanesLeft> => this.results.flush(results, endings, isAlone);
    return isUrgent ? this.governor.urgent.measure(write) : write();
  }

  /** Retries a write, also past the lease, since results count for any holder; a stopping worker gives up after a lease. */
  private async insist<Result>(
    lanes: readonly LaneSnapshot[],
    write: (mayBeOwnFault: boolean) => Promise<Result>,
  ): Promise<Result> {
    for (let [started, isOwn] = [performance.now(), false]; ;) {
      try {
        return await write(isOwn);
      } catch (error) {
        isOwn = mayBeOwn(error);
        const patience = this.stopping ? this.environment.LANE_LEASE : KEEP_RESULTS_MS;
        if (performance.now() - started > patience) throw error;
        this.logger.warn({ err: error, ...named(lanes) }, 'not written, trying again');
        await sleep(WRITE_AGAIN_MS);
      }
    }
  }
}

const named = (lanes: readonly LaneSnapshot[]): { campaign: number | undefined; lanes: number } => ({
  campaign: lanes[0]?.campaignId,
  lanes: lanes.length,
});
