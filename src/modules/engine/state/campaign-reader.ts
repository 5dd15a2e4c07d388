import type { BalanceName } from '../../credits/index.js';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { CampaignRecord, RecipientRecord } from './campaign.js';
import { CAMPAIGN_STATES, type CampaignState, TRANSITIONS } from './campaign-transitions.js';
import type { RecipientStatus } from './recipient-status.js';

/** A row of `campaigns`, all columns. */
export interface CampaignRow {
  id: number;
  account_id: number;
  request_id: string;
  channel: string;
  state: CampaignState;
  broadcast_name: string;
  service: string;
  route_id: number;
  content: string;
  fingerprint: Buffer | null;
  balance: BalanceName;
  unit_credits: number;
  total_rows: number;
  unsettled: number;
  refunded_credits: number;
  retry_of: string | null;
  scheduled_at: Date | null;
  created_at: Date;
  sent_at: Date | null;
  completed_at: Date | null;
}

export interface RecipientRow {
  seq: number;
  receiver: string;
  status: RecipientStatus;
  attempts: number;
  error_code: number | null;
  error_message: string | null;
  duration: number | null;
  updated_at: Date;
}

/** The columns of a `RecipientRow`. */
export const RECIPIENT_COLUMNS = 'seq, receiver, status, attempts, error_code, error_message, duration, updated_at';

export const toRecord = (row: CampaignRow): CampaignRecord => ({
  id: row.id,
  accountId: row.account_id,
  requestId: row.request_id,
  channel: row.channel,
  state: row.state,
  broadcastName: row.broadcast_name,
  service: row.service,
  routeId: row.route_id,
  content: JSON.parse(row.content) as Record<string, unknown>,
  balance: row.balance,
  unitCredits: row.unit_credits,
  totalRows: row.total_rows,
  unsettled: row.unsettled,
  refundedCredits: row.refunded_credits,
  retryOf: row.retry_of,
  scheduledAt: row.scheduled_at,
  createdAt: row.created_at,
  sentAt: row.sent_at,
  completedAt: row.completed_at,
});

export const toRecipient = (row: RecipientRow): RecipientRecord => ({
  seq: row.seq,
  number: row.receiver,
  status: row.status,
  attempts: row.attempts,
  errorCode: row.error_code,
  errorMessage: row.error_message,
  duration: row.duration,
  updatedAt: row.updated_at,
});

/** Which recipients to read: keyset on seq, ascending. */
export interface RecipientSelection {
  /** the last seq already read; 0 at first */
  afterSeq: number;
  limit: number;
  status?: RecipientStatus | readonly RecipientStatus[];
}

/** Which records of a campaign a report shows; all of them when empty. */
export interface RecordSelection {
  /** a label of the channel, such as DELIVERED */
  status?: string;
  /** one page of the (filtered) records */
  page?: { page: number; limit: number };
}

const ROWS_A_CHUNK = 2_000;
const ASCII = /^[\x20-\x7e]*$/;

/** Reads campaigns for reports, owners and staff. Takes no locks and holds no connection between calls. */
@Injectable()
export class CampaignReader {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async byRequestId(requestId: string): Promise<CampaignRecord | null> {
    // The column is ASCII, and the database refuses to compare it with anything else.
    if (!ASCII.test(requestId)) return null;
    const rows: CampaignRow[] = await this.dataSource.query('SELECT * FROM campaigns WHERE request_id = ?', [
      requestId,
    ]);
    return rows[0] ? toRecord(rows[0]) : null;
  }

  async byId(id: number): Promise<CampaignRecord | null> {
    const rows: CampaignRow[] = await this.dataSource.query('SELECT * FROM campaigns WHERE id = ?', [id]);
    return rows[0] ? toRecord(rows[0]) : null;
  }

  /** Recipients per status, without zeros; the sum is the campaign's total at every moment. */
  async counts(campaignId: number): Promise<Map<RecipientStatus, number>> {
    const rows: { status: RecipientStatus; recipients: number }[] = await this.dataSource.query(
      'SELECT status, recipients FROM campaign_counters WHERE campaign_id = ? AND recipients <> 0 ORDER BY status',
      [campaignId],
    );
    return new Map(rows.map((row) => [row.status, row.recipients]));
  }

  async recipients(campaignId: number, selection: RecipientSelection): Promise<RecipientRecord[]> {
    const { afterSeq, limit, status } = selection;
    const filter = status === undefined ? '' : 'AND status IN (?)';
    const rows: RecipientRow[] = await this.dataSource.query(
      `SELECT ${RECIPIENT_COLUMNS} FROM campaign_recipients
       WHERE campaign_id = ? AND seq > ? ${filter} ORDER BY seq LIMIT ?`,
      status === undefined ? [campaignId, afterSeq, limit] : [campaignId, afterSeq, [status].flat(), limit],
    );
    return rows.map(toRecipient);
  }

  /**
   * Recipients in keyset chunks, in their order. Every chunk is one short query; no connection and no snapshot is held
   * between them, so a slow reader costs the database nothing.
   * @param statuses only these; undefined = all
   */
  async *batches(
    campaignId: number,
    statuses: readonly RecipientStatus[] | undefined,
    page: RecordSelection['page'],
  ): AsyncGenerator<RecipientRecord[], void, undefined> {
    if (statuses?.length === 0) return;
    const offset = page ? (page.page - 1) * page.limit : 0;
    // Without a filter seq counts 1, 2, 3 …, so a page begins at a known key; with one, earlier matches are passed over.
    let afterSeq = statuses ? 0 : offset;
    let toSkip = statuses ? offset : 0;
    let toTake = page ? page.limit : Number.POSITIVE_INFINITY;
    while (toTake > 0) {
      const limit = Math.min(ROWS_A_CHUNK, toSkip + toTake);
      const rows = await this.recipients(campaignId, { afterSeq, limit, ...(statuses && { status: statuses }) });
      const shown = rows.slice(toSkip, toSkip + toTake);
      toSkip = Math.max(0, toSkip - rows.length);
      toTake -= shown.length;
      if (shown.length > 0) yield shown;
      const last = rows.at(-1);
      if (!last || rows.length < limit) return;
      afterSeq = last.seq;
    }
  }

  /** True while a campaign that is not at its end leaves over this route; completed ones wait for no recipient. */
  async unfinishedOn(tx: EntityManager, routeId: number): Promise<boolean> {
    // By state: a busy route has millions of completed campaigns, and the optimizer would look at each of them.
    const rows: unknown[] = await tx.query(
      `SELECT 1 FROM campaigns FORCE INDEX (ix_campaigns_state)
       WHERE state IN (?) AND route_id = ? AND unsettled > 0 LIMIT 1`,
      [CAMPAIGN_STATES.filter((state) => state !== TRANSITIONS.complete.to), routeId],
    );
    return rows.length > 0;
  }
}
