import type { EntityManager } from 'typeorm';
import { afterCommit } from '../../../platform/database/index.js';
import type { Traffic } from '../../traffic/index.js';

/** What an account was charged, or got back. */
interface Moved {
  accountId: number;
  amount: number;
  usage: { channel: string };
}

/** Counts what was charged or went back for the statistics, once it has committed. */
export function countCredits(
  tx: EntityManager,
  traffic: Traffic,
  lines: readonly Moved[],
  figure: 'charged' | 'refunded',
): void {
  if (!traffic.isCounting) return;
  afterCommit(tx, () => {
    for (const { accountId, amount, usage } of lines) {
      traffic.count({ routeId: null, accountId, channel: usage.channel }, figure, amount);
    }
  });
}
