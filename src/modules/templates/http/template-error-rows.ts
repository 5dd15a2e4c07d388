import type { ErrorRow } from '../../../platform/http/index.js';

const METHOD: ErrorRow = { status: 405, message: 'Method not allowed', reason: 'another method' };
const BODY: ErrorRow[] = [
  { status: 413, message: 'Request body is too large', reason: 'body over BODY_LIMIT' },
  { status: 400, message: 'Malformed JSON body', reason: 'no JSON, or deeper than 32 levels' },
];
const TOKEN: ErrorRow = {
  status: 401,
  message: 'Invalid Authorization token',
  reason: 'missing or unparseable JWT, or no username claim',
};
const TOO_MANY: ErrorRow = {
  status: 429,
  message: 'Too many requests. Please try again later.',
  reason: 'over USER_RATE_LIMIT a minute',
};
const FAULT: ErrorRow = { status: 500, message: 'Database connection failed', reason: 'server error' };

const FORM_ROWS: ErrorRow[] = [
  { status: 400, message: 'template_name is required', reason: 'missing or empty' },
  { status: 400, message: 'template_name must be at most 512 characters', reason: 'too long' },
  { status: 400, message: 'category must be marketing, utility, or auth', reason: 'invalid category' },
  { status: 400, message: 'header_area_type must be media, text, or none', reason: 'invalid' },
  {
    status: 400,
    message: 'header_media_type must be Image, Document, or Video when header_area_type is media',
    reason: 'missing or invalid',
  },
  { status: 400, message: 'quick_reply_buttons must be an array', reason: 'not an array' },
  {
    status: 400,
    message: 'Each quick reply button must contain type=QUICK_REPLY and a non-empty text',
    reason: 'malformed button',
  },
  { status: 400, message: 'quick_reply_buttons must have at most 10 entries', reason: 'too many' },
  { status: 400, message: 'Each quick reply text must be at most 200 characters', reason: 'too long' },
  { status: 400, message: 'header_text is invalid', reason: 'of a text header: no text' },
  { status: 400, message: 'header_text must be at most 60 characters', reason: 'too long' },
  { status: 400, message: 'header_text may contain at most one {{1}}', reason: 'more placeholders, or another number' },
  { status: 400, message: 'header_example_url must be a valid URL', reason: 'of a media header: not http(s)' },
  { status: 400, message: 'template_body is invalid', reason: 'no text' },
  { status: 400, message: 'template_body must be at most 4096 characters', reason: 'too long' },
  { status: 400, message: 'body_examples must be an array', reason: 'not an array' },
  { status: 400, message: 'Each body example must be a non-empty text', reason: 'malformed example' },
  { status: 400, message: 'body_examples must have at most 100 entries', reason: 'too many' },
  { status: 400, message: 'Each body example must be at most 200 characters', reason: 'too long' },
  { status: 400, message: 'template_footer is invalid', reason: 'no text' },
  { status: 400, message: 'template_footer must be at most 4096 characters', reason: 'too long' },
  { status: 409, message: 'This template name is already exist', reason: 'duplicate name for the user' },
];

/**
 * Error table of `createTemplates.php` (reference/templates#createtemplatesphp), in the order in which the rows are
 * judged.
 */
export const CREATE_ERRORS: ErrorRow[] = [
  METHOD,
  ...BODY,
  TOKEN,
  TOO_MANY,
  ...FORM_ROWS,
  { status: 400, message: 'At most 1000 templates are allowed', reason: 'TEMPLATES_PER_ACCOUNT' },
  FAULT,
];

/** Error table of `templates.php` (reference/templates#templatesphp). */
export const LIST_ERRORS: ErrorRow[] = [
  METHOD,
  { ...TOO_MANY, reason: 'more than 60 misses in a minute from one address' },
  { status: 400, message: 'username is required', reason: 'missing or empty' },
  {
    status: 404,
    message: 'Template not found for this username',
    reason: 'none exist, or the account demands its own token',
  },
  FAULT,
  { status: 500, message: 'Failed to prepare query', reason: 'server error' },
];

const OWN_ROWS: ErrorRow[] = [
  { status: 404, message: 'Template not found', reason: 'no such template of this account' },
  {
    status: 409,
    message: 'Template is already approved',
    reason: 'likewise paused, disabled: not the owner’s any more',
  },
];

/** Errors of PUT /v6/api/templates/:id (reference/templates#own-templates), in the order in which they are judged. */
export const CHANGE_ERRORS: ErrorRow[] = [METHOD, ...BODY, TOKEN, TOO_MANY, ...OWN_ROWS, ...FORM_ROWS, FAULT];

/** Errors of DELETE /v6/api/templates/:id (reference/templates#own-templates). */
export const REMOVE_ERRORS: ErrorRow[] = [METHOD, TOKEN, TOO_MANY, ...OWN_ROWS, FAULT];
