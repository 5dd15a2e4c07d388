import { type DocumentedError, fieldErrors } from '../../kernel/errors.js';
import { valueErrors } from '../../platform/http/index.js';
import { tooMany } from '../../platform/security/index.js';
import { MOST_PER_DAY } from './access/api-keys.dto.js';
import { proofErrors } from './authentication/credentials.js';
import { accountErrors } from './domain/account.errors.js';
import { NUMBER_CHECKS } from './domain/account.js';
import { PERSON_ROLES, SCOPES } from './domain/rights.js';
import { passwordErrors, unconfirmed } from './domain/password-rules.js';

const LIKEWISE = 'and the other rules of registration';
const SHORT = passwordErrors.short.because(LIKEWISE);
const { taken } = accountErrors;

export const LOGIN_ERRORS: readonly DocumentedError[] = [
  tooMany.because('too many failed tries in a minute'),
  accountErrors.missingCredentials,
  accountErrors.invalidCredentials,
  accountErrors.inactive,
  accountErrors.expired,
  accountErrors.secondFactorRequired,
  accountErrors.secondFactorInvalid,
];

export const REGISTER_ERRORS: readonly DocumentedError[] = [
  accountErrors.registrationClosed,
  accountErrors.disposableEmail,
  tooMany.because('more than 60 registrations a minute from one address'),
  fieldErrors.required.shown('firstname').because('missing; likewise every required field, in order'),
  ...Object.values(passwordErrors),
  unconfirmed,
  fieldErrors.tooLong.shown('firstname', 100).because('likewise lastname and country'),
  fieldErrors.invalid.shown('country').because('not a text'),
  fieldErrors.invalid.shown('email').because('not an address'),
  taken.email,
  fieldErrors.invalid.shown('username').because('not 3 to 64 of A-Z a-z 0-9 . _ -'),
  taken.username,
  fieldErrors.invalid.shown('mobile_no').because('no digits, or more than 30'),
  taken.mobile,
  accountErrors.directoryAway,
];

export const PASSWORD_ERRORS: readonly DocumentedError[] = [
  fieldErrors.required.shown('current').because('likewise new'),
  valueErrors.noIds.shown('revoke_api_keys').because('likewise revoke_users'),
  fieldErrors.noFlag.shown('revoke_created'),
  accountErrors.missingRight.because('a person who would revoke keys or people'),
  SHORT,
  accountErrors.apiKeyNotFound.because('an id that is not the account’s; nothing is changed'),
  accountErrors.userNotFound.because('likewise'),
  accountErrors.forbidden.because('no super account would be left that is active and has no expiry'),
  tooMany.because('too many wrong passwords in a minute'),
  accountErrors.invalidCredentials.because('the current password is another'),
];

export const NUMBER_CHECK_ERRORS: readonly DocumentedError[] = [
  fieldErrors.noWord.shown('number_check', NUMBER_CHECKS),
  accountErrors.setByStaff.shown('number_check'),
];

export const TIME_ZONE_ERRORS: readonly DocumentedError[] = [
  fieldErrors.required.shown('time_zone'),
  fieldErrors.invalid.shown('time_zone').because('no IANA name'),
  accountErrors.setByStaff.shown('time_zone'),
];

export const NUMBERS_ERRORS: readonly DocumentedError[] = [
  fieldErrors.noWord.shown('number_check', NUMBER_CHECKS),
  fieldErrors.invalid.shown('country').because('not an ISO 3166 code of two capital letters'),
  fieldErrors.noFlag.shown('strict_numbers'),
  accountErrors.setByStaff.shown('country').because('likewise number_check and strict_numbers'),
];

export const CREATE_API_KEY_ERRORS: readonly DocumentedError[] = [
  fieldErrors.invalid.shown('name').because('no text, or over 100 characters'),
  valueErrors.noTexts.shown('allowed_ips').because('likewise scopes'),
  fieldErrors.noWholeNumber.shown('max_per_day', 1, MOST_PER_DAY),
  fieldErrors.noWord.shown('scopes', SCOPES).because('another word, or an empty list'),
  accountErrors.tooManyIpRanges.shown('allowed_ips', 100),
  accountErrors.ipRange.shown('allowed_ips', 0),
  fieldErrors.invalid.shown('expires_at').because('no time, or not in the future'),
  ...proofErrors('by an account of staff'),
  accountErrors.tooManyApiKeys.shown(100),
];

const NAME_ERRORS: readonly DocumentedError[] = [
  fieldErrors.tooLong.shown('firstname', 100).because('likewise lastname'),
  fieldErrors.invalid.shown('email').because('not an address'),
  taken.email,
];

export const CREATE_USER_ERRORS: readonly DocumentedError[] = [
  fieldErrors.required.shown('username').because('likewise password, firstname, lastname'),
  SHORT,
  ...NAME_ERRORS,
  fieldErrors.noWord.shown('role', PERSON_ROLES),
  fieldErrors.invalid.shown('username').because('not 3 to 64 of A-Z a-z 0-9 . _ -'),
  taken.username,
  ...proofErrors('by an account of staff'),
  accountErrors.directoryAway,
  accountErrors.tooManyUsers.shown(1000),
];

const FOR_STAFF = proofErrors('for an account of staff');
const TOO_MANY_LINKS = tooMany.because('more than 60 links an hour of one account');

export const INVITE_ERRORS: readonly DocumentedError[] = [
  fieldErrors.required.shown('username'),
  ...NAME_ERRORS,
  fieldErrors.noWord.shown('role', PERSON_ROLES),
  accountErrors.higherRole,
  fieldErrors.invalid.shown('username').because('not 3 to 64 of A-Z a-z 0-9 . _ -'),
  taken.username,
  ...FOR_STAFF,
  TOO_MANY_LINKS,
  accountErrors.directoryAway,
  accountErrors.tooManyUsers.shown(1000),
];

export const LINK_ERRORS: readonly DocumentedError[] = [
  accountErrors.userNotFound,
  accountErrors.notYourself.because('the own login: change the password instead'),
  ...FOR_STAFF,
  TOO_MANY_LINKS,
];

export const USE_LINK_ERRORS: readonly DocumentedError[] = [
  tooMany.because('too many unknown links from one address'),
  accountErrors.linkInvalid,
  fieldErrors.required.shown('token').because('likewise password, and the names of a person who joins'),
  fieldErrors.tooLong.shown('firstname', 100).because('likewise lastname'),
  SHORT,
];

export const RESET_ERRORS: readonly DocumentedError[] = [
  fieldErrors.required.shown('email_or_username'),
  tooMany.because('too many from one address in a minute, or of one name in an hour'),
];

export const CHANGE_USER_ERRORS: readonly DocumentedError[] = [
  accountErrors.userNotFound,
  fieldErrors.noFlag.shown('is_active').because('something else'),
  fieldErrors.invalid.shown('firstname').because('no text; likewise the others'),
  ...NAME_ERRORS,
  fieldErrors.noWord.shown('role', PERSON_ROLES),
  SHORT,
  ...proofErrors('by an account of staff'),
  accountErrors.directoryAway,
];

export const SECURITY_ERRORS: readonly DocumentedError[] = [
  fieldErrors.noFlag.shown('require_token').because('something else; likewise protect_reports'),
  valueErrors.noTexts.shown('body_username_addresses'),
  accountErrors.tooManyIpRanges.shown('body_username_addresses', 100),
  accountErrors.ipRange.shown('body_username_addresses', 0),
];
