import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { GroupCommit } from '../../../platform/concurrency/index.js';
import { inTransaction, mayBeOwn } from '../../../platform/database/index.js';
import { type DueRecipient, MAX_TRIES_A_ROUTE, retryDelay } from '../attempts.js';
import { Channels } from '../channels.js';
import { endingsOf, isShared, type LaneEnding, type LaneSnapshot } from '../lanes.js';
import { RecipientStatus } from '../recipient.js';
import { withVariables } from '../state/lane-claims.js';
import { type LanesLeft, LaneTaken, NOTHING_ENDED, unlessTaken } from '../state/lane-endings.js';
import { LaneStore } from '../state/lane-store.js';
import { begunRetries, type PutOff, RetryStore } from '../state/retries.js';
import { RouteSenders } from './route-senders.js';
import { type SpendingRecipient, BatchSpend } from './batch-spend.js';
import { markUnknown, takeBack } from './lost-claims.js';
import { begunAttempts, storeProviderIds } from './message-ids.js';
import {
  changeOf,
  counts,
  gotThrough,
  isExhausted,
  type KnownRecipient,
  type RecipientChange,
  toChange,
  waits,
  type BatchResult,
} from './recipient-change.js';
import { RefusedSends } from './refused-sends.js';
import { Settlement } from './settlement.js';
import { readFirst } from './status-writer.js';

interface BatchPart {
  results: readonly BatchResult[];
  endings: readonly LaneEnding[] | null;
}

/** MariaDB turns a list of 1,000 values into a subquery (`in_predicate_conversion_threshold`). */
const MOST_TOGETHER = 999;

