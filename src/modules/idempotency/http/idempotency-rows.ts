import { type ErrorRow, rowOf } from '../../../platform/http/index.js';
import { idempotencyErrors } from '../idempotency.errors.js';

/** `idempotencyErrors.tooLong` by status. */
export const KEY_FORM_ROW: ErrorRow = rowOf(idempotencyErrors.tooLong);

/** The errors of a key that was used before, by status. */
export const KEY_ROWS: ErrorRow[] = [idempotencyErrors.otherBody, idempotencyErrors.running].map(rowOf);
