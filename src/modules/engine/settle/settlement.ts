import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import { CampaignBriefs } from '../state/campaign-briefs.js';
import { CampaignStates } from '../state/campaign-states.js';
import { laneOf } from '../state/lanes.js';
import { keyOf, type RecipientKey, toLock } from '../state/recipient-key.js';
import { RecipientStatus } from '../state/recipient-status.js';
import { count } from './counters.js';
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
    private readonly briefs: CampaignBriefs,
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
    const campaigns = await this.briefs.of(
      tx,
      moves.map(({ campaignId }) => campaignId),
    );
    const lanes = moves.map((move) => ({
      ...move,
      lane: laneOf(campaigns.get(move.campaignId)?.totalRows ?? 0, move.seq),
    }));
    const ended = await this.states.closeLanes(tx, await count(tx, lanes));
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
}

/** Before a message counts as read, the time of its delivery is kept for the timeline; other statements stay as they are. */
const keepDelivered = (moves: readonly RecipientMove[], row = ''): string =>
  moves.some(({ to }) => to === RecipientStatus.Read)
    ? `${row}delivered_at = IF(${row}status = ${RecipientStatus.Delivered}, ${row}updated_at, ${row}delivered_at), `
    : '';
