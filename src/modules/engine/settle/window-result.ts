import type { SendOutcome } from '../../providers/index.js';
import type { DueRecipient } from './attempts.js';

/** The route has refused the recipient before: it is not asked again, and that refusal stands. */
export interface EarlierRefusal {
  kind: 'refused';
  code: number | null;
  text: string;
}

/** What became of one recipient of a window. */
export interface WindowResult {
  recipient: DueRecipient;
  outcome: SendOutcome | { kind: 'suppressed' } | EarlierRefusal;
  /** the route drops a second message with the same reference: a send of unknown outcome may be made again under it */
  deduplicated?: boolean;
}
