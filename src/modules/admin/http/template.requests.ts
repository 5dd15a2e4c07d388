import { OptionalRevision, OptionalText } from '../../../platform/http/index.js';

/** Body of the desk's moves of a template (reference/admin#templates). */
export class ReviewRequest {
  @OptionalText('reason', { example: 'The sample is not clear' })
  reason?: string | null;

  @OptionalRevision()
  revision?: number | null;
}
