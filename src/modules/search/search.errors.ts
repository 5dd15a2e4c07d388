import { invalid } from '../../kernel/errors.js';

export const FEWEST = 3;
export const MOST = 100;

/** Errors of the search (reference/campaigns#search-box). */
export const searchErrors = {
  tooShort: invalid(
    'search_too_short',
    `q must have at least ${FEWEST} characters`,
    'shorter, not counting spaces around it',
  ),
};
