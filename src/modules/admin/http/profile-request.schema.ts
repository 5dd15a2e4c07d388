import { ApiProperty } from '@nestjs/swagger';
import {
  AnswerOf,
  type ErrorRow,
  OptionalRevision,
  PageOf,
  RequiredWord,
  REVISION_ROWS,
} from '../../../platform/http/index.js';
import {
  PROCESSING_STATUSES,
  type ProcessingStatus,
  PROFILE_STATUSES,
  ProfileRequestData,
  type ReviewedProfileRequest,
} from '../../profile-requests/index.js';
import { ADMIN_ERRORS } from './admin.errors.js';

/** Body of the desk's move (reference/admin#profile-requests). */
export class ProcessProfileRequest {
  @RequiredWord('status', PROCESSING_STATUSES, 'completed')
  status!: ProcessingStatus;

  @OptionalRevision()
  revision?: number | null;
}

/** A profile request as the desk sees it. */
export class ReviewedProfileRequestData extends ProfileRequestData implements ReviewedProfileRequest {
  @ApiProperty({ example: 1, description: 'One more with each change of the owner; a verdict names it' })
  revision!: number;

  @ApiProperty({ example: '2026-11-21 09:30:00' })
  created_at!: string;

  @ApiProperty({ example: '2026-11-21 09:30:00' })
  updated_at!: string;
}

export class ReviewedProfileRequestPageAnswer extends PageOf(ReviewedProfileRequestData) {}

export class ProcessedProfileRequestAnswer extends AnswerOf(ReviewedProfileRequestData) {}

export const STATUS_TEXT = `status must be one of: ${PROFILE_STATUSES.join(', ')}`;

export const LIST_PROFILE_REQUESTS_ERRORS: ErrorRow[] = [
  ...ADMIN_ERRORS,
  { status: 400, message: STATUS_TEXT, reason: 'another word' },
];

export const PROCESS_PROFILE_REQUEST_ERRORS: ErrorRow[] = [
  ...ADMIN_ERRORS,
  { status: 400, message: `status must be one of: ${PROCESSING_STATUSES.join(', ')}`, reason: 'another word' },
  { status: 404, message: 'Profile request not found', reason: 'no such request' },
  { status: 409, message: 'Profile request is already completed', reason: 'its state does not allow the move' },
  ...REVISION_ROWS,
];
