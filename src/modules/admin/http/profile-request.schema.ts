import { ApiProperty } from '@nestjs/swagger';
import { AnswerOf, OptionalRevision, PageOf, RequiredWord } from '../../../platform/http/index.js';
import {
  PROCESSING_STATUSES,
  type ProcessingStatus,
  ProfileRequestData,
  type ReviewedProfileRequest,
} from '../../profile-requests/index.js';

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
