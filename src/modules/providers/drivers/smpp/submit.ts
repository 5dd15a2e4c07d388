import type Denque from 'denque';
import type { DataCoding } from '../../../../platform/smpp/index.js';

/** What the carrier made of one submit_sm. */
export type SubmitResult =
  /** command status, and the message id when it is 0 */
  | { kind: 'answered'; status: number; messageId: string }
  /** no byte of it was written */
  | { kind: 'unsent' }
  /** written, and no answer came */
  | { kind: 'unknown' };

/** One submit_sm on its way. Moments are of the clock of `performance.now()`. */
export interface Submit {
  to: string;
  body: Buffer;
  dataCoding: DataCoding;
  /** of a concatenated message */
  reference: number | null;
  /** must not be written after this moment: the lease has passed on */
  notAfter: number;
  /** waits for its turn no longer than this */
  queueUntil: number;
  /** when it was written; 0 before */
  writtenAt: number;
  done(result: SubmitResult): void;
}

/** Nothing that waits will be written. */
export function failAll(queue: Denque<Submit>): void {
  for (let submit = queue.shift(); submit; submit = queue.shift()) submit.done({ kind: 'unsent' });
}
