import type { ErrorRow } from '../../../platform/http/index.js';
import { chatAccountErrors } from '../chat-account.js';

const row = (status: number, fault: keyof typeof chatAccountErrors, reason: string): ErrorRow => ({
  status,
  message: chatAccountErrors[fault]().message,
  reason,
});

/** No connection at all: the first row of reference/session-messages#connection-errors. */
export const NO_CHAT_ACCOUNT_ROW = row(404, 'notFound', 'no connected chat account');

/** A connection that cannot send, in the order in which `usableAccount` judges. */
export const CHAT_CONNECTION_ROWS: readonly ErrorRow[] = [
  row(404, 'noPhoneNumberId', 'account set up incompletely'),
  row(404, 'noToken', 'account set up incompletely'),
  row(500, 'noEndpoint', 'account set up with another provider or a URL that is none'),
];
