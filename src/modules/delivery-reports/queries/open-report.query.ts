import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { readAhead } from '../../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { ReadDatabase } from '../../../platform/database/index.js';
import { type Account, AccountDirectory, isClosedToOthers } from '../../accounts/index.js';
import {
  campaignIn,
  type CampaignRecord,
  type Channel,
  type RecordSelection,
  statusCounts,
  statusesOf,
} from '../../engine/index.js';
import type { AppError } from '../../../kernel/app-error.js';
import { isRequestId } from '../../../kernel/request-id.js';
import { reportErrors } from '../delivery-reports.errors.js';
import { RecordText, REPORT_COLUMNS, type ReportRow } from '../record-text.js';

/** Who asks: `account` when a valid token came along. */
export interface ReportViewer {
  accountId: number | null;
  /** staff, who see every account's reports that only owners see */
  isStaff?: boolean;
}

/** A report whose head is read and whose records come in chunks, each read when it is asked for. */
export interface OpenReport {
  campaign: CampaignRecord;
  account: Account;
  /** of the whole campaign, whatever the selection (reference/delivery-reports#selection) */
  statusCounts: Record<string, number>;
  /** JSON of a few thousand records at a time, separated by commas, in the order of the contacts */
  records: AsyncIterable<string>;
}

/**
 * Opens the delivery report of one campaign. `anyone`: knowing the request id is enough, unless the account or the
 * operator demands its token (reference/authentication#open-routes); `owner`: only the campaign's account, and staff.
 * @throws AppError not_found `Report not found`: no such campaign on this channel, or not for this viewer
 */
export class OpenReportQuery extends Query<OpenReport> {
  constructor(
    readonly channel: Channel,
    readonly requestId: string,
    readonly access: 'anyone' | 'owner',
    readonly viewer: ReportViewer,
    readonly selection: RecordSelection,
  ) {
    super();
  }
}

/** Finds the campaign, judges whether the viewer may see it, and reads the counters. */
@QueryHandler(OpenReportQuery)
export class OpenReportHandler implements IQueryHandler<OpenReportQuery> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly accounts: AccountDirectory,
    private readonly reads: ReadDatabase,
  ) {}

  async execute({ channel, requestId, access, viewer, selection }: OpenReportQuery): Promise<OpenReport> {
    const notFound = (): AppError => notFoundOf(channel, requestId);
    if (!isRequestId(requestId)) throw notFound();
    const { campaign, reader } = await campaignIn(await this.reads.session(), requestId);
    if (campaign?.channel !== channel.name) throw notFound();
    const account = await this.accounts.byId(campaign.accountId);
    if (!account) throw notFound();
    const open = access === 'owner' ? viewer.isStaff === true : !this.isClosed(account);
    if (viewer.accountId !== account.id && !open) throw notFound();
    const statuses = selection.status === undefined ? undefined : statusesOf(channel, selection.status);
    const rows = reader.chunks<ReportRow>(campaign.id, REPORT_COLUMNS, statuses, selection.page);
    return {
      campaign,
      account,
      statusCounts: statusCounts(channel, await reader.counts(campaign.id)),
      records: textsOf(new RecordText(channel, requestId), readAhead(rows)),
    };
  }

  private isClosed(account: Account): boolean {
    return isClosedToOthers(account) || this.environment.PROTECT_REPORTS;
  }
}

/** Ids that the channels make, and where the report of such a campaign is. */
const ID_FORMS = [
  { form: /^GSMCAMP_\d{8}_/, channel: 'sms', error: reportErrors.smsId },
  { form: /^VCAMP_\d{8}_/, channel: 'voice', error: reportErrors.voiceId },
  { form: /^(WCAMP|CHATCAMP)_\d{8}_/, channel: null, error: reportErrors.chatId },
];

/** Goes by the form of the id alone, so that it tells nothing of whether there is such a campaign. */
function notFoundOf(channel: Channel, requestId: string): AppError {
  const other = ID_FORMS.find((known) => known.channel !== channel.name && known.form.test(requestId));
  return (other?.error ?? reportErrors.notFound)();
}

async function* textsOf(text: RecordText, chunks: AsyncIterable<ReportRow[]>): AsyncGenerator<string, void, undefined> {
  for await (const rows of chunks) yield text.of(rows);
}
