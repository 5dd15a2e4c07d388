import { AppError } from '../../kernel/app-error.js';

/** Errors of the SMS endpoints: the texts of spec 7 and decisions §5 and §7, literally. */
export const smsErrors = {
  fieldsRequired: () =>
    new AppError('invalid', 'fields_required', 'broadcast_name, brodcast_service, contacts, and message are required'),
  tooLong: () => new AppError('invalid', 'message_too_long', 'Message is too long'),
  contactLength: () => new AppError('invalid', 'contact_length', 'Each contact number must be between 9 and 30 digits'),
  requestIdFormat: () =>
    new AppError('invalid', 'request_id_format', 'providermessageid must be 1 to 64 characters of A-Z a-z 0-9 . _ : -'),
  scheduleTime: () => new AppError('invalid', 'schedule_time', 'schedule_time is invalid'),
  noRoute: () => new AppError('unavailable', 'no_route', 'No route available for this channel'),
  httpSendRequired: () =>
    new AppError('invalid', 'fields_required', 'username, password, message, and number are required'),
};
