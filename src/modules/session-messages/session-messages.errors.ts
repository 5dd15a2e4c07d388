import { AppError } from '../../kernel/app-error.js';
import type { SessionRow } from './domain/session-rows.js';

/** Errors of the session endpoints beside the rows of their bodies: the texts of spec 4.11 and 7, literally. */
export const sessionErrors = {
  row: ({ code, text }: SessionRow) => new AppError('invalid', code, text),
  ticketExpired: () => new AppError('invalid', 'ticket_expired', 'Ticket Expired'),
  /** @param text the provider's own */
  refused: (text: string) => new AppError('upstream', 'provider_refused', text),
};
