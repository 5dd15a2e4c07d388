import { invalid } from '../../kernel/define-error.js';

/** What a send answers to a sender id of its own (reference/sender-ids#sends). */
export const senderErrors = {
  notApproved: invalid(
    'sender_not_approved',
    'sender_id is not approved',
    'not one of the approved sender ids of the account for the channel',
  ),
};