/** Writes results of batches. Batches of several routes share a transaction; a fault stays with its batch. */
@Injectable()
export class BatchResults {
  private readonly flushes = new GroupCommit<BatchPart, LanesLeft>((parts) => this.write(parts, false), {
    maxItems: MOST_TOGETHER,
    weigh: ({ results, endings }) => results.length + (endings?.length ?? 0),
    delayMs: 0,
    atOnce: 8,
    isOwn: mayBeOwn,
  });

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly settlement: Settlement,
    private readonly lanes: LaneStore,
    private readonly retries: RetryStore,
    private readonly refused: RefusedSends,
    private readonly channels: Channels,
    private readonly senders: RouteSenders,
    private readonly spend: BatchSpend,
  ) {}

  /** Writes results. @param endings lanes to end as well @param isAlone no shared transaction: the fault may be its own */
  async flush(
    results: readonly BatchResult[],
    endings: readonly LaneEnding[] | null,
    isAlone = false,
  ): Promise<LanesLeft> {
    const part = { results, endings };
    const lane = results[0]?.recipient.lane ?? endings?.[0]?.lane;
    if (lane && isShared(lane) && !isAlone) return this.flushes.add(part);
    const [left = NOTHING_ENDED] = await this.write([part], false);
    return left;
  }

  /** Before sending: as `RefusedSends.holdBack`. */
  holdBack(recipients: readonly DueRecipient[]): ReturnType<RefusedSends['holdBack']> {
    return this.refused.holdBack(recipients);
  }

  /** Fails recipients without intent; writes nothing if a lane was taken over, since the other worker may have sent them. */
  async giveUp(results: readonly BatchResult[], endings: readonly LaneEnding[]): Promise<LanesLeft> {
    try {
      const [left = NOTHING_ENDED] = await this.write([{ results, endings }], true);
      return left;
    } catch (error) {
      return unlessTaken(error);
    }
  }

  private async write(parts: readonly BatchPart[], mustHold: boolean): Promise<LanesLeft[]> {
    const results = parts.flatMap((part) => part.results);
    const ofResults = [...new Set(results.map(({ recipient }) => recipient.lane))];
    const isAnswerable = await this.answerableRoutes(ofResults);
    const successors = await this.refused.successors(results);
    // Between two runs of the transaction a receipt may settle an unknown outcome, so the commit must be checked.
    const isLookedUp = mustHold || results.some(isUnknown);
    const { left, handed } = await this.spend.counting(ofResults, (count) => {
      const work = async (tx: EntityManager, locking: boolean) => {
        const { others, handed } = await this.refused.sort(tx, results, successors);
        await storeProviderIds(tx, results);
        const back = await takeBack(tx, this.settlement, this.retries, others.filter(neverLeft).map(recipientOf));
        const moves = await this.settlement.settle(tx, this.changes(others, locking));
        await this.logAttempts(tx, results);
        await this.storeRetries(tx, others);
        await this.refused.handOn(tx, handed);
        await markUnknown(tx, results.filter(isUnknown).map(recipientOf));
        const endings = parts.map((part) => part.endings ?? []);
        const lanes = endings.flat().map(({ lane }) => lane);
        const retried = lanes.filter(({ retriesDue }) => retriesDue);
        await this.retries.dropBegun(tx, retried);
        const left = await this.lanes.finishEach(tx, endings, mustHold);
        await this.markProgress(tx, results, lanes);
        const answerable = results.filter((result) => hasLeft(result) && isAnswerable(result.recipient.lane));
        await this.senders.record(tx, answerable.map(recipientOf));
        await count(tx, [...back, ...moves], () => results.map(spendingOf));
        return { left, handed };
      };
      return readFirst(this.dataSource, work, isLookedUp ? undefined : { again: 'under statuses and fences' });
    });
    this.refused.publish(handed);
    return left;
  }

  private changes(results: readonly BatchResult[], locking: boolean): RecipientChange[] {
    const changes: RecipientChange[] = [];
    for (const result of results) {
      const change = toChange(result, this.counted(result.recipient));
      if (!change) continue;
      if (!locking) change.recipient = asRead(result.recipient);
      changes.push(change);
    }
    return changes;
  }

  /** Starts or stops the deadline of lanes, by whether anything got through. */
  private async markProgress(
    tx: EntityManager,
    results: readonly BatchResult[],
    ended: readonly LaneSnapshot[],
  ): Promise<void> {
    const through = new Set(
      results.filter(({ outcome }) => gotThrough(outcome)).map(({ recipient }) => recipient.lane),
    );
    const waiting = new Set(results.filter(({ outcome }) => waits(outcome)).map(({ recipient }) => recipient.lane));
    const moving = [...through].filter(({ stalledMs }) => stalledMs !== null);
    const stalled = ended.filter((lane) => lane.stalledMs === null && waiting.has(lane) && !through.has(lane));
    await this.lanes.markStalled(tx, moving, false);
    await this.lanes.markStalled(tx, stalled, true);
  }

  /**
   * Marks open batches of a dead worker as unknown; sends again if the carrier drops duplicates. @param leaseMs claims the
   * lanes in the same transaction: submit logs find the lost claim until its commit; null = claimed
   */
  async recover(
    lanes: readonly LaneSnapshot[],
    deduplicated: boolean,
    leaseMs: number | null = null,
  ): Promise<LanesLeft> {
    const isAnswerable = await this.answerableRoutes(lanes);
    const recovered = this.spend.counting(lanes, (count) =>
      inTransaction(this.dataSource, async (tx) => {
        const begun = await begunRetries(tx, lanes, { ofAny: true, deduplicated });
        const ambiguous = [...(await withVariables(tx, begun.recipients)), ...(await this.lanes.intended(tx, lanes))];
        await this.retries.dropBegun(tx, lanes, true);
        const changes = ambiguous.map((recipient) =>
          changeOf(recipient, RecipientStatus.Unknown, this.counted(recipient)),
        );
        const moves = await this.settlement.settle(tx, changes);
        await markUnknown(tx, ambiguous, !deduplicated);
        if (leaseMs !== null && (await this.lanes.hold(tx, lanes, leaseMs)).length < lanes.length)
          throw new LaneTaken();
        if (deduplicated) {
          await this.retries.putOff(
            tx,
            ambiguous.map((recipient) => ({ recipient, delayMs: 0, inDoubt: true })),
          );
        }
        const left = await this.lanes.finish(tx, endingsOf(lanes));
        const answerable = ambiguous.filter(({ lane }) => isAnswerable(lane));
        await this.senders.record(tx, answerable);
        await count(tx, moves, () => ambiguous);
        return left;
      }),
    );
    return recovered.catch(unlessTaken);
  }

  private async answerableRoutes(lanes: readonly LaneSnapshot[]): Promise<(lane: LaneSnapshot) => boolean> {
    const ids = [...new Set(lanes.map(({ routeId }) => routeId))];
    const receiving = await Promise.all(ids.map((id) => this.senders.receivesTexts(id)));
    const answerable = new Set(ids.filter((_, index) => receiving[index]));
    return ({ routeId }) => answerable.has(routeId);
  }

  /** Channels with several attempts count attempts, not tries. */
  private counted({ lane, attempt }: DueRecipient): number {
    return this.channels.find(lane.channel)?.retryPlan ? 1 : attempt;
  }

  /** Channels with several attempts log each one. */
  private async logAttempts(tx: EntityManager, results: readonly BatchResult[]): Promise<void> {
    for (const name of new Set(results.map(({ recipient }) => recipient.lane.channel))) {
      const log = this.channels.find(name)?.attemptLog;
      if (!log) continue;
      const attempts = begunAttempts(results.filter(({ recipient }) => recipient.lane.channel === name));
      if (attempts.length > 0) await log.began(tx, attempts);
    }
  }

  private async storeRetries(tx: EntityManager, results: readonly BatchResult[]): Promise<void> {
    const again: PutOff[] = [];
    for (const { recipient, outcome, deduplicated = false } of results) {
      if (outcome.kind === 'unknown' && deduplicated && recipient.attempt < MAX_TRIES_A_ROUTE) {
        const attempt = recipient.attempt + 1;
        again.push({ recipient: { ...recipient, attempt }, delayMs: retryDelay(attempt, 0), inDoubt: true });
      } else if (waits(outcome) && !isExhausted(recipient, outcome)) {
        const attempt = recipient.attempt + (counts(outcome) ? 1 : 0);
        const { inDoubt = false } = recipient;
        again.push({ recipient: { ...recipient, attempt }, delayMs: retryDelay(attempt, outcome.afterMs), inDoubt });
      }
    }
    await this.retries.putOff(tx, again);
  }
}

const hasLeft = ({ outcome: { kind } }: BatchResult): boolean => kind === 'accepted' || kind === 'unknown';

function spendingOf({ recipient, outcome }: BatchResult): SpendingRecipient {
  if (outcome.kind === 'accepted') return { ...recipient, items: outcome.providerMessageIds.length };
  return outcome.kind === 'rejected' && outcome.taken ? { ...recipient, taken: outcome.taken } : recipient;
}

const isUnknown = (result: BatchResult): boolean => result.outcome.kind === 'unknown';

const recipientOf = ({ recipient }: BatchResult): DueRecipient => recipient;

/** Certainly never sent, neither now nor before. */
const neverLeft = ({ recipient: { made = 0, inDoubt = false, last }, outcome }: BatchResult): boolean =>
  waits(outcome) && made === 0 && !inDoubt && !last;

/** Recipients read for their first try; retried ones are locked instead. */
const asRead = ({ made, number }: DueRecipient): KnownRecipient | undefined =>
  made === undefined ? { number, status: RecipientStatus.Pending, attempts: 0 } : undefined;
