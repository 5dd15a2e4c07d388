import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { AppError } from '../../kernel/errors.js';
import { isRequestId } from '../../kernel/ids.js';
import { readAhead } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { ReadDatabase } from '../../platform/database/index.js';
import { type Account, AccountDirectory, isClosedToOthers } from '../accounts/index.js';
import {
  campaignIn,
  type CampaignRecord,
  type Channel,
  deliveryRecord,
  type RecipientRecord,
  type RecipientStatus,
  type RecordSelection,
  statusCounts,
  statusesOf,
} from '../engine/index.js';
import { reportErrors } from './delivery-reports.errors.js';

/** What a report reads of a recipient. */
export type ReportRow = readonly [
  seq: number,
  receiver: string,
  status: RecipientStatus,
  errorCode: number | null,
  errorMessage: string | null,
  duration: number | null,
];

/** The columns of a `ReportRow` behind `seq`. */
const REPORT_COLUMNS = 'receiver, status, error_code, error_message, duration';

/** Stands for the receiver in a record that is cut in two around it. */
const RECEIVER = '"receiver":"#"';
/** What JSON writes as it is. */
const PLAIN = /^[\w.+-]*$/;
/** Different ends of records that are kept; what a campaign of odd errors has beyond is made for each record. */
const MOST_KEPT = 2_000;

/**
 * Delivery records as JSON: the bytes of `JSON.stringify(deliveryRecord(…))`. Of most recipients everything but the number
 * is the same, so it is written once for each outcome and put together.
 */
export class RecordText {
  private readonly before: string;
  private readonly ofStatus: (string | undefined)[] = [];
  private readonly ofOutcome = new Map<string, string>();

  constructor(
    private readonly channel: Channel,
    private readonly requestId: string,
  ) {
    this.before = `${this.whole(0, null, null, null)[0]}"receiver":`;
  }

  /** @returns the records, separated by commas */
  of(rows: readonly ReportRow[]): string {
    let text = '';
    for (const [, receiver, status, errorCode, errorMessage, duration] of rows) {
      const number = PLAIN.test(receiver) ? `"${receiver}"` : JSON.stringify(receiver);
      const separator = text === '' ? this.before : `,${this.before}`;
      text += separator + number + this.after(status, errorCode, errorMessage, duration);
    }
    return text;
  }

  /** A record from behind its receiver on. */
  private after(
    status: RecipientStatus,
    errorCode: number | null,
    errorMessage: string | null,
    duration: number | null,
  ): string {
    if (errorCode === null && errorMessage === null && duration === null) {
      return (this.ofStatus[status] ??= this.whole(status, null, null, null)[1]);
    }
    const key = `${status} ${errorCode} ${duration}${errorMessage === null ? '' : ` ${errorMessage}`}`;
    const known = this.ofOutcome.get(key);
    if (known !== undefined) return known;
    const [, after] = this.whole(status, errorCode, errorMessage, duration);
    if (this.ofOutcome.size < MOST_KEPT) this.ofOutcome.set(key, after);
    return after;
  }

  private whole(...[status, errorCode, errorMessage, duration]: Outcome): [before: string, after: string] {
    const recipient = { number: '#', status, errorCode, errorMessage, duration };
    const text = JSON.stringify(deliveryRecord(this.channel, this.requestId, recipient));
    const at = text.indexOf(RECEIVER);
    return [text.slice(0, at), text.slice(at + RECEIVER.length)];
  }
}

type Outcome = [
  status: RecipientRecord['status'],
  errorCode: RecipientRecord['errorCode'],
  errorMessage: RecipientRecord['errorMessage'],
  duration: RecipientRecord['duration'],
];

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
