import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  type CampaignRecord,
  type CampaignRow,
  type CampaignState,
  Channels,
  idBehind,
  lowestId,
  type RecipientStatus,
  toRecord,
} from '../../engine/index.js';

/** Which campaigns a list shows; absent = all. */
export interface CampaignFilter {
  accountId?: number;
  state?: CampaignState;
  channel?: string;
  /** accepted at this moment or later */
  from?: Date;
  /** accepted at this moment or earlier */
  to?: Date;
  /** part of the broadcast's name or of the request id, in any case of letters */
  search?: string;
}

/** A campaign with its counters; `content` is left empty on channels that have nothing to review. */
export interface CountedCampaign {
  campaign: CampaignRecord;
  counts: ReadonlyMap<RecipientStatus, number>;
}

/** The content may be as large as a request: a list needs it where there is something to review in it, and else not. */
const COLUMNS = `c.id, c.account_id, c.request_id, c.channel, c.state, c.broadcast_name, c.service, c.route_id,
  IF(c.channel IN (?), c.content, '{}') AS content, c.fingerprint, c.balance, c.unit_credits, c.total_rows,
  c.open_lanes, c.refunded_credits, c.retry_of, c.scheduled_at, c.created_at, c.sent_at, c.completed_at`;

/** Lists of campaigns, newest first. Ids follow the time of acceptance, so a page and a time range are ranges of keys. */
@Injectable()
export class CampaignList {
  /** channels whose content a list shows; IN () is no SQL, so an empty name stands for none */
  private readonly reviewed: readonly string[];

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    channels: Channels,
  ) {
    this.reviewed = ['', ...channels.all.filter((channel) => channel.reviewContent).map(({ name }) => name)];
  }

  /** One page. @param offset campaigns to pass over */
  async page(filter: CampaignFilter, offset: number, limit: number): Promise<CountedCampaign[]> {
    const { where, values } = conditions(filter);
    const rows: CampaignRow[] = await this.dataSource.query(
      `SELECT ${COLUMNS} FROM campaigns c JOIN (
         SELECT id FROM campaigns ${where} ORDER BY id DESC LIMIT ? OFFSET ?) p ON p.id = c.id ORDER BY c.id DESC`,
      [this.reviewed, ...values, limit, offset],
    );
    return this.counted(rows);
  }

  async total(filter: CampaignFilter): Promise<number> {
    const { where, values } = conditions(filter);
    const [row] = await this.dataSource.query<{ total: number }[]>(
      `SELECT COUNT(*) AS total FROM campaigns ${where}`,
      values,
    );
    return Number(row?.total ?? 0);
  }

  /** These campaigns as they stand now; ids that are none are left out. */
  async byIds(ids: readonly number[]): Promise<CountedCampaign[]> {
    if (ids.length === 0) return [];
    const rows: CampaignRow[] = await this.dataSource.query(`SELECT ${COLUMNS} FROM campaigns c WHERE c.id IN (?)`, [
      this.reviewed,
      ids,
    ]);
    return this.counted(rows);
  }

  private async counted(rows: readonly CampaignRow[]): Promise<CountedCampaign[]> {
    if (rows.length === 0) return [];
    const counters: { campaign_id: number; status: RecipientStatus; recipients: string }[] =
      await this.dataSource.query(
        `SELECT campaign_id, status, SUM(recipients) AS recipients FROM campaign_counters
         WHERE campaign_id IN (?) GROUP BY campaign_id, status HAVING SUM(recipients) <> 0 ORDER BY campaign_id, status`,
        [rows.map((row) => row.id)],
      );
    const byCampaign = new Map<number, Map<RecipientStatus, number>>();
    for (const { campaign_id, status, recipients } of counters) {
      const counts = byCampaign.get(campaign_id) ?? new Map<RecipientStatus, number>();
      byCampaign.set(campaign_id, counts.set(status, Number(recipients)));
    }
    return rows.map((row) => ({ campaign: toRecord(row), counts: byCampaign.get(row.id) ?? new Map() }));
  }
}

function conditions(filter: CampaignFilter): { where: string; values: unknown[] } {
  const parts: string[] = [];
  const values: unknown[] = [];
  const add = (condition: string, ...given: unknown[]): void => {
    parts.push(condition);
    values.push(...given);
  };
  const { accountId, state, channel, from, to, search } = filter;
  if (accountId !== undefined) add('account_id = ?', accountId);
  if (state !== undefined) add('state = ?', state);
  if (channel !== undefined) add('channel = ?', channel);
  if (from) add('id >= ? AND created_at >= ?', lowestId(from), from);
  if (to) add('id < ? AND created_at <= ?', idBehind(to), to);
  if (search !== undefined) {
    const part = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    // The id's column is ASCII, and the database refuses to compare it with anything else.
    add('(LOWER(broadcast_name) LIKE ? OR LOWER(CONVERT(request_id USING utf8mb4)) LIKE ?)', part, part);
  }
  return { where: parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : '', values };
}
