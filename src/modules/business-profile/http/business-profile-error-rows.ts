import type { ErrorRow } from '../../../platform/http/index.js';

const METHOD: ErrorRow = { status: 405, message: 'Method not allowed', reason: 'another method' };
const TOKEN: ErrorRow = { status: 401, message: 'Invalid Authorization token', reason: 'no valid token in the header' };
const CHANNEL: ErrorRow = { status: 400, message: 'channel must be official or branded', reason: 'another word' };
const NO_ACCOUNT: ErrorRow = {
  status: 404,
  message: 'Chat account not found in the provider-accounts table',
  reason: 'no chat connection',
};

const ACCOUNT_ROWS: ErrorRow[] = [
  { status: 422, message: 'Chat credentials are not configured', reason: 'credentials missing' },
  {
    status: 422,
    message: 'Business profile is only supported for Meta Cloud API, CRM and reseller-provider accounts',
    reason: 'unsupported provider type',
  },
  { status: 422, message: 'Could not resolve phone_number_id from account URL', reason: 'bad account setup' },
  {
    status: 422,
    message: 'Reseller-provider account is missing its Business Manager ID (bmid)',
    reason: 'incomplete setup',
  },
];

const PROVIDER_ROWS: ErrorRow[] = [
  { status: 422, message: "the provider's own text", reason: 'provider rejected the request' },
  { status: 502, message: 'Provider did not answer', reason: 'silence, a server error, or something else than JSON' },
];

/** Error table of GET (reference/business-profile#errors), in the order in which the rows are judged. */
export const PROFILE_ERRORS: ErrorRow[] = [METHOD, TOKEN, CHANNEL, NO_ACCOUNT, ...ACCOUNT_ROWS, ...PROVIDER_ROWS];

/** Error table of PUT. */
export const UPDATE_ERRORS: ErrorRow[] = [
  METHOD,
  { status: 400, message: 'Malformed JSON body', reason: 'no JSON, or deeper than 32 levels' },
  TOKEN,
  CHANNEL,
  NO_ACCOUNT,
  ...ACCOUNT_ROWS,
  { status: 400, message: 'about must be a string', reason: 'so for address, description, email and vertical' },
  { status: 400, message: 'websites must be an array of strings', reason: 'something else' },
  ...PROVIDER_ROWS,
];

/** Error table of the photo. */
export const PHOTO_ERRORS: ErrorRow[] = [
  METHOD,
  TOKEN,
  { status: 413, message: 'Request body is too large', reason: 'body over BODY_LIMIT' },
  { status: 400, message: 'Malformed multipart body', reason: 'a form that cannot be read' },
  CHANNEL,
  { status: 404, message: 'No chat account configured for this user', reason: 'no chat connection' },
  ...ACCOUNT_ROWS,
  { status: 400, message: 'file is required', reason: 'no file in the field `file`' },
  { status: 422, message: 'Photo must be at most 5 MB', reason: 'too large' },
  { status: 422, message: 'Photo must be a JPEG or PNG image', reason: 'judged by content' },
  ...PROVIDER_ROWS,
];
