import { Query } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { CampaignRecord, ChannelName, DeliveryRecord, RecordSelection } from '../../campaigns/index.js';

/** Who asks: `account` when a valid token came along. */
export interface ReportViewer {
  accountId: number | null;
  /** staff, who see every account's reports that only owners see */
  desk?: boolean;
}

/** A report whose head is read and whose records come in chunks, each read when it is asked for. */
export interface OpenReport {
  campaign: CampaignRecord;
  account: Account;
  /** of the whole campaign, whatever the selection (decisions §7) */
  statusCounts: Record<string, number>;
  /** in the order of the contacts, a few thousand at a time */
  records: AsyncIterable<DeliveryRecord[]>;
}

/**
 * Opens the delivery report of one campaign. `anyone`: knowing the request id is enough, unless the account or the
 * operator demands its token (decisions §4); `owner`: only the campaign's account, and staff.
 * @throws AppError not_found `Report not found`: no such campaign on this channel, or not for this viewer
 */
export class OpenReportQuery extends Query<OpenReport> {
  constructor(
    readonly channel: ChannelName,
    readonly requestId: string,
    readonly access: 'anyone' | 'owner',
    readonly viewer: ReportViewer,
    readonly selection: RecordSelection,
  ) {
    super();
  }
}
