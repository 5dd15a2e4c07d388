import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import { type BalanceName, CreditBook } from '../../credits/index.js';
import { CampaignStates } from '../state/campaign-states.js';
import { isFinal, mayMove, RecipientStatus } from '../state/recipient-status.js';
import { inLockOrder, placeKey } from '../state/recipient-order.js';
import { StatusEvents } from './status-events.js';

/** A recipient's next status, wherever it comes from: a send, a receipt, a deadline, a cancel. */
export interface RecipientChange {
  campaignId: number;
  seq: number;
  to: RecipientStatus;
  errorCode: number | null;
  errorText: string | null;
  /** it never left us, so its credits go back (reference/credits#refunds) */
  refund: boolean;
  /** one more attempt was made, in so many tries (default 1) */
  attempted: boolean;
  tries?: number;
  /** of a send: how many attempts came before it. A lost worker's late word on an older one does not end a wait for the next */
  madeBefore?: number;
  /** back to Pending: it was taken for unknown, and whoever was to send it says that it never left */
  takenBack?: boolean;
  /** seconds of talk; absent = no call, or nobody answered */
  durationSeconds?: number;
}

/** A change that took place. */
export interface Transition extends RecipientChange {
  from: RecipientStatus;
  receiver: string;
}

interface LockedRow {
  campaign_id: number;
  seq: number;
  receiver: string;
  status: RecipientStatus;
  attempts: number;
}

interface CampaignMoney {
  id: number;
  account_id: number;
  request_id: string;
  balance: string;
  unit_credits: number;
  refund_failed: number | null;
}

const ERROR_TEXT_LENGTH = 255;

/**
 * The only writer of recipient statuses. In one transaction: rows locked by key in order, forward moves written in bulk,
 * counters and open recipients kept, refunds booked once, campaigns completed.
 */
@Injectable()
export class Settlement {
  constructor(
    private readonly states: CampaignStates,
    private readonly credits: CreditBook,
    private readonly events: StatusEvents,
  ) {}

  /**
   * @param changes any order; several for one recipient are taken as the furthest of them
   * @returns what really changed
   */
  async settle(tx: EntityManager, changes: readonly RecipientChange[]): Promise<Transition[]> {
    if (changes.length === 0) return [];
    const wanted = furthest(changes);
    const locked = await this.lock(tx, wanted);
    const transitions = wanted.flatMap((change): Transition[] => {
      const row = locked.get(placeKey(change));
      if (!row || !mayChange(change, row)) return [];
      // Whoever declared the outcome unknown has counted the tries until then.
      const counted = row.status === RecipientStatus.Unknown ? row.attempts : 0;
      const tries = change.takenBack ? -counted : Math.max(0, triesOf(change) - counted);
      const reason = { errorCode: code(change.errorCode), errorText: cut(change.errorText) };
      return [{ ...change, ...reason, tries, from: row.status, receiver: row.receiver }];
    });
    if (transitions.length === 0) return [];
    await this.writeStatuses(tx, transitions);
    await this.writeCounters(tx, transitions);
    const ended = await this.closeCampaigns(tx, transitions);
    await this.refund(tx, transitions);
    await this.events.publish(tx, transitions, ended);
    return transitions;
  }

  private async lock(tx: EntityManager, changes: readonly RecipientChange[]): Promise<Map<string, LockedRow>> {
    const rows: LockedRow[] = await tx.query(
      `SELECT STRAIGHT_JOIN r.campaign_id, r.seq, r.receiver, r.status, r.attempts FROM JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
       JOIN campaign_recipients r ON r.campaign_id = j.campaign_id AND r.seq = j.seq FOR UPDATE`,
      [jsonRows(changes.map((change) => [change.campaignId, change.seq]))],
    );
    return new Map(rows.map((row) => [placeKey({ campaignId: row.campaign_id, seq: row.seq }), row]));
  }

