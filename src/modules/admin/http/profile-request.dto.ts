import { AnswerOf, OptionalRevision, PageOf, RequiredWord } from '../../../platform/http/index.js';
import {
  PROCESSING_STATUSES,
  type ProcessingStatus,
  ReviewedProfileRequestData,
} from '../../profile-requests/index.js';

/** Body of a decision (reference/admin#profile-requests). */
export class ProcessProfileRequest {
  @RequiredWord('status', PROCESSING_STATUSES, 'completed')
  status!: ProcessingStatus;

  @OptionalRevision()
  revision?: number | null;
}

export class ReviewedProfileRequestPageAnswer extends PageOf(ReviewedProfileRequestData) {}

export class ProcessedProfileRequestAnswer extends AnswerOf(ReviewedProfileRequestData) {}
