import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { dateTime, namedDateTime } from '../../kernel/clock.js';
import {
  AnswerOf,
  LocalTime,
  OptionalRevision,
  OptionalText,
  PageOf,
  RequiredWord,
} from '../../platform/http/index.js';
import {
  LONGEST_NAME,
  LONGEST_REASON,
  PROCESSING_STATUSES,
  type ProcessingStatus,
  PROFILE_CHANNELS,
  PROFILE_STATUSES,
  type ProfileChannel,
  type ProfileRequest,
  type ProfileStatus,
} from './profile-request.js';

const number = { type: String, nullable: true, maxLength: 32 };

export class ProfileChangesBody {
  @ApiPropertyOptional({ example: 'Acme Foods', maxLength: LONGEST_NAME, description: 'Display name to verify' })
  verified_name?: string;

  @ApiPropertyOptional({ ...number, example: '4915112345678', description: 'Business number; empty: none' })
  number?: string | null;

  @ApiPropertyOptional({ ...number, example: '4915187654321', description: 'Number that receives the OTP' })
  numberForOTP?: string | null;

  @ApiPropertyOptional({ enum: [...PROFILE_CHANNELS], example: 'official' })
  channel?: ProfileChannel;
}

export class ProfileBody extends ProfileChangesBody {
  @ApiProperty({ example: 'Acme Foods', maxLength: LONGEST_NAME, description: 'Display name to verify' })
  declare verified_name: string;
}

/** For the owner: exactly the seven fields of reference/profile-requests#profile-request. */
export class ProfileRequestData {
  @ApiProperty({ type: 'integer', example: 12 })
  id!: number;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: 'Acme Foods' })
  verified_name!: string;

  @ApiProperty({ type: String, nullable: true, example: '4915112345678' })
  number!: string | null;

  @ApiProperty({ example: '4915187654321', description: 'Empty when none was given' })
  numberForOTP!: string;

  @ApiProperty({ enum: [...PROFILE_STATUSES], example: 'pending' })
  status!: ProfileStatus;

  @ApiProperty({ enum: [...PROFILE_CHANNELS], example: 'official' })
  channel!: ProfileChannel;
}

export class ProfileRequestDetail extends ProfileRequestData {
  @ApiProperty({ type: String, nullable: true, example: null, description: 'What staff gave with their decision' })
  reason!: string | null;

  @LocalTime()
  created_at!: string;

  @LocalTime()
  updated_at!: string;
}

export class ReviewedProfileRequestData extends ProfileRequestDetail {
  @ApiProperty({ example: 1, description: 'One more with each change of the owner; a verdict names it' })
  revision!: number;
}

export class ProfileRequestDetailAnswer {
  @ApiProperty({ example: 'Profile request fetched successfully' })
  message!: string;

  @ApiProperty({ type: ProfileRequestDetail })
  data!: ProfileRequestDetail;
}

export class ProfileRequestsAnswer {
  @ApiProperty({ example: 'Profile requests fetched successfully' })
  message!: string;

  @ApiProperty({ type: [ProfileRequestData] })
  data!: ProfileRequestData[];
}

export class CreatedProfileRequestAnswer {
  @ApiProperty({ example: 'Chat profile request created successfully' })
  message!: string;

  @ApiProperty({ type: ProfileRequestData })
  data!: ProfileRequestData;
}

export class DuplicateProfileRequestAnswer {
  @ApiProperty({ example: 'Chat profile request already exists' })
  message!: string;

  @ApiProperty({ type: ProfileRequestData })
  data!: ProfileRequestData;

  @ApiProperty({ enum: [true] })
  duplicate!: true;
}

export class ProfileMessageAnswer {
  @ApiProperty({ example: 'Profile request updated successfully' })
  message!: string;
}

/** The public look-up; keys are literal, misspellings included (reference/profile-requests#public-look-up). */
export class PublicProfileRequestData {
  @ApiProperty({ example: 'jane.doe' })
  Username!: string;

  @ApiProperty({ example: 'Acme Foods' })
  'Display Name'!: string;

  @ApiProperty({ type: String, nullable: true, example: '4915112345678' })
  Number!: string | null;

  @ApiProperty({ example: '4915187654321' })
  'Bussiness Number'!: string;

  @ApiProperty({ enum: [...PROFILE_STATUSES], example: 'pending' })
  'Current Status'!: string;

  @ApiProperty({ example: 'Nov 21, 2026, 09:30 AM' })
  'Created At'!: string;

  @ApiProperty({ example: 'Nov 21, 2026, 09:30 AM' })
  'Updated At'!: string;
}

export class PublicProfileRequestsAnswer {
  @ApiProperty({ example: 'Profile requests fetched successfully' })
  message!: string;

  @ApiProperty({ type: [PublicProfileRequestData] })
  data!: PublicProfileRequestData[];
}

const fieldsOf = (request: ProfileRequest, username: string) => ({
  id: request.id,
  username,
  verified_name: request.verifiedName,
  number: request.number,
  numberForOTP: request.numberForOtp,
  status: request.status,
  channel: request.channel,
});

export const profileRequestData: (request: ProfileRequest, username: string) => ProfileRequestData = fieldsOf;

const detailOf = (request: ProfileRequest, username: string, timeZone: string) => ({
  ...fieldsOf(request, username),
  reason: request.reason,
  created_at: dateTime(request.createdAt, timeZone),
  updated_at: dateTime(request.updatedAt, timeZone),
});

export const profileRequestDetail: (
  request: ProfileRequest,
  username: string,
  timeZone: string,
) => ProfileRequestDetail = detailOf;

export const reviewedProfileRequestData = (
  request: ProfileRequest,
  username: string,
  timeZone: string,
): ReviewedProfileRequestData => ({
  ...detailOf(request, username, timeZone),
  revision: request.revision,
});

export const publicProfileRequestData = (
  request: ProfileRequest & { username: string },
  timeZone: string,
): PublicProfileRequestData => ({
  Username: request.username,
  'Display Name': request.verifiedName,
  Number: request.number,
  'Bussiness Number': request.numberForOtp,
  'Current Status': request.status,
  'Created At': namedDateTime(request.createdAt, timeZone),
  'Updated At': namedDateTime(request.updatedAt, timeZone),
});

export class ProcessProfileRequest {
  @RequiredWord('status', PROCESSING_STATUSES, 'completed')
  status!: ProcessingStatus;

  @OptionalText('reason', { maxLength: LONGEST_REASON, example: 'The name is not that of your company' })
  reason?: string | null;

  @OptionalRevision()
  revision?: number | null;
}

export class ReviewedProfileRequestPageAnswer extends PageOf(ReviewedProfileRequestData) {}

export class ProcessedProfileRequestAnswer extends AnswerOf(ReviewedProfileRequestData) {}
