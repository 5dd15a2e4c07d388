import { type DocumentedError, invalid, notFound, unprocessable, fieldErrors } from '../../kernel/errors.js';
import { chatAccountErrors, PROVIDER_ERRORS } from '../providers/index.js';

/** Errors of the business profile (reference/business-profile#errors), literal texts. */
export const businessProfileErrors = {
  noAccount: notFound('no_chat_account', 'Chat account not found in the provider-accounts table', 'no chat connection'),
  noAccountForPhoto: notFound('no_chat_account', 'No chat account configured for this user', 'no chat connection'),
  credentials: unprocessable('chat_credentials', 'Chat credentials are not configured', 'credentials missing'),
  unsupported: unprocessable(
    'unsupported_provider',
    'Business profile is only supported for Meta Cloud API, CRM and reseller-provider accounts',
    'unsupported provider type',
  ),
  phoneNumberId: unprocessable(
    'phone_number_id',
    'Could not resolve phone_number_id from account URL',
    'bad account setup',
  ),
  bmid: unprocessable(
    'bmid',
    'Reseller-provider account is missing its Business Manager ID (bmid)',
    'incomplete setup',
  ),
  noText: invalid(
    'profile_field_no_text',
    (field: string) => `${field} must be a string`,
    'so for address, description, email and vertical',
  ).shown('about'),
  websites: invalid('websites', 'websites must be an array of strings', 'something else'),
  fileRequired: invalid('file', fieldErrors.required.shown('file').text, 'no file in the field `file`'),
  photoSize: unprocessable('photo_size', 'Photo must be at most 5 MB', 'too large'),
  photoType: unprocessable('photo_type', 'Photo must be a JPEG or PNG image', 'checked by content'),
};

/** Errors of unreachable profiles, in the order of validation. */
const ACCOUNT_ERRORS: readonly DocumentedError[] = [
  businessProfileErrors.credentials,
  businessProfileErrors.unsupported,
  businessProfileErrors.phoneNumberId,
  businessProfileErrors.bmid,
];

export const PROFILE_ERRORS: readonly DocumentedError[] = [
  chatAccountErrors.channel,
  businessProfileErrors.noAccount,
  ...ACCOUNT_ERRORS,
  ...PROVIDER_ERRORS,
];

export const UPDATE_ERRORS: readonly DocumentedError[] = [
  chatAccountErrors.channel,
  businessProfileErrors.noAccount,
  ...ACCOUNT_ERRORS,
  businessProfileErrors.noText,
  businessProfileErrors.websites,
  ...PROVIDER_ERRORS,
];

export const PHOTO_ERRORS: readonly DocumentedError[] = [
  chatAccountErrors.channel,
  businessProfileErrors.noAccountForPhoto,
  ...ACCOUNT_ERRORS,
  businessProfileErrors.fileRequired,
  businessProfileErrors.photoSize,
  businessProfileErrors.photoType,
  ...PROVIDER_ERRORS,
];
