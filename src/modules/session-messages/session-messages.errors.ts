import { AppError } from '../../kernel/app-error.js';
import type { SessionRow } from './domain/session-rows.js';

/**
 * Errors of the session endpoints beside the rows of their bodies: the texts of reference/session-messages#v5-errors,
 * literally.
 */
export const sessionErrors = {
  row: ({ code, text }: SessionRow) => new AppError('invalid', code, text),
  ticketExpired: () => new AppError('invalid', 'ticket_expired', 'Ticket Expired'),
  notFound: () => new AppError('not_found', 'session_message_unknown', 'Message not found'),
  /** @param state such as `sent` */
  already: (state: string) => new AppError('conflict', 'session_message_state', `Message is already ${state}`),
  /** @param text the provider's own */
  refused: (text: string) => new AppError('upstream', 'provider_refused', text),
};
