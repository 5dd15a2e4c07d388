import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { GroupCommit } from '../../../platform/concurrency/index.js';
import { inTransaction, mayBeOwn } from '../../../platform/database/index.js';
import { type DueRecipient, MOST_ATTEMPTS, retryDelay } from '../attempts.js';
import { Channels } from '../channels.js';
import { endingsOf, isShared, type LaneEnding, type LaneSnapshot } from '../lanes.js';
import { RecipientStatus } from '../recipient.js';
import { withVariables } from '../state/lane-claims.js';
import { type LanesLeft, LaneTaken, NOTHING_ENDED, unlessTaken } from '../state/lane-endings.js';
import { LaneStore } from '../state/lane-store.js';
import { begunRetries, type PutOff, RetryStore } from '../state/retries.js';
import { RouteSenders } from '../state/route-senders.js';
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

/** What a window, or a part of it, comes to. */
interface WindowPart {
  results: readonly BatchResult[];
  /** with the last part of a window */
  endings: readonly LaneEnding[] | null;
}

/** Results and lanes of a transaction: MariaDB makes a subquery of a list of a thousand (`in_predicate_conversion_threshold`). */
const MOST_TOGETHER = 999;

/**
 * Writes what windows did: statuses, provider ids, retries, ambiguous outcomes. Windows of several routes that come to write at
 * the same moment share a transaction; a fault that lies in one of them stays with it.
 */
@Injectable()
export class BatchResults {
  private readonly flushes = new GroupCommit<WindowPart, LanesLeft>((parts) => this.write(parts, false), {
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

  /**
   * Writes a batch of results of one route's window, in one transaction with those of others.
   * @param endings given with the last batch of a window: the turns of its lanes end in the same transaction
   * @param isAlone it shares no transaction: what failed for a reason that may be its own would spoil another group
   */
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

  /** Before a window leaves: as `RefusedSends.holdBack`. */
  holdBack(recipients: readonly DueRecipient[]): ReturnType<RefusedSends['holdBack']> {
    return this.refused.holdBack(recipients);
  }

  /**
   * What turns give up that recorded no intent. Nothing is written once a lane of them has passed on: another worker may have
   * sent what this one takes for refused.
   */
  async giveUp(results: readonly BatchResult[], endings: readonly LaneEnding[]): Promise<LanesLeft> {
    try {
      const [left = NOTHING_ENDED] = await this.write([{ results, endings }], true);
      return left;
    } catch (error) {
      return unlessTaken(error);
    }
  }

  private async write(parts: readonly WindowPart[], mustHold: boolean): Promise<LanesLeft[]> {
    const results = parts.flatMap((part) => part.results);
    const ofResults = [...new Set(results.map(({ recipient }) => recipient.lane))];
    const isAnswered = await this.answered(ofResults);
    const successors = await this.refused.successors(results);
    // Between two runs a receipt may settle what may have left, and what is given up is given up by one worker.
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
        const heard = results.filter((result) => hasLeft(result) && isAnswered(result.recipient.lane));
        await this.senders.note(tx, heard.map(recipientOf));
        await count(tx, [...back, ...moves], () => results.map(spendingOf));
        return { left, handed };
      };
      return readFirst(this.dataSource, work, isLookedUp ? undefined : { again: 'under statuses and fences' });
    });
    this.refused.tell(handed);
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

  /** A lane of which nothing gets through has a deadline; the end of a window tells, or the first that did. */
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
   * A worker died in the middle of these lanes' windows: what still waits there may have left, so it is of unknown outcome,
   * and a receipt or the deadline settles it. Where the upstream removes duplicates it is sent again besides.
   * @param leaseMs takes the lanes in the same transaction: until its commit the lost worker's claim stands in them, by which
   * its notes are known. Where another worker was faster with one of them, nothing happens. null: they are claimed
   */
  async recover(
    lanes: readonly LaneSnapshot[],
    deduplicated: boolean,
    leaseMs: number | null = null,
  ): Promise<LanesLeft> {
    const isAnswered = await this.answered(lanes);
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
        const heard = ambiguous.filter(({ lane }) => isAnswered(lane));
        await this.senders.note(tx, heard);
        await count(tx, moves, () => ambiguous);
        return left;
      }),
    );
    return recovered.catch(unlessTaken);
  }

  /** Over which of the turns' routes texts from handsets come in. */
  private async answered(lanes: readonly LaneSnapshot[]): Promise<(lane: LaneSnapshot) => boolean> {
    const ids = [...new Set(lanes.map(({ routeId }) => routeId))];
    const hears = await Promise.all(ids.map((id) => this.senders.hears(id)));
    const heard = new Set(ids.filter((_, place) => hears[place]));
    return ({ routeId }) => heard.has(routeId);
  }

  /** Channels that make several attempts count those which the carrier took, not how often it had to be asked. */
  private counted({ lane, attempt }: DueRecipient): number {
    return this.channels.find(lane.channel)?.retryPlan ? 1 : attempt;
  }

  /** Channels that make several attempts keep a record of each. */
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
      if (outcome.kind === 'unknown' && deduplicated && recipient.attempt < MOST_ATTEMPTS) {
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

/** The carrier has it, or may have. */
const hasLeft = ({ outcome: { kind } }: BatchResult): boolean => kind === 'accepted' || kind === 'unknown';

function spendingOf({ recipient, outcome }: BatchResult): SpendingRecipient {
  if (outcome.kind === 'accepted') return { ...recipient, items: outcome.providerMessageIds.length };
  return outcome.kind === 'rejected' && outcome.taken ? { ...recipient, taken: outcome.taken } : recipient;
}

const isUnknown = (result: BatchResult): boolean => result.outcome.kind === 'unknown';

const recipientOf = ({ recipient }: BatchResult): DueRecipient => recipient;

/** Nothing of it has ever left, neither now nor before. */
const neverLeft = ({ recipient: { made = 0, inDoubt = false, last }, outcome }: BatchResult): boolean =>
  waits(outcome) && made === 0 && !inDoubt && !last;

/** A recipient that its window has read and that waits for its first try; what waits for another one is locked. */
const asRead = ({ made, number }: DueRecipient): KnownRecipient | undefined =>
  made === undefined ? { number, status: RecipientStatus.Pending, attempts: 0 } : undefined;
