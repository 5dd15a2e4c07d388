import { type DocumentedError, fieldErrors } from '../../kernel/errors.js';
import { valueErrors } from '../../platform/http/index.js';
import {
  accountErrors,
  NUMBER_CHECKS,
  passwordErrors,
  proofErrors,
  RELEASABLE_FIELDS,
  USER_TYPES,
} from '../accounts/index.js';
import { rateErrors } from '../rates/index.js';
import { routingErrors } from '../routing/index.js';

export const MANAGER_ERRORS: readonly DocumentedError[] = [accountErrors.permissionDenied];

/** A reseller cannot change a client that staff closed. */
export const CLOSED_BY_STAFF: DocumentedError = accountErrors.closedByStaff;

export const ACCOUNT_ERRORS: readonly DocumentedError[] = [...MANAGER_ERRORS, accountErrors.notFound];

const SHORT_PASSWORD = passwordErrors.short.because('and the other rules of registration');
const UNKNOWN_TYPE = fieldErrors.noWord.shown('user_type', USER_TYPES).because('another word');
const DATES: readonly DocumentedError[] = [
  fieldErrors.invalid.shown('time_zone').because('not an IANA name'),
  fieldErrors.invalid.shown('expires_at').because('not a date'),
];
const PARENT: readonly DocumentedError[] = [
  fieldErrors.invalid.shown('parent_username').because('no such account'),
  accountErrors.noManager,
];

export const CREATE_ACCOUNT_ERRORS: readonly DocumentedError[] = [
  ...MANAGER_ERRORS,
  fieldErrors.required.shown('username').because('likewise password, firstname, lastname'),
  UNKNOWN_TYPE,
  fieldErrors.noFlag.shown('is_active').because('something else'),
  SHORT_PASSWORD,
  fieldErrors.tooLong.shown('firstname', 100).because('likewise lastname'),
  fieldErrors.invalid.shown('email').because('not an address'),
  ...DATES,
  fieldErrors.invalid.shown('country').because('not an ISO 3166 code of two capital letters'),
  accountErrors.taken.email,
  fieldErrors.invalid.shown('username').because('not 3 to 64 of A-Z a-z 0-9 . _ -'),
  accountErrors.taken.username,
  fieldErrors.invalid.shown('mobile_no').because('no digits, or more than 30'),
  accountErrors.taken.mobile,
  ...PARENT,
  ...proofErrors('to make an account of staff'),
  accountErrors.directoryAway,
];

export const CHANGE_ACCOUNT_ERRORS: readonly DocumentedError[] = [
  ...ACCOUNT_ERRORS,
  accountErrors.permissionDenied.because(
    'a setting without reseller_settings; a person, for the password of the account that it acts for',
  ),
  accountErrors.forbidden.because(
    'one’s own user_type, the last super, staff without being super; rate_plan, allowed_routes or released_fields by a reseller',
  ),
  CLOSED_BY_STAFF,
  accountErrors.setByStaff.shown('time_zone').because('a reseller, for a field that staff set'),
  accountErrors.staffOnly.shown('refund_failed').because('a reseller; likewise each `require_*`'),
  fieldErrors.noFlag.shown('is_active').because('likewise the other switches'),
  UNKNOWN_TYPE,
  valueErrors.noTexts.shown('allowed_routes').because('likewise released_fields'),
  fieldErrors.noWord.shown('released_fields', RELEASABLE_FIELDS).because('a name that no field has'),
  routingErrors.tooManyAllowed,
  routingErrors.unknownRoutes.shown('carrier-9').because('of allowed_routes'),
  fieldErrors.noWord.shown('number_check', NUMBER_CHECKS).because('another word'),
  fieldErrors.invalid.shown('country').because('not an ISO 3166 code of two capital letters'),
  valueErrors.noFlags.shown('permissions'),
  fieldErrors.invalid.shown('permissions.flying').because('an unknown permission'),
  ...PARENT,
  accountErrors.parentCircle,
  accountErrors.hasClients,
  ...DATES,
  rateErrors.unknown,
  SHORT_PASSWORD,
  ...proofErrors('in a change of an account of staff, or to one'),
];
