import { type ErrorRow, REVISION_ROWS } from '../../../platform/http/index.js';
import { LONGEST_REASON, STATUS_WORDS } from '../../templates/index.js';
import { ADMIN_ERRORS } from './admin.errors.js';

export const STATUS_TEXT = `status must be one of: ${STATUS_WORDS.join(', ')}`;
export const REASON_TEXT = `reason must be at most ${LONGEST_REASON} characters`;

export const LIST_TEMPLATES_ERRORS: ErrorRow[] = [
  ...ADMIN_ERRORS,
  { status: 400, message: STATUS_TEXT, reason: 'another word or number' },
];

export const MOVE_TEMPLATE_ERRORS: ErrorRow[] = [
  ...ADMIN_ERRORS,
  { status: 400, message: 'reason is invalid', reason: 'no text' },
  { status: 404, message: 'Template not found', reason: 'no such template' },
  { status: 400, message: REASON_TEXT, reason: 'too long' },
  { status: 409, message: 'Template is already approved', reason: 'its state does not allow the move' },
  ...REVISION_ROWS,
];
