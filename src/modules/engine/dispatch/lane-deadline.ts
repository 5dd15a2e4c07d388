import { performance } from 'node:perf_hooks';
import type { SendOutcome } from '../../providers/index.js';
import type { Channel } from '../channel.js';
import type { LaneTurn } from './lane-turn.js';
import { gotThrough } from '../settle/outcome-changes.js';
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

/** A message has waited for longer than it may (reference/sender-ids#validity). */
export const EXPIRED = {
  ...{ kind: 'rejected', code: null, text: 'Validity expired', submitted: false },
} as const satisfies SendOutcome;

/** How much is left of a validity, milliseconds. */
export const validityLeft = ({ waitingSince }: LaneTurn, validitySeconds: number): number =>
  validitySeconds * 1_000 - (performance.now() - waitingSince);

/** Whether none of a lane's messages is of use any more. */
export function hasExpired({ validitySeconds }: Channel, turn: LaneTurn): boolean {
  const validity = validitySeconds?.(turn.content);
  return validity !== undefined && validityLeft(turn, validity) <= 0;
}

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
