import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type Listed, NOTHING_LISTED, type Page } from '../../../kernel/lists.js';
import { inListedOrder, listKeys, ReadDatabase, type ReadSource } from '../../../platform/database/index.js';
import {
  CampaignReader,
  type CampaignRecord,
  type CampaignRow,
  Channels,
  isEndState,
  type RecipientStatus,
  toRecord,
} from '../../engine/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { type CampaignFilter, campaignKeys } from './campaign-keys.js';

/** Which campaigns are asked for: a route by its name. */
export interface WantedCampaigns extends Omit<CampaignFilter, 'routeId'> {
  route?: string;
}

/** A campaign with its counters; `content` is left empty on channels that have nothing to review. */
export interface CountedCampaign {
  campaign: CampaignRecord;
  counts: ReadonlyMap<RecipientStatus, number>;
  /** routes of its lanes that are left */
  carrying: readonly number[];
}

/** A campaign that was read by itself. */
export async function counted(reader: CampaignReader, campaign: CampaignRecord): Promise<CountedCampaign> {
  const [counts, carrying] = await Promise.all([reader.counts(campaign.id), reader.carrying([campaign.id])]);
  return { campaign, counts, carrying: carrying.get(campaign.id) ?? [] };
}

/** The content may be as large as a request: a list needs it where there is something to review in it, and else not. */
const COLUMNS = `c.id, c.account_id, c.request_id, c.channel, c.state, c.broadcast_name, c.service, c.route_id, c.sender, c.category,
  IF(c.channel IN (?), c.content, '{}') AS content, c.fingerprint, c.balance, c.unit_credits, c.own_terms, c.own_kinds,
  c.charged_credits, c.total_rows, c.open_lanes, c.refunded_credits, c.retry_of, c.reason, c.created_by, c.scheduled_at, c.created_at, c.sent_at, c.completed_at`;

/** Lists of campaigns, newest first. Ids follow the time of acceptance, so a page and a time range are ranges of keys. */
@Injectable()
export class CampaignList {
  /** channels whose content a list shows; IN () is no SQL, so an empty name stands for none */
  private readonly reviewed: readonly string[];

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reads: ReadDatabase,
    private readonly channels: Channels,
    private readonly routes: RouteDirectory,
  ) {
    this.reviewed = ['', ...channels.all.filter((channel) => channel.reviewContent).map(({ name }) => name)];
  }

  /** A part of the list, at a cost that does not grow with the table (docs/decisions/0027). */
  async part(wanted: WantedCampaigns, page: Page): Promise<Listed<CountedCampaign>> {
    const filter = await this.filterOf(wanted);
    if (!filter) return NOTHING_LISTED;
    const list = campaignKeys(filter, this.channels.names);
    const session = await this.reads.session();
    const ids = await listKeys<number>(session, list, page);
    return inListedOrder(ids, await this.byIds(ids.items, session), ({ campaign }) => campaign.id);
  }

  /** These campaigns as they stand now; ids that are none are left out. */
  async byIds(ids: readonly number[], source: ReadSource = this.dataSource): Promise<CountedCampaign[]> {
    if (ids.length === 0) return [];
    const rows: CampaignRow[] = await source.query(`SELECT ${COLUMNS} FROM campaigns c WHERE c.id IN (?)`, [
      this.reviewed,
      ids,
    ]);
    return this.counted(rows, source);
  }

  /** @returns null where nothing can be in the list: no such route, or one that does not carry the channel */
  private async filterOf({ route: name, ...filter }: WantedCampaigns): Promise<CampaignFilter | null> {
    if (name === undefined) return filter;
    const route = await this.routes.byName(name);
    const carried = this.channels.all.filter(({ routes }) => routes === route?.channel);
    const { channel, ...others } = filter;
    if (!route || (channel !== undefined && !carried.some((one) => one.name === channel))) return null;
    // A route says which channel it is, where no other one goes over routes of its kind.
    return { ...(carried.length > 1 ? filter : others), routeId: route.id };
  }

  private async counted(rows: readonly CampaignRow[], source: ReadSource): Promise<CountedCampaign[]> {
    if (rows.length === 0) return [];
    const counters: { campaign_id: number; status: RecipientStatus; recipients: string }[] = await source.query(
      `SELECT campaign_id, status, SUM(recipients) AS recipients FROM campaign_counters
         WHERE campaign_id IN (?) GROUP BY campaign_id, status HAVING SUM(recipients) <> 0 ORDER BY campaign_id, status`,
      [rows.map((row) => row.id)],
    );
    const byCampaign = new Map<number, Map<RecipientStatus, number>>();
    for (const { campaign_id, status, recipients } of counters) {
      const counts = byCampaign.get(campaign_id) ?? new Map<RecipientStatus, number>();
      byCampaign.set(campaign_id, counts.set(status, Number(recipients)));
    }
    const open = rows.flatMap(({ id, state }) => (isEndState(state) ? [] : [id]));
    const carrying = await new CampaignReader(source).carrying(open);
    return rows.map((row) => ({
      campaign: toRecord(row),
      counts: byCampaign.get(row.id) ?? new Map(),
      carrying: carrying.get(row.id) ?? [],
    }));
  }
}
