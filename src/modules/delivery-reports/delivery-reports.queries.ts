import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { AppError } from '../../kernel/errors.js';
import { isRequestId } from '../../kernel/ids.js';
import { readAhead } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { ReadDatabase } from '../../platform/database/index.js';
import { type Account, AccountDirectory, isClosedToOthers } from '../accounts/index.js';
import {
  type CampaignRecord,
  type Channel,
  type RecipientRecord,
  type RecipientStatus,
  StatusLabels,
} from '../engine/index.js';
import { reportErrors } from './delivery-reports.errors.js';
import { campaignIn, type RecordSelection } from '../campaigns/index.js';

export type ReportRow = readonly [
  seq: number,
  receiver: string,
  status: RecipientStatus,
  errorCode: number | null,
  errorMessage: string | null,
  duration: number | null,
];

/** Columns of a `ReportRow` after `seq`. */
const REPORT_COLUMNS = 'receiver, status, error_code, error_message, duration';

/** Placeholder of the receiver, where a record is split. */
const RECEIVER = '"receiver":"#"';
/** Texts that JSON does not escape. */
const PLAIN = /^[\w.+-]*$/;
/** Limit of cached record ends; others are built per record. */
const MOST_KEPT = 2_000;

/** Delivery records as `JSON.stringify` writes them; caches the text per outcome, since mostly the number differs. */
export class RecordText {
  private readonly labels: StatusLabels;
  private readonly before: string;
  private readonly ofStatus: (string | undefined)[] = [];
  private readonly ofOutcome = new Map<string, string>();

  constructor(
    channel: Channel,
    private readonly requestId: string,
  ) {
    this.labels = new StatusLabels(channel);
    this.before = `${this.whole(0, null, null, null)[0]}"receiver":`;
  }

  of(rows: readonly ReportRow[]): string {
    let text = '';
    for (const [, receiver, status, errorCode, errorMessage, duration] of rows) {
      const number = PLAIN.test(receiver) ? `"${receiver}"` : JSON.stringify(receiver);
      const separator = text === '' ? this.before : `,${this.before}`;
      text += separator + number + this.after(status, errorCode, errorMessage, duration);
    }
    return text;
  }

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
    const text = JSON.stringify(this.labels.deliveryRecord(this.requestId, recipient));
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

/** `accountId` comes from a valid token. */
export interface ReportViewer {
  accountId: number | null;
  isStaff?: boolean;
  /** true = a test key, which sees tests only */
  testsOnly?: boolean;
}

/** A report whose records are read in chunks on demand. */
export interface OpenReport {
  campaign: CampaignRecord;
  account: Account;
  /** of the whole campaign, regardless of the selection (reference/delivery-reports#selection) */
  statusCounts: Record<string, number>;
  /** JSON of a few thousand records, separated by commas, in the order of the contacts */
  records: AsyncIterable<string>;
}

/**
 * Opens a campaign's report. `anyone`: the request id suffices, unless account or operator demand a token
 * (reference/authentication#open-routes); `owner`: only the account and staff. @throws AppError not_found `Report not found`
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
    if (campaign?.channel !== channel.name || (viewer.testsOnly && !campaign.isTest)) throw notFound();
    const account = await this.accounts.byId(campaign.accountId);
    if (!account) throw notFound();
    const open = access === 'owner' ? viewer.isStaff === true : !this.isClosed(account);
    if (viewer.accountId !== account.id && !open) throw notFound();
    const labels = new StatusLabels(channel);
    const statuses = selection.status === undefined ? undefined : labels.statusesOf(selection.status);
    const rows = reader.chunks<ReportRow>(campaign.id, REPORT_COLUMNS, statuses, selection.page);
    return {
      campaign,
      account,
      statusCounts: labels.countsOf(await reader.counts(campaign.id)),
      records: textsOf(new RecordText(channel, requestId), readAhead(rows)),
    };
  }

  private isClosed(account: Account): boolean {
    return isClosedToOthers(account) || this.environment.PROTECT_REPORTS;
  }
}

const ID_FORMS = [
  { form: /^GSMCAMP_\d{8}_/, channel: 'sms', error: reportErrors.smsId },
  { form: /^VCAMP_\d{8}_/, channel: 'voice', error: reportErrors.voiceId },
  { form: /^(WCAMP|CHATCAMP)_\d{8}_/, channel: null, error: reportErrors.chatId },
];

/** Depends on the form of the id only, so that it does not reveal whether the campaign exists. */
function notFoundOf(channel: Channel, requestId: string): AppError {
  const other = ID_FORMS.find((known) => known.channel !== channel.name && known.form.test(requestId));
  return (other?.error ?? reportErrors.notFound)();
}

async function* textsOf(text: RecordText, chunks: AsyncIterable<ReportRow[]>): AsyncGenerator<string, void, undefined> {
  for await (const rows of chunks) yield text.of(rows);
}
