import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, jsonRows } from '../../../platform/database/index.js';
import type { SendOutcome } from '../../providers/index.js';
import { Channels } from '../channels.js';
import { type BegunAttempt, type DueRecipient, type LastOutcome, MOST_ATTEMPTS, retryDelay } from './attempts.js';
import { matchKey } from '../state/message-id.js';
import { RecipientStatus } from '../state/recipient-status.js';
import { type RouteSend, RouteSenders } from '../state/route-senders.js';
import { type LaneEnd, LaneStore, type LaneTurn } from '../dispatch/lane-store.js';
import { Cancellations } from './cancellations.js';
import { begunRetries, type PutOff, RetryStore } from './retry-store.js';
import type { RecipientChange } from './recipient-change.js';
import { Settlement } from './settlement.js';
import { markUnknown, takeBack } from './unknown-marks.js';

/** What became of one recipient of a window. */
export interface WindowResult {
  recipient: DueRecipient;
  outcome: SendOutcome | { kind: 'suppressed' };
  /** the route drops a second message with the same reference: a send of unknown outcome may be made again under it */
  deduplicated?: boolean;
}

/** Writes what a window did: statuses, provider ids, retries, ambiguous outcomes. */
@Injectable()
export class WindowResults {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly settlement: Settlement,
    private readonly lanes: LaneStore,
    private readonly retries: RetryStore,
    private readonly channels: Channels,
    private readonly senders: RouteSenders,
    private readonly cancellations: Cancellations,
  ) {}

  /**
   * One transaction for a batch of results.
   * @param fence given with the last batch of a window: the lane's turn ends in the same transaction
   * @param reached as in `LaneStore.finish`
   */
  async flush(
    turn: LaneTurn,
    results: readonly WindowResult[],
    fence: number | null,
    reached: number | null = null,
  ): Promise<LaneEnd> {
    const isAnswered = await this.senders.hears(turn.routeId);
    return inTransaction(this.dataSource, async (tx) => {
      await this.storeProviderIds(tx, turn, results);
      await takeBack(tx, this.settlement, this.retries, turn, results.filter(neverLeft).map(seqOf));
      await this.settlement.settle(
        tx,
        results.flatMap((result) => toChange(turn.campaignId, result, this.counted(turn, result.recipient))),
      );
      await this.logAttempts(tx, turn, results);
      await this.storeRetries(tx, turn, results);
      await markUnknown(
        tx,
        turn,
        results.filter(isUnknown).map((result) => result.recipient),
      );
      if (fence !== null && turn.dueRetries > 0) await this.retries.dropBegun(tx, turn, fence);
      const end = fence === null ? 'more' : await this.lanes.finish(tx, turn, fence, reached);
      await this.markProgress(tx, turn, results, fence);
      if (isAnswered)
        await this.senders.note(
          tx,
          sendsOf(
            turn,
            results.filter(hasLeft).map(({ recipient }) => recipient),
          ),
        );
      return end;
    });
  }

  /** A lane of which nothing gets through has a deadline; the end of a window tells, or the first that did. */
  private async markProgress(
    tx: EntityManager,
    turn: LaneTurn,
    results: readonly WindowResult[],
    fence: number | null,
  ): Promise<void> {
    const isStalled = turn.stalledMs !== null;
    if (results.some(({ outcome }) => gotThrough(outcome))) {
      if (isStalled) await writeStalled(tx, turn, 'NULL');
    } else if (fence !== null && !isStalled && results.some(({ outcome }) => waits(outcome))) {
      await writeStalled(tx, turn, 'UTC_TIMESTAMP(3)');
    }
  }

  /**
   * A worker died in the middle of this lane's window: what still waits there may have left, so it is of unknown outcome,
   * and a receipt or the deadline settles it. Where the upstream removes duplicates it is sent again besides.
   * @param fence the fence of the claim that recovers
   */
  async recover(turn: LaneTurn, fence: number, deduplicated: boolean): Promise<LaneEnd> {
    const isAnswered = await this.senders.hears(turn.routeId);
    return inTransaction(this.dataSource, async (tx) => {
      const begun = await begunRetries(tx, turn, null, deduplicated);
      const window: DueRecipient[] = await tx.query(
        `SELECT r.seq, r.receiver AS number, 1 AS attempt FROM campaign_recipients r
         LEFT JOIN recipient_retries t ON t.campaign_id = r.campaign_id AND t.seq = r.seq
         WHERE r.campaign_id = ? AND r.seq >= ? AND r.seq < ? AND r.status = ${RecipientStatus.Pending} AND t.seq IS NULL`,
        [turn.campaignId, turn.nextSeq, turn.intentSeq],
      );
      const ambiguous = [...begun, ...window];
      await this.retries.dropBegun(tx, turn, null);
      const changes = ambiguous.map((recipient): RecipientChange => ({
        ...unchanged(turn.campaignId, recipient.seq),
        to: RecipientStatus.Unknown,
        attempted: true,
        tries: this.counted(turn, recipient),
        madeBefore: recipient.made ?? 0,
      }));
      await this.settlement.settle(tx, changes);
      await markUnknown(tx, turn, ambiguous, deduplicated ? null : turn.fence);
      if (deduplicated) {
        const again = ambiguous.map((recipient) => ({ recipient, delayMs: 0, inDoubt: true }));
        await this.retries.putOff(tx, turn, fence, again);
      }
      const end = await this.lanes.finish(tx, turn, fence);
      if (isAnswered) await this.senders.note(tx, sendsOf(turn, ambiguous));
      return end;
    });
  }

  /** As `Cancellations.step`. */
  cancelStep(turn: LaneTurn, limit: number, fence: number): Promise<LaneEnd> {
    return this.cancellations.step(turn, limit, fence);
  }

  private async storeProviderIds(tx: EntityManager, turn: LaneTurn, results: readonly WindowResult[]): Promise<void> {
    const rows = results.flatMap(({ recipient, outcome }) =>
      outcome.kind === 'accepted'
        ? outcome.providerMessageIds.map((id, item) => [
            recipient.seq,
            (recipient.made ?? 0) + item,
            id.slice(0, 128),
            outcome.providerMessageIds.length,
            matchKey(id),
          ])
        : [],
    );
    if (rows.length === 0) return;
    // An item whose id is known keeps it: a lost worker may have written it before. An id that another message has had is
    // no hindrance; which of the two a receipt is about, its look-up says (docs/decisions/0026).
    await tx.query(
      `INSERT IGNORE INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, match_key, status)
       SELECT ?, j.seq, j.item, ?, j.id, j.items, j.match_key, ${RecipientStatus.Submitted} FROM JSON_TABLE(?, '$[*]' COLUMNS (
         seq INT PATH '$[0]', item INT PATH '$[1]', id VARCHAR(128) CHARACTER SET utf8mb4 PATH '$[2]', items INT PATH '$[3]',
         match_key VARCHAR(64) CHARACTER SET ascii PATH '$[4]')) j`,
      [turn.campaignId, turn.routeId, jsonRows(rows)],
    );
  }

  /** Channels that make several attempts count those which the carrier took, not how often it had to be asked. */
  private counted({ channel }: LaneTurn, { attempt }: DueRecipient): number {
    return this.channels.find(channel)?.retryPlan ? 1 : attempt;
  }

  /** Channels that make several attempts keep a record of each. */
  private async logAttempts(tx: EntityManager, turn: LaneTurn, results: readonly WindowResult[]): Promise<void> {
    const attempts = results.flatMap(({ recipient, outcome }): BegunAttempt[] => {
      const id = outcome.kind === 'accepted' ? outcome.providerMessageIds[0]?.slice(0, 128) : undefined;
      if (id === undefined) return [];
      const { seq, made = 0 } = recipient;
      return [{ campaignId: turn.campaignId, seq, attempt: made + 1, providerMessageId: id }];
    });
    if (attempts.length > 0) await this.channels.find(turn.channel)?.attemptLog?.began(tx, attempts);
  }

  private async storeRetries(tx: EntityManager, turn: LaneTurn, results: readonly WindowResult[]): Promise<void> {
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
    await this.retries.putOff(tx, turn, turn.fence + 1, again);
  }
}

