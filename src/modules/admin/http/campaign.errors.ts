import { type ErrorRow, REVISION_ROWS } from '../../../platform/http/index.js';
import { FILTER_ROWS } from '../../campaigns/index.js';
import { ADMIN_ERRORS } from './admin.errors.js';

export const LIST_CAMPAIGNS_ERRORS: ErrorRow[] = [...ADMIN_ERRORS, ...FILTER_ROWS];

export const SHOW_CAMPAIGN_ERRORS: ErrorRow[] = [
  ...ADMIN_ERRORS,
  { status: 404, message: 'Campaign not found', reason: 'no campaign of that id' },
];

export const DECIDE_CAMPAIGN_ERRORS: ErrorRow[] = [
  ...ADMIN_ERRORS,
  { status: 404, message: 'Campaign not found', reason: 'no campaign of that id' },
  { status: 409, message: 'Campaign is already <state>', reason: 'it does not wait for approval' },
  ...REVISION_ROWS,
];
