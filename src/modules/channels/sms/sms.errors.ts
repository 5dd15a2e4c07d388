import { AppError } from '../../../kernel/app-error.js';
import { broadcastErrors } from '../broadcasts/index.js';

/** Errors of the SMS endpoints: the broadcasts' and their own (reference/sms#addbroadcastgsmphp), literally. */
export const smsErrors = {
  ...broadcastErrors,
  requestIdFormat: () =>
    new AppError('invalid', 'request_id_format', 'providermessageid must be 1 to 64 characters of A-Z a-z 0-9 . _ : -'),
  httpSendRequired: () =>
    new AppError('invalid', 'fields_required', 'username, password, message, and number are required'),
};
