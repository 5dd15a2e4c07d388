import type { OutgoingSm } from '../../../../platform/smpp/index.js';

/** What the carrier made of one submit_sm. */
export type SubmitResult =
  /** command status, and the message id when it is 0 */
  | { kind: 'answered'; status: number; messageId: string }
  /** no byte of it was written */
  | { kind: 'unsent' }
  /** written, and no answer came */
  | { kind: 'unknown' };

/** One submit_sm on its way. Moments are of the clock of `performance.now()`. */
export interface Submit extends OutgoingSm {
  urgent: boolean;
  /** called right before it is written, with as many others; what it throws keeps it from being written */
  leaving: ((others?: number) => void) | undefined;
  /** must not be written after this moment: the lease has passed on */
  notAfter: number;
  /** waits for its turn no longer than this */
  queueUntil: number;
  /** when it was written; 0 before */
  writtenAt: number;
  /** under which it was written; 0 before */
  sequence: number;
  done(result: SubmitResult): void;
}
