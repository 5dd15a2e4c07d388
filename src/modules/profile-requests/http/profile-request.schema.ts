import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  LONGEST_NAME,
  PROFILE_CHANNELS,
  PROFILE_STATUSES,
  type ProfileChannel,
  type ProfileStatus,
} from '../domain/profile-request.js';
import type { PublicProfileRequest } from '../queries/look-up-profile-requests.query.js';
import type { ProfileRequestView } from '../queries/profile-request.view.js';

const number = { type: String, nullable: true, maxLength: 32 };

/** Fields of a change; absent ones stay. */
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

/** Body of a new request. */
export class ProfileBody extends ProfileChangesBody {
  @ApiProperty({ example: 'Acme Foods', maxLength: LONGEST_NAME, description: 'Display name to verify' })
  declare verified_name: string;
}

/** A profile request (reference/profile-requests#profile-request). */
export class ProfileRequestData implements ProfileRequestView {
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

export class ProfileRequestsAnswer {
  @ApiProperty({ example: 'Profile requests fetched successfully' })
  message!: string;

  @ApiProperty({ type: [ProfileRequestData] })
  data!: ProfileRequestView[];
}

export class CreatedProfileRequestAnswer {
  @ApiProperty({ example: 'Chat profile request created successfully' })
  message!: string;

  @ApiProperty({ type: ProfileRequestData })
  data!: ProfileRequestView;
}

export class DuplicateProfileRequestAnswer {
  @ApiProperty({ example: 'Chat profile request already exists' })
  message!: string;

  @ApiProperty({ type: ProfileRequestData })
  data!: ProfileRequestView;

  @ApiProperty({ enum: [true] })
  duplicate!: true;
}

export class ProfileMessageAnswer {
  @ApiProperty({ example: 'Profile request updated successfully' })
  message!: string;
}

/** A branded request in the public look-up (reference/profile-requests#public-look-up). */
export class PublicProfileRequestData implements PublicProfileRequest {
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
  data!: PublicProfileRequest[];
}
