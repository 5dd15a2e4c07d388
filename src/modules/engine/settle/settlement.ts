import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import { CampaignStates } from '../state/campaign-states.js';
import { keyOf, type RecipientKey, toLock } from '../state/recipient-key.js';
import { isFinal, RecipientStatus } from '../state/recipient-status.js';
import {
  furthest,
  type LockedRecipient,
  moveOf,
  type RecipientChange,
  type RecipientMove,
  runs,
  triesOf,
} from './recipient-change.js';
import { Refunds } from './refunds.js';
import { StatusEvents } from './status-events.js';

/** Recipients as they stand, locked until the transaction ends; by `keyOf`. */
export type LockedRecipients = ReadonlyMap<string, LockedRecipient>;

/** Shorter runs go row by row: one statement for all of them costs less than one a run. */
const SHORTEST_RUN = 16;

/**
 * The only writer of recipient statuses. In one transaction: rows locked by key in order, forward moves written in bulk,
 * counters and open recipients kept, refunds booked once, campaigns completed.
 */
@Injectable()
export class Settlement {
  constructor(
    private readonly states: CampaignStates,
    private readonly refunds: Refunds,
    private readonly events: StatusEvents,
  ) {}

  /**
   * @param changes any order; several for one recipient are taken as the furthest of them
   * @param locked the recipients, where the caller had to lock them to know the changes
   * @returns what really changed
   */
  async settle(
    tx: EntityManager,
    changes: readonly RecipientChange[],
    locked?: LockedRecipients,
  ): Promise<RecipientMove[]> {
    if (changes.length === 0) return [];
    const recipients = locked ?? (await this.lock(tx, changes));
    const moves = furthest(changes).flatMap((change): RecipientMove[] => {
      const recipient = recipients.get(keyOf(change));
      const move = recipient && moveOf(change, recipient);
      return move ? [move] : [];
    });
    if (moves.length === 0) return [];
    await this.writeStatuses(tx, moves);
    await this.writeCounters(tx, moves);
    const ended = await this.closeCampaigns(tx, moves);
    await this.refunds.book(tx, moves);
    await this.events.publish(tx, moves, ended);
    return moves;
  }

  /** Locks recipients in the order of their keys; those that do not exist are missing. */
  async lock(tx: EntityManager, places: readonly RecipientKey[]): Promise<LockedRecipients> {
    const rows: (LockedRecipient & RecipientKey)[] = await tx.query(
      `SELECT STRAIGHT_JOIN r.campaign_id AS campaignId, r.seq, r.receiver AS number, r.status, r.attempts
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
       JOIN campaign_recipients r ON r.campaign_id = j.campaign_id AND r.seq = j.seq FOR UPDATE`,
      [jsonRows(toLock(places))],
    );
    return new Map(rows.map((row) => [keyOf(row), row]));
  }

  /** Rows that get the same values and follow each other are one range; what is left over goes row by row in one statement. */
  private async writeStatuses(tx: EntityManager, moves: readonly RecipientMove[]): Promise<void> {
    const single: RecipientMove[] = [];
    for (const { first, last, members } of runs(moves)) {
      if (members.length < SHORTEST_RUN) {
        single.push(...members);
        continue;
      }
      await tx.query(
        `UPDATE campaign_recipients SET ${keepDelivered(members)}status = ?, attempts = attempts + ?, error_code = ?,
           error_message = ?, duration = COALESCE(?, duration), updated_at = UTC_TIMESTAMP(3)
         WHERE campaign_id = ? AND seq BETWEEN ? AND ?`,
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
         r.error_code = j.error_code, r.error_message = j.error_message, r.duration = COALESCE(j.duration, r.duration),
         r.updated_at = UTC_TIMESTAMP(3)`,
      [
        jsonRows(
          single.map((move) => [
            move.campaignId,
            move.seq,
            move.to,
            triesOf(move),
            move.errorCode,
            move.errorText,
            move.durationSeconds ?? null,
          ]),
        ),
      ],
    );
  }

  private async writeCounters(tx: EntityManager, moves: readonly RecipientMove[]): Promise<void> {
    const deltas = new Map<string, [campaignId: number, status: number, delta: number]>();
    const add = (campaignId: number, status: number, delta: number): void => {
      const key = `${campaignId} ${status}`;
      const entry = deltas.get(key);
      if (entry) entry[2] += delta;
      else deltas.set(key, [campaignId, status, delta]);
    };
    for (const { campaignId, from, to } of moves) {
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
   * Counts the recipients that became final; a campaign of which none is left open is completed.
   * @returns the campaigns that wait for no recipient any more
   */
  private async closeCampaigns(tx: EntityManager, moves: readonly RecipientMove[]): Promise<number[]> {
    const settled = new Map<number, number>();
    for (const { campaignId, from, to } of moves) {
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
}

/** Before a message counts as read, the time of its delivery is kept for the timeline; other statements stay as they are. */
const keepDelivered = (moves: readonly RecipientMove[], row = ''): string =>
  moves.some(({ to }) => to === RecipientStatus.Read)
    ? `${row}delivered_at = IF(${row}status = ${RecipientStatus.Delivered}, ${row}updated_at, ${row}delivered_at), `
    : '';
