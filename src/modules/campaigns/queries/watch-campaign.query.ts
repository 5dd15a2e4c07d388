import { Query } from '@nestjs/cqrs';
import type { Account, Actor } from '../../accounts/index.js';
import type { ProgressListener } from '../progress/progress-feed.js';

/** Begins to listen; answers how to stop. May be asked once. */
export type Follow = (listener: Omit<ProgressListener, 'accountId' | 'mayLook'>) => () => void;

/**
 * Follows how a campaign goes on.
 * @throws AppError not_found `Campaign not found`; when following begins, too_many with too many streams
 */
export class WatchCampaign extends Query<Follow> {
  /** @param bearer whom the token or key of the request lets act, asked again while he follows */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly bearer: () => Promise<Account | null>,
  ) {
    super();
  }
}
