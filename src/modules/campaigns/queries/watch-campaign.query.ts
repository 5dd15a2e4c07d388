import { Query } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import type { ProgressListener } from '../progress/progress-feed.js';

/** Begins to listen; answers how to stop. May be asked once. */
export type Follow = (listener: Omit<ProgressListener, 'accountId'>) => () => void;

/**
 * Follows how a campaign goes on.
 * @throws AppError not_found `Campaign not found`; when following begins, too_many with too many streams
 */
export class WatchCampaign extends Query<Follow> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
  ) {
    super();
  }
}
