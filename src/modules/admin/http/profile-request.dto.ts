import { AnswerOf, OptionalRevision, OptionalText, PageOf, RequiredWord } from '../../../platform/http/index.js';
import {
  LONGEST_REASON,
  PROCESSING_STATUSES,
  type ProcessingStatus,
  ReviewedProfileRequestData,
} from '../../profile-requests/index.js';

/** Body of a decision (reference/admin#profile-requests). */
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
