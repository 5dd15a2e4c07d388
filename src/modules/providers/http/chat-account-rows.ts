import { type ErrorRow, rowOf } from '../../../platform/http/index.js';
import { chatAccountErrors, CONNECTION_ERRORS } from '../chat-account.js';

/** `chatAccountErrors.notFound` by status. */
export const NO_CHAT_ACCOUNT_ROW: ErrorRow = rowOf(chatAccountErrors.notFound);

/** `CONNECTION_ERRORS` by status. */
export const CHAT_CONNECTION_ROWS: readonly ErrorRow[] = CONNECTION_ERRORS.map(rowOf);
