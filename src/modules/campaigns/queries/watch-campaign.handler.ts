import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { campaignOf, maySee } from '../campaign-access.js';
import { CampaignReader } from '../persistence/campaign-reader.js';
import { ProgressFeed } from '../progress/progress-feed.js';
import { type Follow, WatchCampaign } from './watch-campaign.query.js';

@QueryHandler(WatchCampaign)
export class WatchCampaignHandler implements IQueryHandler<WatchCampaign> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly feed: ProgressFeed,
  ) {}

  async execute({ actor, requestId, bearer }: WatchCampaign): Promise<Follow> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    const mayLook = async (): Promise<boolean> => {
      const account = await bearer();
      return account !== null && maySee({ ...actor, account }, campaign);
    };
    return (listener) => this.feed.follow(campaign.id, { accountId: actor.account.id, mayLook, ...listener });
  }
}
