import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, NOTHING_LISTED, type Page } from '../../kernel/lists.js';
import { type Account, AccountDirectory, type Actor } from '../accounts/index.js';
import { assertBegun, campaignOf, CampaignReader, maySee } from './campaign-reader.js';
import { CampaignViews } from './campaign-views.js';
import type { CampaignData, CampaignDetailData, RetryQuoteData } from './campaigns.dto.js';
import { campaignErrors } from './campaigns.errors.js';
import { CampaignList, counted, type WantedCampaigns } from './campaigns.store.js';
import { CampaignRetry } from './retry/campaign-retry.js';
import type { LeftOutKind } from './retry/failed-recipients.store.js';
import { ProgressFeed, type ProgressListener } from './progress-feed.js';
import type { StaffCampaignAnswer } from './staff-campaigns.dto.js';

/** Returns a campaign with all details. @throws AppError not_found `Campaign not found` */
export class GetCampaignQuery extends Query<CampaignDetailData> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
  ) {
    super();
  }
}

@QueryHandler(GetCampaignQuery)
export class GetCampaignHandler implements IQueryHandler<GetCampaignQuery> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly views: CampaignViews,
  ) {}

  async execute({ actor, requestId }: GetCampaignQuery): Promise<CampaignDetailData> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    return this.views.inDetail(await counted(this.reader, campaign));
  }
}

/** What a retry of the failures would send to, and its price. @throws AppError as `RetryFailedCommand`, but for credits */
export class QuoteRetryQuery extends Query<RetryQuoteData> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly include: readonly LeftOutKind[],
  ) {
    super();
  }
}

@QueryHandler(QuoteRetryQuery)
export class QuoteRetryHandler implements IQueryHandler<QuoteRetryQuery> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly retry: CampaignRetry,
  ) {}

  async execute({ actor, requestId, include }: QuoteRetryQuery): Promise<RetryQuoteData> {
    const parent = await campaignOf(this.reader, actor, requestId);
    await assertBegun(this.reader, parent);
    const { total, credits, reasons } = await this.retry.quote(parent, include);
    return { total_rows: total, credits, reasons };
  }
}

/** Lists one account's campaigns, newest first. */
export class ListCampaignsQuery extends Query<Listed<CampaignData>> {
  constructor(
    readonly accountId: number,
    readonly filter: Omit<WantedCampaigns, 'accountId'>,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListCampaignsQuery)
export class ListCampaignsHandler implements IQueryHandler<ListCampaignsQuery> {
  constructor(
    private readonly list: CampaignList,
    private readonly views: CampaignViews,
  ) {}

  async execute(query: ListCampaignsQuery): Promise<Listed<CampaignData>> {
    const filter = { ...query.filter, accountId: query.accountId };
    const listed = await this.list.part(filter, query.page);
    return { ...listed, items: await Promise.all(listed.items.map((counted) => this.views.ofOwner(counted))) };
  }
}

/** Returns any account's campaign for staff. @throws AppError not_found `Campaign not found` */
export class ReviewCampaignQuery extends Query<StaffCampaignAnswer> {
  constructor(
    readonly requestId: string,
    readonly timeZone: string,
  ) {
    super();
  }
}

@QueryHandler(ReviewCampaignQuery)
export class ReviewCampaignHandler implements IQueryHandler<ReviewCampaignQuery> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly views: CampaignViews,
  ) {}

  async execute({ requestId, timeZone }: ReviewCampaignQuery): Promise<StaffCampaignAnswer> {
    const campaign = await this.reader.byRequestId(requestId);
    if (!campaign) throw campaignErrors.notFound();
    return this.views.forStaff(await counted(this.reader, campaign), timeZone);
  }
}

/** Lists the campaigns of all accounts for staff, newest first. */
export class ReviewCampaignsQuery extends Query<Listed<StaffCampaignAnswer>> {
  /** `username`: one account, compared byte for byte; null = all accounts. `timeZone` formats the times. */
  constructor(
    readonly username: string | null,
    readonly filter: Omit<WantedCampaigns, 'accountId'>,
    readonly page: Page,
    readonly timeZone: string,
  ) {
    super();
  }
}

@QueryHandler(ReviewCampaignsQuery)
export class ReviewCampaignsHandler implements IQueryHandler<ReviewCampaignsQuery> {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly list: CampaignList,
    private readonly views: CampaignViews,
  ) {}

  async execute(query: ReviewCampaignsQuery): Promise<Listed<StaffCampaignAnswer>> {
    const owner = query.username === null ? null : await this.accounts.byUsername(query.username);
    if (query.username !== null && !owner) return NOTHING_LISTED;
    const filter = { ...query.filter, ...(owner && { accountId: owner.id }) };
    const listed = await this.list.part(filter, query.page);
    return {
      ...listed,
      items: await Promise.all(listed.items.map((counted) => this.views.forStaff(counted, query.timeZone))),
    };
  }
}

/** Starts following and returns the function that stops it. Call once. */
export type Follow = (listener: Omit<ProgressListener, 'accountId' | 'mayRead'>) => () => void;

/** Follows a campaign's progress. @throws AppError not_found `Campaign not found`; too_many (when following begins) */
export class WatchCampaignQuery extends Query<Follow> {
  /** `bearer`: account of the token or key; its access is checked again during the stream. */
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
    const mayRead = async (): Promise<boolean> => {
      const account = await bearer();
      return account !== null && maySee({ ...actor, account }, campaign);
    };
    return (listener) => this.feed.follow(campaign.id, { accountId: actor.account.id, mayRead, ...listener });
  }
}
