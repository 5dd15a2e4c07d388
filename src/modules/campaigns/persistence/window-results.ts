import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, jsonRows, type WriteResult } from '../../../platform/database/index.js';
import type { SendOutcome } from '../../providers/index.js';
import { AttemptJournals } from '../attempt-journals.js';
import type { BegunAttempt, DueRecipient, LastOutcome } from '../domain/attempts.js';
import { MOST_ATTEMPTS, retryDelay } from '../domain/lanes.js';
import { matchKey } from '../domain/message-id.js';
import { RecipientStatus } from '../domain/recipient-status.js';
import { type LaneEnd, LaneStore, type LaneTurn } from './lane-store.js';
import { begunRetries, type PutOff, RetryStore } from './retry-store.js';
import { type RecipientChange, Settlement } from './settlement.js';

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
    private readonly journals: AttemptJournals,
  ) {}

  /**
   * One transaction for a batch of results.
   * @param fence given with the last batch of a window: the lane's turn ends in the same transaction
   * @param reached as in `LaneStore.finish`
   */
  flush(
    turn: LaneTurn,
    results: readonly WindowResult[],
    fence: number | null,
    reached: number | null = null,
  ): Promise<LaneEnd> {
    return inTransaction(this.dataSource, async (tx) => {
      await this.storeProviderIds(tx, turn, results);
      await this.settlement.settle(
        tx,
        results.flatMap((result) => toChange(turn.campaignId, result)),
      );
      await this.keepJournal(tx, turn, results);
      await this.storeRetries(tx, turn, results);
      await this.storeUnknown(
        tx,
        turn,
        results.filter(isUnknown).map((result) => result.recipient),
      );
      if (fence === null) return 'more';
      if (turn.dueRetries > 0) await this.retries.dropBegun(tx, turn, fence);
      return this.lanes.finish(tx, turn, fence, reached);
    });
  }

  /**
   * A worker died in the middle of this lane's window: what still waits there may have left, so it is of unknown outcome,
   * and a receipt or the deadline settles it. Where the upstream removes duplicates it is sent again besides.
   * @param fence the fence of the claim that recovers
   */
  recover(turn: LaneTurn, fence: number, deduplicated: boolean): Promise<LaneEnd> {
    return inTransaction(this.dataSource, async (tx) => {
      const begun = await begunRetries(tx, turn, null, deduplicated);
      const window: DueRecipient[] = await tx.query(
        `SELECT r.seq, r.receiver, 1 AS attempt FROM campaign_recipients r
         LEFT JOIN recipient_retries t ON t.campaign_id = r.campaign_id AND t.seq = r.seq
         WHERE r.campaign_id = ? AND r.seq >= ? AND r.seq < ? AND r.status = 0 AND t.seq IS NULL`,
        [turn.campaignId, turn.nextSeq, turn.intentSeq],
      );
      const ambiguous = [...begun, ...window];
      await this.retries.dropBegun(tx, turn, null);
      const changes = ambiguous.map(({ seq, made = 0 }): RecipientChange => ({
        ...unchanged(turn.campaignId, seq),
        to: RecipientStatus.Unknown,
        attempted: true,
        madeBefore: made,
      }));
      await this.settlement.settle(tx, changes);
      await this.storeUnknown(tx, turn, ambiguous);
      if (deduplicated) {
        const again = ambiguous.map((recipient) => ({ recipient, delayMs: 0, inDoubt: true }));
        await this.retries.putOff(tx, turn, fence, again);
      }
      return this.lanes.finish(tx, turn, fence);
    });
  }

  /** The next part of a cancelled or rejected campaign: unsent recipients become CANCELLED and are refunded, in bounded steps. */
  cancelStep(turn: LaneTurn, limit: number, fence: number): Promise<LaneEnd> {
    const reached = Math.min(turn.nextSeq + limit, turn.endSeq);
    return inTransaction(this.dataSource, async (tx) => {
      const unsent: { seq: number }[] = await tx.query(
        'SELECT seq FROM campaign_recipients WHERE campaign_id = ? AND seq >= ? AND seq < ? AND status = 0',
        [turn.campaignId, turn.nextSeq, reached],
      );
      const waiting = await this.retries.waiting(tx, turn, limit);
      const outcomes = new Map<number, LastOutcome | null>(unsent.map(({ seq }) => [seq, null]));
      for (const { seq, last } of waiting) outcomes.set(seq, last);
      const changes = [...outcomes].map(([seq, last]): RecipientChange =>
        last
          ? { ...unchanged(turn.campaignId, seq), ...lastWord(last) }
          : { ...unchanged(turn.campaignId, seq), to: RecipientStatus.Cancelled, refund: true },
      );
      await this.settlement.settle(tx, changes);
      await this.retries.drop(tx, turn.campaignId, [...outcomes.keys()]);
      return this.lanes.finish(tx, turn, fence, reached);
    });
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
    if ((await this.insertProviderIds(tx, turn, rows)) === rows.length) return;
    // Carriers count from the start again one day: an id whose first owner is over belongs to the new message. While it
    // is not, the id stays where it is, and the deadline settles the new one.
    await tx.query(
      `DELETE m FROM JSON_TABLE(?, '$[*]' COLUMNS (
         id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]')) j
       STRAIGHT_JOIN provider_messages m ON m.route_id = ? AND m.provider_message_id = j.id
       STRAIGHT_JOIN campaign_recipients r ON r.campaign_id = m.campaign_id AND r.seq = m.seq AND r.status NOT IN (?)`,
      [jsonRows(rows), turn.routeId, [RecipientStatus.Pending, RecipientStatus.Unknown, RecipientStatus.Submitted]],
    );
    await this.insertProviderIds(tx, turn, rows);
  }

  /** Channels that make several attempts keep a record of each. */
  private async keepJournal(tx: EntityManager, turn: LaneTurn, results: readonly WindowResult[]): Promise<void> {
    const attempts = results.flatMap(({ recipient, outcome }): BegunAttempt[] => {
      const id = outcome.kind === 'accepted' ? outcome.providerMessageIds[0]?.slice(0, 128) : undefined;
      if (id === undefined) return [];
      const { seq, made = 0 } = recipient;
      return [{ campaignId: turn.campaignId, seq, attempt: made + 1, providerMessageId: id }];
    });
    if (attempts.length > 0) await this.journals.of(turn.channel)?.began(tx, attempts);
  }

  /** @returns how many were new */
  private async insertProviderIds(tx: EntityManager, turn: LaneTurn, rows: readonly unknown[]): Promise<number> {
    const result: WriteResult = await tx.query(
      `INSERT IGNORE INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, match_key, status)
       SELECT ?, j.seq, j.item, ?, j.id, j.items, j.match_key, ${RecipientStatus.Submitted} FROM JSON_TABLE(?, '$[*]' COLUMNS (
         seq INT PATH '$[0]', item INT PATH '$[1]', id VARCHAR(128) CHARACTER SET utf8mb4 PATH '$[2]', items INT PATH '$[3]',
         match_key VARCHAR(64) CHARACTER SET ascii PATH '$[4]')) j`,
      [turn.campaignId, turn.routeId, jsonRows(rows)],
    );
    return result.affectedRows;
  }

  private async storeRetries(tx: EntityManager, turn: LaneTurn, results: readonly WindowResult[]): Promise<void> {
    const again: PutOff[] = [];
    for (const { recipient, outcome, deduplicated = false } of results) {
      if (outcome.kind === 'unknown' && deduplicated && recipient.attempt < MOST_ATTEMPTS) {
        const attempt = recipient.attempt + 1;
        again.push({ recipient: { ...recipient, attempt }, delayMs: retryDelay(attempt, 0), inDoubt: true });
      } else if (outcome.kind === 'retry' && !isExhausted(recipient, outcome)) {
        const counts = !outcome.throttled && outcome.afterMs > 0; // afterMs 0: it never went out
        const attempt = recipient.attempt + (counts ? 1 : 0);
        const { inDoubt = false } = recipient;
        again.push({ recipient: { ...recipient, attempt }, delayMs: retryDelay(attempt, outcome.afterMs), inDoubt });
      }
    }
    await this.retries.putOff(tx, turn, turn.fence + 1, again);
  }

  /** The list is for receipts that name nobody, and ends with the deadline; the mark on the recipient stays for good. */
  private async storeUnknown(tx: EntityManager, turn: LaneTurn, recipients: readonly DueRecipient[]): Promise<void> {
    if (recipients.length === 0) return;
    await tx.query(
      `UPDATE campaign_recipients r JOIN JSON_TABLE(?, '$[*]' COLUMNS (seq INT PATH '$')) j ON r.seq = j.seq
       SET r.outcome_unknown = 1 WHERE r.campaign_id = ?`,
      [jsonRows(recipients.map(({ seq }) => seq).sort((a, b) => a - b)), turn.campaignId],
    );
    await tx.query(
      `INSERT IGNORE INTO unknown_outcomes (campaign_id, seq, route_id, receiver, created_at)
       SELECT ?, j.seq, ?, j.receiver, UTC_TIMESTAMP(3) FROM JSON_TABLE(?, '$[*]' COLUMNS (
         seq INT PATH '$[0]', receiver VARCHAR(32) CHARACTER SET ascii PATH '$[1]')) j`,
      [turn.campaignId, turn.routeId, jsonRows(recipients.map(({ seq, receiver }) => [seq, receiver]))],
    );
  }
}

