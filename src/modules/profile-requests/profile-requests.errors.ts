import { AppError } from '../../kernel/app-error.js';
import { LONGEST_NAME, type ProfileChannel, type ProfileFault, type ProfileStatus } from './domain/profile-request.js';

const invalid = (code: string, text: string): AppError => new AppError('invalid', code, text);

const FAULTS: Record<ProfileFault, () => AppError> = {
  verifiedName: () => invalid('verified_name_required', 'verified_name is required'),
  verifiedNameTooLong: () =>
    invalid('verified_name_too_long', `verified_name must be at most ${LONGEST_NAME} characters`),
  number: () => invalid('number_invalid', 'number is invalid'),
  numberForOtp: () => invalid('number_for_otp_invalid', 'numberForOTP is invalid'),
  channel: () => invalid('profile_channel', 'channel must be official or branded'),
};

/** What a message begins with on the branded channel (reference/profile-requests#create). */
export const prefixOf = (channel: ProfileChannel): string => (channel === 'branded' ? 'Branded ' : '');

/** Text of a request that is there already (reference/profile-requests#create). */
export const alreadyText = (channel: ProfileChannel): string =>
  `${prefixOf(channel)}Chat profile request already exists`;

/** Errors of profile requests (reference/profile-requests#create), literally. */
export const profileErrors = {
  fault: (fault: ProfileFault) => FAULTS[fault](),
  notFound: () => new AppError('not_found', 'profile_request_unknown', 'Profile request not found'),
  tooMany: (most: number) => invalid('too_many_profile_requests', `At most ${most} profile requests are allowed`),
  notUpdatable: () => invalid('profile_request_read_only', 'Can only update pending profile requests'),
  notDeletable: () => invalid('profile_request_read_only', 'Can only delete pending profile requests'),
  equalsAnother: (channel: ProfileChannel) => new AppError('conflict', 'profile_request_exists', alreadyText(channel)),
  wrongState: (status: ProfileStatus) =>
    new AppError('conflict', 'profile_request_state', `Profile request is already ${status}`),
  parentRequired: () => invalid('parent_username_required', 'parent_username query parameter is required'),
  prefixInvalid: () => invalid('verified_name_invalid', 'verified_name is invalid'),
};
