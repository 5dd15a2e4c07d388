import type { EntityManager } from 'typeorm';
import { afterCommit } from '../../../platform/database/index.js';
import type { Traffic } from '../../traffic/index.js';
import type { Charge } from './credit-book.js';

/** Counts what was charged or went back for the statistics, once it has committed. */
export function countCredits(
  tx: EntityManager,
  traffic: Traffic,
  lines: readonly Charge[],
  figure: 'charged' | 'refunded',
): void {
  if (!traffic.isCounting) return;
  afterCommit(tx, () => {
    for (const { accountId, amount, usage } of lines) {
      traffic.count({ routeId: null, accountId, channel: usage.channel }, figure, amount);
    }
  });
}