const writeStalled = (tx: EntityManager, { campaignId, lane, fence }: LaneTurn, since: string): Promise<unknown> =>
  tx.query(`UPDATE campaign_lanes SET stalled_since = ${since} WHERE campaign_id = ? AND lane = ? AND fence = ?`, [
    campaignId,
    lane,
    fence + 1,
  ]);

/** The carrier has it, or may have. */
const hasLeft = ({ outcome: { kind } }: WindowResult): boolean => kind === 'accepted' || kind === 'unknown';

const sendsOf = ({ routeId, accountId }: LaneTurn, recipients: readonly DueRecipient[]): RouteSend[] =>
  recipients.map(({ number }) => ({ routeId, accountId, number }));

const isUnknown = (result: WindowResult): boolean => result.outcome.kind === 'unknown';

type Outcome = WindowResult['outcome'];

/** It is not with the carrier, and shall leave later. */
const waits = (outcome: Outcome): outcome is Extract<Outcome, { kind: 'retry' | 'unsent' }> =>
  outcome.kind === 'retry' || outcome.kind === 'unsent';

const seqOf = ({ recipient }: WindowResult): number => recipient.seq;

/** Nothing of it has ever left, neither now nor before. */
const neverLeft = ({ recipient: { made = 0, inDoubt = false, last }, outcome }: WindowResult): boolean =>
  waits(outcome) && made === 0 && !inDoubt && !last;

