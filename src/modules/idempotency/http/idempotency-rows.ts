import type { ErrorRow } from '../../../platform/http/index.js';
import { KEY_TEXTS } from '../idempotency.errors.js';

/** A fault of the header itself, judged before the body. */
export const KEY_FORM_ROW: ErrorRow = { status: 400, message: KEY_TEXTS.tooLong, reason: 'a longer Idempotency-Key' };

/**
 * Rows of a key that was used before: judged after the body, before state and credits (reference/idempotency#errors).
 */
export const KEY_ROWS: ErrorRow[] = [
  { status: 422, message: KEY_TEXTS.otherBody, reason: 'the key belongs to another request' },
  {
    status: 409,
    message: KEY_TEXTS.running,
    reason: 'the first request is not answered yet, or its outcome is unknown',
  },
];
