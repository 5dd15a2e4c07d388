import { forbidden } from '../../kernel/errors.js';
import { accountErrors } from '../accounts/index.js';

/** A callback with an invalid secret or signature. */
export const wrongCallback = forbidden(
  'wrong_callback',
  accountErrors.forbidden.text,
  'unknown route or wrong signature; nothing happens',
);
