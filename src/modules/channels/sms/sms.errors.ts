import { invalid } from '../../../kernel/define-error.js';
import { senderErrors } from '../../sender-ids/index.js';
import { broadcastErrors } from '../broadcasts/index.js';

/** Errors of the SMS endpoints: the broadcasts' and their own (reference/sms#addbroadcastgsmphp), literally. */
export const smsErrors = {
  ...broadcastErrors,
  ...senderErrors,
  tooLong: broadcastErrors.tooLong.because('over 612 septets of GSM text or 331 Unicode units'),
  requestIdFormat: invalid(
    'request_id_format',
    'providermessageid must be 1 to 64 characters of A-Z a-z 0-9 . _ : -',
    'caller-supplied id out of form',
  ).with({ field: 'providermessageid', hint: 'Leave it out, and an id is made.' }),
  httpSendRequired: invalid(
    'fields_required',
    'username, password, message, and number are required',
    'a parameter is missing, empty or given twice',
  ).with({ hint: 'All four stand in the query, once each, encoded as a URL wants it (a + as %2B).' }),
};
