import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { type Account, AccountDirectory } from '../../accounts/index.js';
import {
  CampaignReader,
  type Channel,
  ChannelRegistry,
  type DeliveryRecord,
  deliveryRecord,
  recipientBatches,
  type RecipientRecord,
  statusCounts,
  statusesOf,
} from '../../campaigns/index.js';
import { reportErrors } from '../delivery-reports.errors.js';
import { type OpenReport, OpenReportQuery } from './open-report.query.js';

/** What a request id can be at all (decisions §5); anything else is not worth a look into the database. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;

/** Finds the campaign, judges whether the viewer may see it, and reads the counters. */
@QueryHandler(OpenReportQuery)
export class OpenReportHandler implements IQueryHandler<OpenReportQuery> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly accounts: AccountDirectory,
    private readonly campaigns: CampaignReader,
    private readonly channels: ChannelRegistry,
  ) {}

  async execute({ channel: name, requestId, access, viewer, selection }: OpenReportQuery): Promise<OpenReport> {
    const campaign = REQUEST_ID.test(requestId) ? await this.campaigns.byRequestId(requestId) : null;
    if (campaign?.channel !== name) throw reportErrors.notFound();
    const account = await this.accounts.byId(campaign.accountId);
    if (!account) throw reportErrors.notFound();
    const open = access === 'owner' ? viewer.desk === true : !this.isClosed(account);
    if (viewer.accountId !== account.id && !open) throw reportErrors.notFound();
    const channel = this.channels.get(name);
    const statuses = selection.status === undefined ? undefined : statusesOf(channel, selection.status);
    return {
      campaign,
      account,
      statusCounts: statusCounts(channel, await this.campaigns.counts(campaign.id)),
      records: inWords(channel, requestId, recipientBatches(this.campaigns, campaign.id, statuses, selection.page)),
    };
  }

  private isClosed(account: Account): boolean {
    return account.requireToken || this.environment.PROTECT_REPORTS;
  }
}

async function* inWords(
  channel: Channel,
  requestId: string,
  batches: AsyncIterable<RecipientRecord[]>,
): AsyncGenerator<DeliveryRecord[], void, undefined> {
  for await (const batch of batches) yield batch.map((recipient) => deliveryRecord(channel, requestId, recipient));
}