  /** Rows that get the same values and follow each other are one range; what is left over goes row by row in one statement. */
  private async writeStatuses(tx: EntityManager, transitions: readonly Transition[]): Promise<void> {
    const single: Transition[] = [];
    for (const run of runs(transitions)) {
      const { first, last } = run;
      if (last.seq - first.seq < 15) {
        single.push(...run.members);
        continue;
      }
      await tx.query(
        `UPDATE campaign_recipients SET ${keepDelivered(run.members)}status = ?, attempts = attempts + ?,
           error_code = ?, error_message = ?, duration = COALESCE(?, duration), updated_at = UTC_TIMESTAMP(3) WHERE campaign_id = ? AND seq BETWEEN ? AND ?`,
        [
          first.to,
          triesOf(first),
          first.errorCode,
          first.errorText,
          first.durationSeconds ?? null,
          first.campaignId,
          first.seq,
          last.seq,
        ],
      );
    }
    if (single.length === 0) return;
    await tx.query(
      `UPDATE campaign_recipients r JOIN JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', status INT PATH '$[2]', attempted INT PATH '$[3]',
         error_code INT PATH '$[4]', error_message VARCHAR(255) CHARACTER SET utf8mb4 PATH '$[5]',
         duration INT PATH '$[6]')) j
       ON r.campaign_id = j.campaign_id AND r.seq = j.seq
       SET ${keepDelivered(single, 'r.')}r.status = j.status, r.attempts = r.attempts + j.attempted,
         r.error_code = j.error_code, r.error_message = j.error_message, r.duration = COALESCE(j.duration, r.duration), r.updated_at = UTC_TIMESTAMP(3)`,
      [
        jsonRows(
          single.map((t) => [
            t.campaignId,
            t.seq,
            t.to,
            triesOf(t),
            t.errorCode,
            t.errorText,
            t.durationSeconds ?? null,
          ]),
        ),
      ],
    );
  }

