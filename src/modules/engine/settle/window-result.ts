import type { SendOutcome } from '../../providers/index.js';
import type { DueRecipient } from './attempts.js';

/** What became of one recipient of a window. */
export interface WindowResult {
  recipient: DueRecipient;
  outcome: SendOutcome | { kind: 'suppressed' };
  /** the route drops a second message with the same reference: a send of unknown outcome may be made again under it */
  deduplicated?: boolean;
}
