import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type Listed, NOTHING_LISTED, type Page } from '../../kernel/lists.js';
import {
  inListedOrder,
  type KeyedList,
  type KeyRange,
  listKeys,
  ReadDatabase,
  type ReadSource,
} from '../../platform/database/index.js';
import {
  CAMPAIGN_STATES,
  type CampaignRecord,
  type CampaignState,
  Channels,
  isEndState,
  type RecipientStatus,
} from '../engine/index.js';
import { RouteDirectory } from '../providers/index.js';
import { CampaignReader, type CampaignRow, toRecord } from './campaign-reader.js';
import { idBehind, lowestId } from './campaign-scan.js';

interface CampaignFilter {
  accountId?: number;
  /** absent = live ones and tests */
  isTest?: boolean;
  state?: CampaignState;
  channel?: string;
  routeId?: number;
  /** accepted campaigns that begin later than this moment */
  scheduledAfter?: Date;
  from?: Date;
  to?: Date;
  /** part of the broadcast name or request id, case-insensitive */
  search?: string;
}

/** A whole request id in a channel's format, which has an index (reference/engine#request-ids). */
const WHOLE_ID = /^([A-Z]{2,16}_\d{8}_[A-Z\d]{6,8}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i;
const LOWEST_ID = 0;
const HIGHEST_ID = Number.MAX_SAFE_INTEGER;

/**
 * Chooses indexes for a filter. (account, test, id) and the primary key serve filters without state and channel. Indexes on
 * ([account,] state, channel[, test]) serve the rest, with one range per open value. A route has its own index; with an account, search
 * or schedule the rows are scanned.
 */
export function campaignKeys(filter: CampaignFilter, channels: readonly string[]): KeyedList {
  const { accountId, isTest, state, channel, routeId, search, scheduledAfter } = filter;
  const modes = isTest === undefined ? [0, 1] : [Number(isTest)];
  const list = { table: 'campaigns', key: 'id', order: 'DESC' } as const;
  if (search !== undefined && WHOLE_ID.test(search)) {
    const ids = [search, search.toUpperCase(), search.toLowerCase()];
    const conditions: KeyRange[] = [
      { where: 'request_id IN (?)', values: [ids] },
      ...Object.entries({ account_id: accountId, is_test: isTest, state, channel, route_id: routeId }).flatMap(
        ([column, value]) => (value === undefined ? [] : [{ where: `${column} = ?`, values: [value] }]),
      ),
      ...(scheduledAfter ? [{ where: 'scheduled_at > ?', values: [scheduledAfter] }] : []),
    ];
    return {
      ...list,
      index: 'uq_campaigns_request',
      ranges: crossed(
        conditions.map((one) => [one]),
        [within(filter)],
      ),
    };
  }
  const isOwned = accountId !== undefined;
  const filters = [
    ...(isOwned || isTest === undefined ? [] : [{ where: 't.is_test = ?', values: modes }]),
    ...(scheduledAfter ? [{ where: 't.scheduled_at > ?', values: [scheduledAfter] }] : []),
    ...(search === undefined ? [] : [likeness(search)]),
  ];
  const states = words('state', state === undefined ? CAMPAIGN_STATES : [state]);
  if (routeId !== undefined && accountId === undefined) {
    const ofRoute = [{ where: 'route_id = ?', values: [routeId] }];
    return {
      ...list,
      index: 'ix_campaigns_route_state',
      ranges: crossed([ofRoute, states], moments(filter)),
      ...filteredBy([...filters, ...(channel === undefined ? [] : [{ where: 't.channel = ?', values: [channel] }])]),
    };
  }
  const isNarrow = state !== undefined || channel !== undefined;
  const owners = isOwned
    ? [modes.map((mode) => ({ where: 'account_id = ? AND is_test = ?', values: [accountId, mode] }))]
    : [];
  const names = words('channel', channel === undefined ? channels : [channel]);
  return {
    ...list,
    index: indexOf(isOwned, isNarrow),
    ranges: crossed([...owners, ...(isNarrow ? [states, names] : [])], moments(filter)),
    ...filteredBy([...filters, ...(routeId === undefined ? [] : [{ where: 't.route_id = ?', values: [routeId] }])]),
  };
}

function indexOf(isOwned: boolean, isNarrow: boolean): string {
  if (isOwned) return isNarrow ? 'ix_campaigns_account_state' : 'ix_campaigns_account';
  return isNarrow ? 'ix_campaigns_state' : 'PRIMARY';
}

const filteredBy = (filters: readonly KeyRange[]): Pick<KeyedList, 'filter'> =>
  filters.length === 0
    ? {}
    : {
        filter: {
          where: filters.map(({ where }) => where).join(' AND '),
          values: filters.flatMap(({ values }) => values),
        },
      };

const words = (column: string, values: readonly string[]): KeyRange[] =>
  values.map((value) => ({ where: `${column} = ?`, values: [value] }));

function crossed(groups: readonly (readonly KeyRange[])[], moments: readonly KeyRange[]): KeyRange[] {
  return [...groups, moments].reduce<KeyRange[]>(
    (ranges, group) =>
      ranges.flatMap((range) =>
        group.map(({ where, values }) => ({
          where: [range.where, where].filter((part) => part !== '').join(' AND '),
          values: [...range.values, ...values],
        })),
      ),
    [{ where: '', values: [] }],
  );
}

/**
 * Converts a time range to id ranges. Ids follow acceptance time within a minute (`campaign-scan.ts`), so rows near the ends
 * are compared by their own time, which has no index.
 */
function moments(filter: CampaignFilter): KeyRange[] {
  const { from, to } = filter;
  const [lowest, above] = from ? [lowestId(from), idBehind(from)] : [LOWEST_ID, LOWEST_ID];
  const [below, highest] = to ? [lowestId(to), idBehind(to)] : [HIGHEST_ID, HIGHEST_ID];
  if (!from && !to) return [{ where: '', values: [] }];
  if (above >= below) return [within(filter)];
  return [
    ...(from ? [{ where: 'id >= ? AND id < ? AND created_at >= ?', values: [lowest, above, from] }] : []),
    { where: 'id >= ? AND id < ?', values: [above, below] },
    ...(to ? [{ where: 'id >= ? AND id < ? AND created_at <= ?', values: [below, highest, to] }] : []),
  ];
}

function within({ from, to }: CampaignFilter): KeyRange {
  return {
    where: [...(from ? ['id >= ? AND created_at >= ?'] : []), ...(to ? ['id < ? AND created_at <= ?'] : [])].join(
      ' AND ',
    ),
    values: [...(from ? [lowestId(from), from] : []), ...(to ? [idBehind(to), to] : [])],
  };
}

function likeness(search: string): KeyRange {
  const part = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  // The id column is ASCII: comparing it with other text without CONVERT is an error.
  const where = '(LOWER(t.broadcast_name) LIKE ? OR LOWER(CONVERT(t.request_id USING utf8mb4)) LIKE ?)';
  return { where, values: [part, part] };
}

export interface WantedCampaigns extends Omit<CampaignFilter, 'routeId'> {
  route?: string;
}

export interface CountedCampaign {
  campaign: CampaignRecord;
  counts: ReadonlyMap<RecipientStatus, number>;
  carrying: readonly number[];
}

export async function counted(reader: CampaignReader, campaign: CampaignRecord): Promise<CountedCampaign> {
  const [counts, carrying] = await Promise.all([reader.counts(campaign.id), reader.carrying([campaign.id])]);
  return { campaign, counts, carrying: carrying.get(campaign.id) ?? [] };
}

/** The content can be as large as a request, so a list reads it only for channels with something to review. */
const COLUMNS = `c.id, c.account_id, c.request_id, c.channel, c.state, c.is_test, c.broadcast_name, c.service, c.route_id, c.sender, c.category,
  IF(c.channel IN (?), c.content, '{}') AS content, c.fingerprint, c.balance, c.unit_credits, c.own_terms, c.own_kinds,
  c.charged_credits, c.total_rows, c.open_lanes, c.refunded_credits, c.retry_of, c.reason, c.created_by, c.tags, c.scheduled_at, c.late, c.late_after_s, c.started_late_s, c.created_at, c.sent_at, c.completed_at`;

/** Lists campaigns, newest first. Ids follow acceptance time, so pages and time ranges are key ranges. */
@Injectable()
export class CampaignList {
  /** channels whose content a list shows; `IN ()` is invalid SQL, so '' stands for none */
  private readonly reviewed: readonly string[];

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reads: ReadDatabase,
    private readonly channels: Channels,
    private readonly routes: RouteDirectory,
  ) {
    this.reviewed = ['', ...channels.all.filter((channel) => channel.reviewContent).map(({ name }) => name)];
  }

  /** Returns one page; the cost does not grow with the table (docs/decisions/0027). */
  async part(wanted: WantedCampaigns, page: Page): Promise<Listed<CountedCampaign>> {
    const filter = await this.filterOf(wanted);
    if (!filter) return NOTHING_LISTED;
    const list = campaignKeys(filter, this.channels.names);
    const session = await this.reads.session();
    const ids = await listKeys<number>(session, list, page);
    return inListedOrder(ids, await this.byIds(ids.items, session), ({ campaign }) => campaign.id);
  }

  async byIds(ids: readonly number[], source: ReadSource = this.dataSource): Promise<CountedCampaign[]> {
    if (ids.length === 0) return [];
    const rows: CampaignRow[] = await source.query(`SELECT ${COLUMNS} FROM campaigns c WHERE c.id IN (?)`, [
      this.reviewed,
      ids,
    ]);
    return this.counted(rows, source);
  }

  /** Returns null if the list must be empty: unknown route, or a route that does not carry the channel. */
  private async filterOf({ route: name, ...filter }: WantedCampaigns): Promise<CampaignFilter | null> {
    if (name === undefined) return filter;
    const route = await this.routes.byName(name);
    const carried = this.channels.all.filter(({ routes }) => routes === route?.channel);
    const { channel, ...others } = filter;
    if (!route || (channel !== undefined && !carried.some((one) => one.name === channel))) return null;
    // A route that carries one channel implies that channel, so the channel filter can be dropped.
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

/** Characters of a request id (reference/sms#own-ids). */
const ID_TEXT = /^[A-Za-z0-9._:-]{1,64}$/;
/** Sorts after every request id with the same prefix, because no request id contains it. */
const BEHIND = '~';
const MOST_FILTERED = 10_000;

/** Finds campaigns by a prefix of the request id or a part of the name. */
@Injectable()
export class CampaignSearch {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly list: CampaignList,
  ) {}

  /** Finds request ids by prefix first, then names among the newest campaigns (docs/decisions/0027); accountId null = all. */
  async find(text: string, accountId: number | null, limit: number): Promise<CountedCampaign[]> {
    const byId = ID_TEXT.test(text) ? await this.byRequestId(text, accountId, limit) : [];
    const filter = { search: text, ...(accountId !== null && { accountId }) };
    const byName = byId.length >= limit ? [] : (await this.list.part(filter, { page: 1, limit, after: null })).items;
    const found = new Map(byName.map((counted) => [counted.campaign.id, counted]));
    const rows = await this.list.byIds(byId.filter((id) => !found.has(id)));
    for (const counted of rows) found.set(counted.campaign.id, counted);
    const ids = [...new Set([...byId, ...found.keys()])];
    return ids.flatMap((id) => found.get(id) ?? []).slice(0, limit);
  }

  /** Generated ids are all upper case or all lower case. */
  private async byRequestId(text: string, accountId: number | null, limit: number): Promise<number[]> {
    const spellings = [...new Set([text, text.toUpperCase(), text.toLowerCase()])];
    const owned = accountId === null ? '' : 'JOIN campaigns c ON c.id = m.id AND c.account_id = ?';
    const filters = spellings.map(
      () => `(SELECT m.id FROM (SELECT id, request_id FROM campaigns FORCE INDEX (uq_campaigns_request)
         WHERE request_id >= ? AND request_id < ? ORDER BY request_id DESC LIMIT ?) m ${owned}
         ORDER BY m.request_id DESC LIMIT ?)`,
    );
    const values = spellings.flatMap((spelling) => [
      spelling,
      `${spelling}${BEHIND}`,
      ...(accountId === null ? [limit] : [MOST_FILTERED, accountId]),
      limit,
    ]);
    const rows = await this.reads.query<{ id: number }[]>(`${filters.join(' UNION ')} LIMIT ?`, [...values, limit]);
    return rows.map(({ id }) => id);
  }
}
