import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { isRequestId } from '../../kernel/ids.js';
import { type ReadSession, type ReadSource, rowArrays } from '../../platform/database/index.js';
import { type Actor, isTesting, roleOf } from '../accounts/index.js';
import { type CampaignRecord, type RecipientRecord, RecipientStatus } from '../engine/index.js';
import { campaignErrors } from './campaigns.errors.js';

export interface CampaignRow {
  id: number;
  account_id: number;
  request_id: string;
  channel: string;
  state: CampaignRecord['state'];
  is_test: number;
  broadcast_name: string;
  service: string;
  route_id: number;
  sender: string | null;
  category: string | null;
  content: string;
  fingerprint: Buffer | null;
  balance: CampaignRecord['balance'];
  unit_credits: number;
  own_terms: number;
  own_kinds: number;
  charged_credits: number;
  total_rows: number;
  open_lanes: number;
  refunded_credits: number;
  retry_of: string | null;
  reason: string | null;
  created_by: string | null;
  tags: string | null;
  scheduled_at: Date | null;
  late: NonNullable<CampaignRecord['lateRule']>['late'] | null;
  late_after_s: number | null;
  started_late_s: number | null;
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

export const RECIPIENT_COLUMNS = 'seq, receiver, status, attempts, error_code, error_message, duration, updated_at';

export const toRecord = (row: CampaignRow): CampaignRecord => ({
  id: row.id,
  accountId: row.account_id,
  requestId: row.request_id,
  channel: row.channel,
  state: row.state,
  isTest: row.is_test === 1,
  broadcastName: row.broadcast_name,
  service: row.service,
  routeId: row.route_id,
  sender: row.sender,
  category: row.category,
  content: JSON.parse(row.content) as Record<string, unknown>,
  balance: row.balance,
  unitCredits: row.is_test === 1 ? Math.round(row.charged_credits / row.total_rows) : row.unit_credits,
  ownTerms: row.own_terms === 1,
  ownKinds: row.own_kinds,
  chargedCredits: row.charged_credits,
  totalRows: row.total_rows,
  openLanes: row.open_lanes,
  refundedCredits: row.refunded_credits,
  retryOf: row.retry_of,
  reason: row.reason,
  createdBy: row.created_by,
  tags: row.tags === null ? null : (JSON.parse(row.tags) as CampaignRecord['tags']),
  scheduledAt: row.scheduled_at,
  lateRule: row.late === null ? null : { late: row.late, afterSeconds: row.late_after_s ?? 0 },
  startedLateSeconds: row.started_late_s,
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

/** Recipients to read: keyset on seq, ascending. */
export interface RecipientSelection {
  afterSeq: number;
  limit: number;
  status?: RecipientStatus | readonly RecipientStatus[];
}

export interface RecordSelection {
  status?: string;
  page?: { page: number; limit: number };
}

type RecipientColumns = readonly [
  seq: number,
  number: string,
  status: RecipientStatus,
  attempts: number,
  errorCode: number | null,
  errorMessage: string | null,
  duration: number | null,
  updatedAt: Date,
];

/** Rows per query: enough for all lanes of a thousand usual campaigns. */
const MOST_LANES = 20_000;
const FIRST_CHUNK = 1_000;
const ROWS_A_CHUNK = 4_000;

/** Reads campaigns without locks and without a held connection. For display, use `campaignIn`, which reads a replica. */
@Injectable()
export class CampaignReader {
  private readonly source: ReadSource;

  constructor(@InjectDataSource() source: ReadSource) {
    this.source = source;
  }

  async byRequestId(requestId: string): Promise<CampaignRecord | null> {
    if (!isRequestId(requestId)) return null;
    const rows: CampaignRow[] = await this.source.query('SELECT * FROM campaigns WHERE request_id = ?', [requestId]);
    return rows[0] ? toRecord(rows[0]) : null;
  }

  async byId(id: number): Promise<CampaignRecord | null> {
    const rows: CampaignRow[] = await this.source.query('SELECT * FROM campaigns WHERE id = ?', [id]);
    return rows[0] ? toRecord(rows[0]) : null;
  }

  /** Recipients per status, without zeros; the sum always equals the total. */
  async counts(campaignId: number): Promise<Map<RecipientStatus, number>> {
    const rows: { status: RecipientStatus; recipients: string }[] = await this.source.query(
      `SELECT status, SUM(recipients) AS recipients FROM campaign_counters WHERE campaign_id = ?
       GROUP BY status HAVING SUM(recipients) <> 0 ORDER BY status`,
      [campaignId],
    );
    return new Map(rows.map((row) => [row.status, Number(row.recipients)]));
  }

  /** Routes of the remaining lanes, by campaign. */
  async carrying(campaignIds: readonly number[]): Promise<Map<number, number[]>> {
    if (campaignIds.length === 0) return new Map();
    const rows: { campaign_id: number; route_id: number }[] = await this.source.query(
      `SELECT DISTINCT campaign_id, route_id FROM (SELECT campaign_id, route_id FROM campaign_lanes
         WHERE campaign_id IN (?) LIMIT ${MOST_LANES}) l ORDER BY campaign_id, route_id`,
      [campaignIds],
    );
    const routes = new Map<number, number[]>();
    for (const { campaign_id: id, route_id: route } of rows) routes.set(id, [...(routes.get(id) ?? []), route]);
    return routes;
  }

  async recipients(campaignId: number, selection: RecipientSelection): Promise<RecipientRecord[]> {
    const { afterSeq, limit, status } = selection;
    const filter = status === undefined ? '' : 'AND status IN (?)';
    const rows: RecipientRow[] = await this.source.query(
      `SELECT ${RECIPIENT_COLUMNS} FROM campaign_recipients
       WHERE campaign_id = ? AND seq > ? ${filter} ORDER BY seq LIMIT ?`,
      status === undefined ? [campaignId, afterSeq, limit] : [campaignId, afterSeq, [status].flat(), limit],
    );
    return rows.map(toRecipient);
  }

  /** Recipients in keyset chunks, one query each, so that a slow reader holds no connection. The first chunk is small. */
  async *chunks<Row extends readonly [seq: number, ...unknown[]]>(
    campaignId: number,
    columns: string,
    statuses: readonly RecipientStatus[] | undefined,
    page: RecordSelection['page'],
  ): AsyncGenerator<Row[], void, undefined> {
    const filter = statuses ? 'AND status IN (?)' : '';
    let afterSeq: number | null = page ? await this.seqBefore(campaignId, statuses, (page.page - 1) * page.limit) : 0;
    let toTake = page ? page.limit : Number.POSITIVE_INFINITY;
    let size = FIRST_CHUNK;
    while (toTake > 0 && afterSeq !== null && statuses?.length !== 0) {
      const limit = Math.min(size, toTake);
      const rows: Row[] = await rowArrays<Row>(
        this.source,
        `SELECT seq, ${columns} FROM campaign_recipients WHERE campaign_id = ? AND seq > ? ${filter} ORDER BY seq LIMIT ?`,
        [campaignId, afterSeq, ...(statuses ? [statuses] : []), limit],
      );
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < limit) return;
      afterSeq = last[0];
      toTake -= rows.length;
      size = ROWS_A_CHUNK;
    }
  }

  async *batches(
    campaignId: number,
    statuses: readonly RecipientStatus[] | undefined,
  ): AsyncGenerator<RecipientRecord[], void, undefined> {
    const columns = RECIPIENT_COLUMNS.replace('seq, ', '');
    for await (const rows of this.chunks<RecipientColumns>(campaignId, columns, statuses, undefined)) {
      yield rows.map(([seq, number, status, attempts, errorCode, errorMessage, duration, updatedAt]) => ({
        seq,
        number,
        status,
        attempts,
        errorCode,
        errorMessage,
        duration,
        updatedAt,
      }));
    }
  }

  /** The seq before a page; null = past the end. Only filtered pages need a query. */
  private async seqBefore(
    campaignId: number,
    statuses: readonly RecipientStatus[] | undefined,
    offset: number,
  ): Promise<number | null> {
    if (!statuses || statuses.length === 0 || offset === 0) return offset;
    const rows: { seq: number }[] = await this.source.query(
      `SELECT seq FROM campaign_recipients WHERE campaign_id = ? AND status IN (?) ORDER BY seq LIMIT 1 OFFSET ?`,
      [campaignId, statuses, offset - 1],
    );
    return rows[0]?.seq ?? null;
  }
}

/** A campaign for display: from a replica if there is one, else from the writer. */
export async function campaignIn(
  session: ReadSession,
  requestId: string,
): Promise<{ campaign: CampaignRecord | null; reader: CampaignReader }> {
  const reader = new CampaignReader(session);
  const campaign = await reader.byRequestId(requestId);
  if (campaign || !session.toWriter()) return { campaign, reader };
  return { campaign: await reader.byRequestId(requestId), reader };
}

/** True for staff with a token, who see all campaigns; API keys and resellers do not (reference/authentication#api-keys). */
export const actsAsStaff = ({ account: { userType }, via }: Actor): boolean =>
  via !== 'key' && roleOf(userType) !== 'user' && userType !== 'reseller';

/** A test key sees only tests; others see both (own/keys#test-keys). */
export const maySee = (actor: Actor, campaign: CampaignRecord): boolean =>
  campaign.accountId === actor.account.id ? campaign.isTest || !isTesting(actor.account) : actsAsStaff(actor);

/** Returns the campaign. @throws AppError not_found `Campaign not found` for a foreign campaign too */
export async function campaignOf(reader: CampaignReader, actor: Actor, requestId: string): Promise<CampaignRecord> {
  return seenBy(actor, await reader.byRequestId(requestId));
}

/** Like `campaignOf`, for read-only views: `session` may read a replica. */
export async function campaignShown(
  session: ReadSession,
  actor: Actor,
  requestId: string,
): Promise<{ campaign: CampaignRecord; reader: CampaignReader }> {
  const { campaign, reader } = await campaignIn(session, requestId);
  return { campaign: seenBy(actor, campaign), reader };
}

function seenBy(actor: Actor, campaign: CampaignRecord | null): CampaignRecord {
  if (!campaign || !maySee(actor, campaign)) throw campaignErrors.notFound();
  return campaign;
}

/** The audit log records staff changes to other accounts' campaigns, but not the owner's own changes. */
export const isForeign = (actor: Actor, campaign: CampaignRecord): boolean => campaign.accountId !== actor.account.id;

/** A campaign that has sent nothing has nothing to retry: it waits, or was paused before its first batch. @throws AppError */
export async function assertBegun(reader: CampaignReader, { id, state, totalRows }: CampaignRecord): Promise<void> {
  const waits = state === 'accepted' || state === 'pending_approval';
  const untouched = async (): Promise<boolean> => (await reader.counts(id)).get(RecipientStatus.Pending) === totalRows;
  if (waits || (state === 'paused' && (await untouched()))) throw campaignErrors.already(state);
}
