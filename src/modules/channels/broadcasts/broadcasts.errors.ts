import { AppError } from '../../../kernel/app-error.js';

/** Errors that both broadcasts share: the texts of reference/sms#addbroadcastgsmphp, literally. */
export const broadcastErrors = {
  fieldsRequired: () =>
    new AppError('invalid', 'fields_required', 'broadcast_name, brodcast_service, contacts, and message are required'),
  tooLong: () => new AppError('invalid', 'message_too_long', 'Message is too long'),
  contactLength: () => new AppError('invalid', 'contact_length', 'Each contact number must be between 9 and 30 digits'),
  scheduleTime: () => new AppError('invalid', 'schedule_time', 'schedule_time is invalid'),
  noRoute: () => new AppError('unavailable', 'no_route', 'No route available for this channel'),
};
