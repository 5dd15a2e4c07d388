import { type Channel, deliveryRecord, type RecipientRecord, type RecipientStatus } from '../engine/index.js';

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
export const REPORT_COLUMNS = 'receiver, status, error_code, error_message, duration';

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
