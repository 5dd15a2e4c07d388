import { dateTime } from '../../../kernel/clock.js';
import type { ProfileChannel, ProfileRequest, ProfileStatus } from '../domain/profile-request.js';

/** A profile request as its owner sees it: exactly the seven fields of reference/profile-requests#profile-request. */
export interface ProfileRequestView {
  id: number;
  username: string;
  verified_name: string;
  number: string | null;
  numberForOTP: string;
  status: ProfileStatus;
  channel: ProfileChannel;
}

/** A profile request as the desk sees it. */
export interface ReviewedProfileRequest extends ProfileRequestView {
  /** 1 at first, one more with each change of the owner's */
  revision: number;
  created_at: string;
  updated_at: string;
}

export const profileRequestView = (request: ProfileRequest, username: string): ProfileRequestView => ({
  id: request.id,
  username,
  verified_name: request.verifiedName,
  number: request.number,
  numberForOTP: request.numberForOtp,
  status: request.status,
  channel: request.channel,
});

export const reviewedProfileRequest = (
  request: ProfileRequest,
  username: string,
  timeZone: string,
): ReviewedProfileRequest => ({
  ...profileRequestView(request, username),
  revision: request.revision,
  created_at: dateTime(request.createdAt, timeZone),
  updated_at: dateTime(request.updatedAt, timeZone),
});