/** The carrier had a look at it and said no, for now. */
const counts = (outcome: Outcome): boolean => outcome.kind === 'retry' && !outcome.throttled;

/** The carrier answered, or may have it: more than "not now". */
export const gotThrough = (outcome: Outcome): boolean =>
  outcome.kind === 'accepted' ||
  outcome.kind === 'unknown' ||
  (outcome.kind === 'rejected' && outcome.submitted) ||
  counts(outcome);

const isExhausted = (recipient: DueRecipient, outcome: Outcome): boolean =>
  counts(outcome) && recipient.attempt >= MOST_ATTEMPTS;

const unchanged = (campaignId: number, seq: number): Omit<RecipientChange, 'to'> => ({
  campaignId,
  seq,
  errorCode: null,
  errorText: null,
  refund: false,
  attempted: false,
});

const lastOutcome = ({
  status,
  errorCode,
  errorText,
}: LastOutcome): Pick<RecipientChange, 'to' | 'errorCode' | 'errorText'> => ({ to: status, errorCode, errorText });

/** @param counted how many tries an attempt that the carrier took, or may have, counts as */
function toChange(campaignId: number, { recipient, outcome }: WindowResult, counted: number): RecipientChange[] {
  const { seq, made = 0, last, attempt, inDoubt = false } = recipient;
  // Whatever became of the second copy, the first may be with the upstream: a receipt or the deadline settles it.
  if (inDoubt && outcome.kind !== 'accepted') return [];
  const base = { ...unchanged(campaignId, seq), attempted: true, tries: counted, madeBefore: made };
  const failed = { ...base, to: RecipientStatus.Failed, tries: attempt };
  // The tries before this one, which never left: as many as the carrier has turned down.
  const neverLeft = { ...failed, attempted: attempt > 1, tries: attempt - 1 };
  switch (outcome.kind) {
    case 'accepted':
      return [{ ...base, to: RecipientStatus.Submitted }];
    case 'unknown':
      return [{ ...base, to: RecipientStatus.Unknown }];
    case 'suppressed':
      return [last ? lastStands(neverLeft, last) : { ...neverLeft, errorText: 'Suppressed', refund: true }];
    case 'rejected': {
      const reason = { errorCode: outcome.code, errorText: outcome.text };
      if (outcome.submitted) return [{ ...failed, ...reason }];
      return [last ? lastStands(neverLeft, last) : { ...neverLeft, ...reason, refund: true }];
    }
    case 'retry':
      return isExhausted(recipient, outcome) ? [{ ...failed, errorCode: outcome.code, errorText: outcome.text }] : [];
    case 'unsent':
      return [];
  }
}

/** What cannot be tried again keeps the outcome of its last attempt; that one was made, so nothing is refunded. */
const lastStands = (change: RecipientChange, last: LastOutcome): RecipientChange => ({
  ...change,
  ...lastOutcome(last),
});
