import type { KeyedList, KeyRange } from '../../../platform/database/index.js';
import { CAMPAIGN_STATES, type CampaignState, idBehind, lowestId } from '../../engine/index.js';

/** Which campaigns a list shows; absent = all. */
export interface CampaignFilter {
  accountId?: number;
  state?: CampaignState;
  channel?: string;
  /** the route that it was accepted for */
  routeId?: number;
  /** accepted ones that are to begin later than this moment */
  scheduledAfter?: Date;
  /** accepted at this moment or later */
  from?: Date;
  /** accepted at this moment or earlier */
  to?: Date;
  /** part of the broadcast's name or of the request id, in any case of letters */
  search?: string;
}

/** A request id as channels make them, whole: there is an index for it (reference/engine#request-ids). */
const WHOLE_ID = /^([A-Z]{2,16}_\d{8}_[A-Z\d]{6,8}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i;
const LOWEST_ID = 0;
const HIGHEST_ID = Number.MAX_SAFE_INTEGER;

/**
 * Where the campaigns of a filter lie. (account, id) and the primary key answer what has neither state nor channel; the
 * indexes that begin with (account, state, channel) and (state, channel) the rest: a filter that leaves one of the two open
 * is a range for each of its words. A route has its own index, unless an account is named too: then the account's campaigns
 * are looked at, as they are for what no index knows, a search and a schedule.
 * @param channels names of all; one that a route does not carry leaves nothing
 */
export function campaignKeys(filter: CampaignFilter, channels: readonly string[]): KeyedList {
  const { accountId, state, channel, routeId, search, scheduledAfter } = filter;
  const list = { table: 'campaigns', key: 'id', order: 'DESC' } as const;
  if (search !== undefined && WHOLE_ID.test(search)) {
    const ids = [search, search.toUpperCase(), search.toLowerCase()];
    const conditions: KeyRange[] = [
      { where: 'request_id IN (?)', values: [ids] },
      ...Object.entries({ account_id: accountId, state, channel, route_id: routeId }).flatMap(([column, value]) =>
        value === undefined ? [] : [{ where: `${column} = ?`, values: [value] }],
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
  const looks = [
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
      ...looked([...looks, ...(channel === undefined ? [] : [{ where: 't.channel = ?', values: [channel] }])]),
    };
  }
  const isNarrow = state !== undefined || channel !== undefined;
  const owners = accountId === undefined ? [] : [[{ where: 'account_id = ?', values: [accountId] }]];
  const names = words('channel', channel === undefined ? channels : [channel]);
  return {
    ...list,
    index: indexOf(accountId !== undefined, isNarrow),
    ranges: crossed([...owners, ...(isNarrow ? [states, names] : [])], moments(filter)),
    ...looked([...looks, ...(routeId === undefined ? [] : [{ where: 't.route_id = ?', values: [routeId] }])]),
  };
}

function indexOf(isOwned: boolean, isNarrow: boolean): string {
  if (isOwned) return isNarrow ? 'ix_campaigns_account_state' : 'ix_campaigns_account';
  return isNarrow ? 'ix_campaigns_state' : 'PRIMARY';
}

/** All of these conditions on the rows themselves. */
const looked = (looks: readonly KeyRange[]): Pick<KeyedList, 'look'> =>
  looks.length === 0
    ? {}
    : { look: { where: looks.map(({ where }) => where).join(' AND '), values: looks.flatMap(({ values }) => values) } };

const words = (column: string, values: readonly string[]): KeyRange[] =>
  values.map((value) => ({ where: `${column} = ?`, values: [value] }));

/** Every choice of one condition out of each group. */
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
 * A time as ranges of ids. Ids follow the time of acceptance but for a minute (`campaign-scan.ts`): only in the minutes
 * around the ends rows are asked for their own time, which no index has.
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

/** The whole time in one condition. */
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
  // The id's column is ASCII, and the database refuses to compare it with anything else.
  const where = '(LOWER(t.broadcast_name) LIKE ? OR LOWER(CONVERT(t.request_id USING utf8mb4)) LIKE ?)';
  return { where, values: [part, part] };
}
