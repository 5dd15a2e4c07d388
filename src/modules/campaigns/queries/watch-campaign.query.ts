import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account, Actor } from '../../accounts/index.js';
import { CampaignReader } from '../../engine/index.js';
import { campaignOf, maySee } from '../campaign-access.js';
import { ProgressFeed, type ProgressListener } from '../progress/progress-feed.js';

/** Begins to listen; answers how to stop. May be asked once. */
export type Follow = (listener: Omit<ProgressListener, 'accountId' | 'mayLook'>) => () => void;

/**
 * Follows how a campaign goes on.
 * @throws AppError not_found `Campaign not found`; when following begins, too_many with too many streams
 */
export class WatchCampaignQuery extends Query<Follow> {
  /** @param bearer the account that the token or key of the request stands for, asked again while it follows */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly bearer: () => Promise<Account | null>,
  ) {
    super();
  }
}

@QueryHandler(WatchCampaignQuery)
export class WatchCampaignHandler implements IQueryHandler<WatchCampaignQuery> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly feed: ProgressFeed,
  ) {}

  async execute({ actor, requestId, bearer }: WatchCampaignQuery): Promise<Follow> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    const mayLook = async (): Promise<boolean> => {
      const account = await bearer();
      return account !== null && maySee({ ...actor, account }, campaign);
    };
    return (listener) => this.feed.follow(campaign.id, { accountId: actor.account.id, mayLook, ...listener });
  }
}
