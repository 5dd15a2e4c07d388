import type { EntityManager } from 'typeorm';
import { afterCommit } from '../../../platform/database/index.js';
import { figuresOf, isFinal, type RecipientStatus } from '../../engine/index.js';
import { SESSION_TRAFFIC, type Traffic, type TrafficOf } from '../../traffic/index.js';

/** Whose message it is. */
export interface SessionOwner {
  accountId: number;
  /** the chat account */
  routeId: number;
}

/** A message whose status changed. */
export interface SessionMove extends SessionOwner {
  from: RecipientStatus;
  to: RecipientStatus;
  isOverdue?: boolean;
  /** of a receipt: milliseconds since the message left; null = it is not known to have */
  ageMs?: number | null;
}

const trafficOf = ({ accountId, routeId }: SessionOwner): TrafficOf => ({
  ...{ accountId, routeId, channel: SESSION_TRAFFIC },
});

/** Counts what became of messages for the statistics, once it has committed, as moves of recipients are counted. */
export function countMoves(tx: EntityManager, traffic: Traffic, moves: readonly SessionMove[]): void {
  if (!traffic.isCounting) return;
  afterCommit(tx, () => {
    for (const { isOverdue = false, ageMs = null, ...move } of moves) {
      const { from, to } = move;
      for (const figure of figuresOf({ from, to, isOverdue })) traffic.count(trafficOf(move), figure);
      if (ageMs !== null && isFinal(to) && !isFinal(from)) traffic.delays(trafficOf(move), [Math.max(0, ageMs)]);
    }
  });
}

/** Counts receipts that found their message, once they have committed. */
export function countReceipts(tx: EntityManager, traffic: Traffic, owners: readonly SessionOwner[]): void {
  if (!traffic.isCounting) return;
  afterCommit(tx, () => {
    for (const owner of owners) traffic.count(trafficOf(owner), 'receipts');
  });
}

/** Counts a message that may have left, and may not. */
export const countUnknown = (traffic: Traffic, owner: SessionOwner): void => traffic.count(trafficOf(owner), 'unknown');
