import { RECIPIENT_TEXTS } from '../../../../kernel/phone-number.js';
import type { ErrorRow } from '../../../../platform/http/index.js';
import { KEY_FORM_ROW, KEY_ROWS } from '../../../idempotency/index.js';
import { CHAT_CONNECTION_ROWS, NO_CHAT_ACCOUNT_ROW } from '../../../providers/index.js';

const row = (status: number, message: string, reason: string): ErrorRow => ({ status, message, reason });

const METHOD = row(405, 'Method not allowed', 'not POST');
const PRODUCT = row(400, 'messaging_product must be chat', 'missing or another');
const PATH = row(401, 'Route username does not match authenticated user', 'path and token usernames differ');

const TEMPLATE_ROWS: ErrorRow[] = [
  row(400, 'type must be template', 'wrong type'),
  row(400, 'template must be an object', 'missing or no object'),
  row(400, 'template.name is required', 'missing or empty'),
  row(400, 'template.language.code is required', 'missing or unrecognized'),
  row(400, 'template.components must be an array', 'given, and no array of objects'),
  row(400, 'template.components must be at most 64 KB', 'more, as JSON'),
];

const SENDING_ROWS: ErrorRow[] = [
  ...KEY_ROWS,
  row(404, 'Template not found', 'no template of that exact name'),
  row(409, 'Template is pending platform approval', 'not yet approved'),
  row(409, 'Template was rejected by the platform', 'rejected'),
  row(409, 'Template is not approved for sending', 'draft, paused or disabled'),
  row(422, 'Template language does not match the approved template', 'language mismatch'),
  row(422, 'Template body parameter count does not match the approved template', 'different {{n}} of the body'),
  row(422, 'Template header parameter count does not match the approved template', 'a media header takes exactly 1'),
  row(400, 'schedule_time is invalid', 'past, or neither YYYY-MM-DD HH:MM:SS nor ISO 8601'),
  NO_CHAT_ACCOUNT_ROW,
  ...CHAT_CONNECTION_ROWS,
  row(400, 'Insufficient credits. Available: X, Required: Y', "the category's balance is lower than the recipients"),
];

/** Error table of chatTemplate (reference/template-messages#errors), in the order in which the rows are judged. */
export const TEMPLATE_ERRORS: ErrorRow[] = [
  METHOD,
  row(400, 'Invalid Authorization token', 'token missing or invalid'),
  PATH,
  KEY_FORM_ROW,
  PRODUCT,
  row(400, 'to is required', 'no recipients'),
  row(400, 'to array cannot exceed 30,000 contacts', 'more than 30,000 numbers'),
  ...TEMPLATE_ROWS,
  row(400, RECIPIENT_TEXTS.invalid, 'no digits only after cleanup'),
  row(400, RECIPIENT_TEXTS.length, 'bad length'),
  ...SENDING_ROWS,
  row(500, 'Failed to queue template message', 'server error'),
];

/** Error table of chatBranded (reference/template-messages#errors), in the order in which the rows are judged. */
export const BRANDED_ERRORS: ErrorRow[] = [
  METHOD,
  row(401, 'Invalid Authorization token', 'token missing or invalid'),
  PATH,
  KEY_FORM_ROW,
  PRODUCT,
  row(400, 'to is required and must contain at least one valid recipient', 'missing, empty or no array'),
  row(400, 'No valid recipient phone numbers provided', 'none has 8 to 20 digits after cleanup'),
  ...TEMPLATE_ROWS,
  ...SENDING_ROWS,
  row(500, 'Failed to queue template campaign', 'server error'),
];
