import { OptionalRevision } from '../../../platform/http/index.js';

/** Body of an approval or a rejection. */
export class DecisionRequest {
  @OptionalRevision()
  revision?: number | null;
}
