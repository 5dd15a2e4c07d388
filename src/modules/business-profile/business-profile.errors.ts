import { AppError } from '../../kernel/app-error.js';
import type { ProfileField } from './commands/profile-changes.js';

/** Errors of the live business profile: the texts of reference/business-profile#errors, literally. */
export const businessProfileErrors = {
  noAccount: () =>
    new AppError('not_found', 'no_chat_account', 'Chat account not found in the provider-accounts table'),
  noAccountForPhoto: () => new AppError('not_found', 'no_chat_account', 'No chat account configured for this user'),
  credentials: () => new AppError('unprocessable', 'chat_credentials', 'Chat credentials are not configured'),
  unsupported: () =>
    new AppError(
      'unprocessable',
      'unsupported_provider',
      'Business profile is only supported for Meta Cloud API, CRM and reseller-provider accounts',
    ),
  phoneNumberId: () =>
    new AppError('unprocessable', 'phone_number_id', 'Could not resolve phone_number_id from account URL'),
  bmid: () =>
    new AppError('unprocessable', 'bmid', 'Reseller-provider account is missing its Business Manager ID (bmid)'),
  field: (field: ProfileField) =>
    new AppError(
      'invalid',
      field,
      field === 'websites' ? 'websites must be an array of strings' : `${field} must be a string`,
    ),
  malformedMultipart: () => new AppError('invalid', 'malformed_multipart', 'Malformed multipart body'),
  fileRequired: () => new AppError('invalid', 'file', 'file is required'),
  photoSize: () => new AppError('unprocessable', 'photo_size', 'Photo must be at most 5 MB'),
  photoType: () => new AppError('unprocessable', 'photo_type', 'Photo must be a JPEG or PNG image'),
};
