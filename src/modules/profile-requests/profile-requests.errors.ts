import {
  conflict,
  type DefinedError,
  type DocumentedError,
  invalid,
  notFound,
  atMost,
  fieldErrors,
} from '../../kernel/errors.js';
import { chatAccountErrors } from '../providers/index.js';
import {
  LONGEST_NAME,
  PROFILE_STATUSES,
  type ProfileChannel,
  type ProfileFault,
  type ProfileStatus,
} from './profile-request.js';

/** Faults of a body, in the order of validation. */
export const profileFaults: Readonly<Record<ProfileFault, DefinedError>> = {
  verifiedName: invalid('verified_name_required', fieldErrors.required.shown('verified_name').text, 'missing or empty'),
  verifiedNameTooLong: invalid(
    'verified_name_too_long',
    fieldErrors.tooLong.shown('verified_name', LONGEST_NAME).text,
    'too long',
  ),
  number: invalid('number_invalid', fieldErrors.invalid.shown('number').text, 'no text, or over 32 characters'),
  numberForOtp: invalid(
    'number_for_otp_invalid',
    fieldErrors.invalid.shown('numberForOTP').text,
    'no text, or over 32 characters',
  ),
  channel: invalid('profile_channel', chatAccountErrors.channel.text, 'another word'),
};

/** Prefix of messages of the branded channel (reference/profile-requests#create). */
export const prefixOf = (channel: ProfileChannel): string => (channel === 'branded' ? 'Branded ' : '');

export const alreadyText = (channel: ProfileChannel): string =>
  `${prefixOf(channel)}Chat profile request already exists`;

/** Errors of profile requests (reference/profile-requests#create), literal texts. */
export const profileErrors = {
  notFound: notFound('profile_request_unknown', 'Profile request not found', 'no request with that id for the caller'),
  tooMany: invalid(
    'too_many_profile_requests',
    (most: number) => atMost(most, 'profile requests'),
    'PROFILE_REQUESTS_PER_ACCOUNT',
  ).shown(1000),
  notUpdatable: invalid(
    'profile_request_read_only',
    'Can only update pending profile requests',
    'status is not pending',
  ),
  notDeletable: invalid(
    'profile_request_read_only',
    'Can only delete pending profile requests',
    'status is not pending',
  ),
  equalsAnother: conflict('profile_request_exists', alreadyText, 'it would equal another pending request').shown(
    'official',
  ),
  wrongState: conflict(
    'profile_request_state',
    (status: ProfileStatus) => `Profile request is already ${status}`,
    'its state does not allow the move',
  ).shown('completed'),
  unknownStatus: invalid(
    'profile_request_status',
    fieldErrors.noWord.shown('status', PROFILE_STATUSES).text,
    'another word',
  ),
  parentRequired: invalid('parent_username_required', 'parent_username query parameter is required', 'missing'),
  prefixInvalid: invalid('verified_name_invalid', fieldErrors.invalid.shown('verified_name').text, 'given twice'),
};

const { verifiedName, ...otherFaults } = profileFaults;

export const CREATE_ERRORS: readonly DocumentedError[] = [
  verifiedName,
  ...Object.values(otherFaults),
  profileErrors.tooMany,
];

export const CHANGE_ERRORS: readonly DocumentedError[] = [
  profileErrors.notFound,
  profileErrors.notUpdatable,
  verifiedName.because('supplied, but empty'),
  ...Object.values(otherFaults),
  profileErrors.equalsAnother,
];