  private async writeCounters(tx: EntityManager, transitions: readonly Transition[]): Promise<void> {
    const deltas = new Map<string, [campaignId: number, status: number, delta: number]>();
    const add = (campaignId: number, status: number, delta: number): void => {
      const key = `${campaignId} ${status}`;
      const entry = deltas.get(key);
      if (entry) entry[2] += delta;
      else deltas.set(key, [campaignId, status, delta]);
    };
    for (const { campaignId, from, to } of transitions) {
      add(campaignId, from, -1);
      add(campaignId, to, 1);
    }
    const rows = [...deltas.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    await tx.query(
      `INSERT INTO campaign_counters (campaign_id, status, recipients) VALUES ${rows.map(() => '(?,?,?)').join(',')}
       ON DUPLICATE KEY UPDATE recipients = recipients + VALUES(recipients)`,
      rows.flat(),
    );
  }

  /**
   * A campaign whose last recipient became final is completed, unless it ended otherwise before.
   * @returns the campaigns that wait for nobody any more
   */
  private async closeCampaigns(tx: EntityManager, transitions: readonly Transition[]): Promise<number[]> {
    const settled = new Map<number, number>();
    for (const { campaignId, from, to } of transitions) {
      if (isFinal(to) && !isFinal(from)) settled.set(campaignId, (settled.get(campaignId) ?? 0) + 1);
    }
    if (settled.size === 0) return [];
    const rows = [...settled].sort((a, b) => a[0] - b[0]);
    await tx.query(
      `UPDATE campaigns c JOIN JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$[0]', settled INT PATH '$[1]')) j ON c.id = j.id
       SET c.unsettled = c.unsettled - j.settled`,
      [jsonRows(rows)],
    );
    return this.states.complete(
      tx,
      rows.map(([id]) => id),
    );
  }

  /** Credits of recipients that never left, and of carrier failures where the account has `refund_failed`. */
  private async refund(tx: EntityManager, transitions: readonly Transition[]): Promise<void> {
    const ids = new Set(
      transitions.filter((t) => t.refund || t.to === RecipientStatus.Failed).map((t) => t.campaignId),
    );
    if (ids.size === 0) return;
    const campaigns: CampaignMoney[] = await tx.query(
      `SELECT c.id, c.account_id, c.request_id, c.balance, c.unit_credits, a.refund_failed
       FROM campaigns c LEFT JOIN accounts a ON a.id = c.account_id
       WHERE c.id IN (?) AND c.unit_credits > 0 ORDER BY c.account_id, c.balance, c.id`,
      [[...ids]],
    );
    for (const campaign of campaigns) {
      const refunded = transitions.filter(
        (t) =>
          t.campaignId === campaign.id &&
          (t.refund || (campaign.refund_failed === 1 && t.to === RecipientStatus.Failed)),
      );
      const recipients = refunded.length;
      if (recipients === 0) continue;
      await this.markRefunded(tx, refunded);
      const amount = recipients * campaign.unit_credits;
      await tx.query('UPDATE campaigns SET refunded_credits = refunded_credits + ? WHERE id = ?', [
        amount,
        campaign.id,
      ]);
      const balance = campaign.balance as BalanceName;
      const note = `${recipients} recipients`;
      await this.credits.refund(tx, campaign.account_id, balance, amount, campaign.request_id, note);
    }
  }

  /** For the timeline. Who was cancelled has his refund by his status; only failures need a mark. */
  private async markRefunded(tx: EntityManager, transitions: readonly Transition[]): Promise<void> {
    const failed = transitions.filter((t) => t.to === RecipientStatus.Failed);
    if (failed.length === 0) return;
    await tx.query(
      `UPDATE campaign_recipients r JOIN JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j ON r.campaign_id = j.campaign_id AND r.seq = j.seq
       SET r.refunded = 1`,
      [jsonRows(failed.map((t) => [t.campaignId, t.seq]))],
    );
  }
}

/** Before a message counts as read, the time of its delivery is kept for the timeline; other statements stay as they are. */
const keepDelivered = (transitions: readonly Transition[], row = ''): string =>
  transitions.some((t) => t.to === RecipientStatus.Read)
    ? `${row}delivered_at = IF(${row}status = ${RecipientStatus.Delivered}, ${row}updated_at, ${row}delivered_at), `
    : '';

const triesOf = ({ attempted, tries = 1 }: RecipientChange): number => (attempted ? tries : 0);
const mayChange = ({ to, madeBefore, takenBack = false }: RecipientChange, { status, attempts }: LockedRow): boolean =>
  takenBack
    ? status === RecipientStatus.Unknown
    : mayMove(status, to) &&
      !(status === RecipientStatus.Retrying && madeBefore !== undefined && madeBefore < attempts);

const INT_MAX = 2_147_483_647;
const code = (value: number | null): number | null =>
  value !== null && Number.isInteger(value) && Math.abs(value) <= INT_MAX ? value : null;
const cut = (text: string | null): string | null => text?.slice(0, ERROR_TEXT_LENGTH) ?? null;

/** Sorted by key; of several changes of one recipient the furthest. */
function furthest(changes: readonly RecipientChange[]): RecipientChange[] {
  const sorted = [...changes].sort(inLockOrder);
  const kept: RecipientChange[] = [];
  for (const change of sorted) {
    const last = kept.at(-1);
    if (!last || inLockOrder(last, change) !== 0) kept.push(change);
    else if (mayMove(last.to, change.to)) kept[kept.length - 1] = change;
  }
  return kept;
}

interface Run {
  first: Transition;
  last: Transition;
  members: Transition[];
}

function runs(transitions: readonly Transition[]): Run[] {
  const found: Run[] = [];
  for (const transition of transitions) {
    const run = found.at(-1);
    if (run && follows(run.last, transition)) {
      run.last = transition;
      run.members.push(transition);
    } else found.push({ first: transition, last: transition, members: [transition] });
  }
  return found;
}

const follows = (a: Transition, b: Transition): boolean =>
  a.campaignId === b.campaignId &&
  a.seq + 1 === b.seq &&
  a.to === b.to &&
  a.errorCode === b.errorCode &&
  a.errorText === b.errorText &&
  a.durationSeconds === b.durationSeconds &&
  triesOf(a) === triesOf(b);
