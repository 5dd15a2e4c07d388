import { AnswerOf, OptionalRevision, OptionalText, PageOf } from '../../../platform/http/index.js';
import { ReviewedSenderIdData } from '../../sender-ids/index.js';

/** Body of a decision (reference/admin#sender-ids). */
export class SenderIdVerdict {
  @OptionalText('reason', { example: 'Not the name of your company' })
  reason?: string | null;

  @OptionalRevision()
  revision?: number | null;
}

export class ReviewedSenderIdPageAnswer extends PageOf(ReviewedSenderIdData) {}

export class MovedSenderIdAnswer extends AnswerOf(ReviewedSenderIdData) {}
