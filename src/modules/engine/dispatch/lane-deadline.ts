import type { SendOutcome } from '../../providers/index.js';
import type { LaneTurn } from './lane-turn.js';
import { gotThrough } from '../settle/window-results.js';
import type { WindowResult } from '../settle/window-result.js';

/** @returns whether nothing of the lane has got through for as long as a receipt may take (milliseconds) */
export const isOverdue = ({ stalledMs }: LaneTurn, receiptTimeoutMs: number): boolean =>
  stalledMs !== null && stalledMs >= receiptTimeoutMs;

/** The deadline came before the message could leave. @param fault why it could not */
export const inVain = (fault: string): SendOutcome => ({
  kind: 'rejected',
  code: null,
  text: `Not sent in time: ${fault}`,
  submitted: false,
});

/** A carrier that says nothing but "too fast" until the deadline will not say anything else: its recipients end. */
export function conclude(results: readonly WindowResult[], receiptTimeoutMs: number): readonly WindowResult[] {
  if (!results.some(({ recipient }) => isOverdue(recipient.turn, receiptTimeoutMs))) return results;
  const moving = new Set(results.flatMap(({ recipient, outcome }) => (gotThrough(outcome) ? [recipient.turn] : [])));
  return results.map((result) => {
    const { recipient, outcome } = result;
    const ends = isOverdue(recipient.turn, receiptTimeoutMs) && !moving.has(recipient.turn);
    return ends && outcome.kind === 'retry' && outcome.throttled
      ? { recipient, outcome: inVain(outcome.text) }
      : result;
  });
}
