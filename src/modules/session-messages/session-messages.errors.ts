import { conflict, invalid, notFound, upstream } from '../../kernel/errors.js';

/** Errors of the session endpoints beside those of their bodies; literal texts of reference/session-messages#v5-errors. */
export const sessionErrors = {
  ticketExpired: invalid('ticket_expired', 'Ticket Expired', 'the receiver has not written within 24 hours').with({
    field: 'contacts',
    hint: 'The receiver has not written within 24 hours: send an approved template instead.',
  }),
  notFound: notFound('session_message_unknown', 'Message not found', 'none of this account'),
  already: conflict(
    'session_message_state',
    (state: string) => `Message is already ${state}`,
    'likewise sending (it may have left), delivered, read, failed, cancelled',
  ).shown('sent'),
  refused: upstream('provider_refused', (text: string) => text, "the provider's own text").shown(
    'Recipient phone number not in allowed list',
  ),
};