const isUnknown = (result: WindowResult): boolean => result.outcome.kind === 'unknown';

const isExhausted = (recipient: DueRecipient, outcome: { throttled: boolean; afterMs: number }): boolean =>
  !outcome.throttled && outcome.afterMs > 0 && recipient.attempt >= MOST_ATTEMPTS;

const unchanged = (campaignId: number, seq: number): Omit<RecipientChange, 'to'> => ({
  campaignId,
  seq,
  errorCode: null,
  errorText: null,
  refund: false,
  attempted: false,
});

const lastWord = ({
  status,
  errorCode,
  errorText,
}: LastOutcome): Pick<RecipientChange, 'to' | 'errorCode' | 'errorText'> => ({ to: status, errorCode, errorText });

function toChange(campaignId: number, { recipient, outcome }: WindowResult): RecipientChange[] {
  const { seq, made = 0, last, inDoubt = false } = recipient;
  // Whatever became of the second copy, the first may be with the upstream: a receipt or the deadline settles it.
  if (inDoubt && outcome.kind !== 'accepted') return [];
  const base = { ...unchanged(campaignId, seq), attempted: true, madeBefore: made };
  // What cannot be tried again keeps the word of its last attempt; that one was made, so nothing is refunded.
  const neverLeft = outcome.kind === 'suppressed' || (outcome.kind === 'rejected' && !outcome.submitted);
  if (last && neverLeft) return [{ ...base, ...lastWord(last), attempted: false }];
  switch (outcome.kind) {
    case 'accepted':
      return [{ ...base, to: RecipientStatus.Submitted }];
    case 'unknown':
      return [{ ...base, to: RecipientStatus.Unknown }];
    case 'suppressed':
      return [{ ...base, to: RecipientStatus.Failed, errorText: 'Suppressed', refund: true, attempted: false }];
    case 'rejected':
      return [
        {
          ...base,
          to: RecipientStatus.Failed,
          errorCode: outcome.code,
          errorText: outcome.text,
          refund: !outcome.submitted,
        },
      ];
    case 'retry':
      return isExhausted(recipient, outcome)
        ? [{ ...base, to: RecipientStatus.Failed, errorCode: outcome.code, errorText: outcome.text }]
        : [];
  }
}
