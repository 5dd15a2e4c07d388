import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../platform/database/index.js';
import type { CampaignState, LATE_CHANGE } from './campaign.js';

/** A range of recipients: `from` inclusive, `end` exclusive; seq starts at 1. */
export interface LaneRange {
  lane: number;
  from: number;
  end: number;
}

/** A lane of a new campaign: sends to the recipients of its range and group, over one route. */
export interface PlannedLane extends LaneRange {
  /** 0 = the campaign's own route chain; others have a further chain each (`recipient_terms.lane_group`) */
  group: number;
  recipients: number;
}

const RECIPIENTS_A_LANE = 2_500;
const MOST_LANES = 8;

/** Lane groups of a campaign, limited by the column `recipient_terms.lane_group` (reference/routing#order). */
export const MOST_GROUPS = 256;

export const MOST_ROUTES_OF_A_CHAIN = 16;

function split(total: number): { lanes: number; size: number } {
  const lanes = Math.max(1, Math.min(MOST_LANES, Math.ceil(total / RECIPIENTS_A_LANE)));
  return { lanes, size: Math.max(1, Math.ceil(total / lanes)) };
}

/** Splits a campaign into lanes that can be sent in parallel, separately for each group. @param groups absent = group 0 */
export function planLanes(total: number, groups?: Uint8Array): PlannedLane[] {
  const { lanes, size } = split(total);
  const ranges = Array.from({ length: lanes }, (_, lane) => ({
    lane,
    from: 1 + lane * size,
    end: Math.min(total, (lane + 1) * size) + 1,
  })).filter((range) => range.from < range.end);
  if (!groups) return ranges.map((range) => ({ ...range, group: 0, recipients: range.end - range.from }));
  const planned = ranges.flatMap((range) => {
    const counts = new Map<number, number>();
    for (const group of groups.subarray(range.from - 1, range.end - 1)) counts.set(group, (counts.get(group) ?? 0) + 1);
    return [...counts].map(([group, recipients]) => ({
      ...range,
      lane: group * MOST_LANES + range.lane,
      group,
      recipients,
    }));
  });
  return planned.sort((a, b) => a.lane - b.lane);
}

/** The lane of a recipient; never changes. @param group as in `recipient_terms` */
export const laneOf = (total: number, seq: number, group = 0): number =>
  group * MOST_LANES + Math.floor((seq - 1) / split(total).size);

/** From this number on, lanes hold recipients that a carrier has refused; below are those of `planLanes`. */
const FIRST_REFUSED_LANE = MOST_GROUPS * MOST_LANES;

/** The lane for recipients refused by all earlier routes of the chain. @param index of its route in the chain */
export const refusedLaneOf = (group: number, index: number): number =>
  FIRST_REFUSED_LANE + group * MOST_ROUTES_OF_A_CHAIN + index;

/** The group of a lane; 0 = the campaign's own route chain. */
export const groupOf = (lane: number): number =>
  lane < FIRST_REFUSED_LANE
    ? Math.floor(lane / MOST_LANES)
    : Math.floor((lane - FIRST_REFUSED_LANE) / MOST_ROUTES_OF_A_CHAIN);

/** Index of the first route in the chain that may carry the lane: earlier ones have refused its recipients. */
export const firstIndexOf = (lane: number): number =>
  lane < FIRST_REFUSED_LANE ? 0 : (lane - FIRST_REFUSED_LANE) % MOST_ROUTES_OF_A_CHAIN;

/** Whether earlier routes have refused the lane's recipients. */
export const isRefusedLane = (lane: number): boolean => lane >= FIRST_REFUSED_LANE;

/** Lanes whose refused recipients may move into this lane: those of its group with an earlier index in the chain. */
export const lanesBefore = (lane: number): number[] => {
  const [group, first] = [groupOf(lane), firstIndexOf(lane)];
  return [
    ...Array.from({ length: MOST_LANES }, (_, index) => group * MOST_LANES + index),
    ...Array.from({ length: Math.max(0, first - 1) }, (_, index) => refusedLaneOf(group, index + 1)),
  ];
};

/** SQL of `groupOf`. @param lane the column */
export const sqlGroupOf = (lane: string): string =>
  `IF(${lane} < ${FIRST_REFUSED_LANE}, ${lane} DIV ${MOST_LANES}, (${lane} - ${FIRST_REFUSED_LANE}) DIV ${MOST_ROUTES_OF_A_CHAIN})`;
export const sqlFirstIndexOf = (lane: string): string =>
  `IF(${lane} < ${FIRST_REFUSED_LANE}, 0, (${lane} - ${FIRST_REFUSED_LANE}) MOD ${MOST_ROUTES_OF_A_CHAIN})`;

/** SQL of `isRefusedLane`. */
export const sqlIsRefusedLane = (lane: string): string => `${lane} >= ${FIRST_REFUSED_LANE}`;

export interface LaneKey {
  campaignId: number;
  lane: number;
}

/** A lane as read, with the needed fields of its campaign. A claim raises the fence by one. */
export interface LaneSnapshot extends LaneKey {
  /** as read; the claim requires it and writes under the next one */
  fence: number;
  nextSeq: number;
  intentSeq: number;
  endSeq: number;
  state: CampaignState;
  /** of its campaign; such a lane leaves over a test route only, and no other lane does */
  isTest: boolean;
  channel: string;
  accountId: number;
  routeId: number;
  single: boolean;
  /** recipients use several route chains, so the lane sends only to its own group */
  grouped: boolean;
  ownSenders: boolean;
  ownVariables: boolean;
  /** default sender id; null = the route's */
  sender: string | null;
  content: Record<string, unknown>;
  /** since acceptance or the scheduled time; clock of `performance.now()` */
  waitingSince: number;
  /** what its campaign wants done now, as it has not begun in time; null = nothing */
  late: keyof typeof LATE_CHANGE | null;
  retriesDue: boolean;
  /** another worker has begun retries and not finished them */
  retriesBegun: boolean;
  claimId: number | null;
  /** null = messages get through */
  stalledMs: number | null;
  moves: number;
}

export interface LaneEnding {
  lane: LaneSnapshot;
  /** new position if no intent was recorded; null = the intent */
  reached: number | null;
}

/** The fence under which the holder of the claim writes. */
export const heldFence = ({ fence }: Pick<LaneSnapshot, 'fence'>): number => fence + 1;

/** Whether its batch shares statements with other routes. Single messages must not wait; retries need too many statements. */
export const isShared = ({ single, retriesDue }: LaneSnapshot): boolean => !single && !retriesDue;

export const laneKey = ({ campaignId, lane }: LaneKey): string => `${campaignId} ${lane}`;

/** Lock order of lanes. */
export const inLaneOrder = (a: LaneKey, b: LaneKey): number => a.campaignId - b.campaignId || a.lane - b.lane;

/** Endings of lanes that reached their intent. */
export const endingsOf = (lanes: readonly LaneSnapshot[]): LaneEnding[] =>
  lanes.map((lane) => ({ lane, reached: null }));

/** SQL condition. Not `(a, b) IN (…)`: MariaDB reads the whole index for a list of one row. */
export const isOneOfLanes = (alias: string, lanes: readonly LaneKey[]): string =>
  lanes.map(() => `(${alias}.campaign_id = ? AND ${alias}.lane = ?)`).join(' OR ');

type Source = Pick<EntityManager, 'query'>;

/** Route ids in order of preference. */
export type RouteChain = readonly number[];

export const chainText = (chain: RouteChain): string => chain.join(',');

const readChain = (text: string): RouteChain => text.split(',').map(Number);

/** SQL: the route at the lane's index of its chain. @param text, lane columns */
export const sqlRouteAt = (text: string, lane: string): string =>
  `CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(${text}, ',', ${sqlFirstIndexOf(lane)} + 1), ',', -1) AS UNSIGNED)`;

/** @throws RangeError for a duplicate route, or too many */
export function chainOf(routeId: number, fallbacks: readonly number[] = []): RouteChain {
  if (fallbacks.length === 0) return [routeId];
  const chain = [routeId, ...fallbacks];
  if (new Set(chain).size < chain.length) throw new RangeError(`a chain names a route twice: ${chainText(chain)}`);
  if (chain.length > MOST_ROUTES_OF_A_CHAIN)
    throw new RangeError(`a chain has ${MOST_ROUTES_OF_A_CHAIN} routes at most`);
  return chain;
}

export function byIds(a: RouteChain, b: RouteChain): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const order = Number(a[index]) - Number(b[index]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Reads the chains of lanes in one statement; null = no fallback routes. */
export async function chainsOfLanes(
  source: Source,
  lanes: readonly { campaignId: number; lane: number }[],
): Promise<(lane: { campaignId: number; lane: number }) => RouteChain | null> {
  const keyOf = ({ campaignId, lane }: { campaignId: number; lane: number }): string =>
    `${campaignId} ${groupOf(lane)}`;
  const wanted = new Map(lanes.map((lane) => [keyOf(lane), [lane.campaignId, groupOf(lane.lane)]]));
  if (wanted.size === 0) return () => null;
  const rows: { campaign_id: number; lane_group: number; route_ids: string }[] = await source.query(
    `SELECT STRAIGHT_JOIN c.campaign_id, c.lane_group, c.route_ids
     FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', lane_group INT PATH '$[1]')) j
     JOIN campaign_routes c FORCE INDEX (PRIMARY) ON c.campaign_id = j.campaign_id AND c.lane_group = j.lane_group
     WHERE c.campaign_id IN (?)`,
    [jsonRows([...wanted.values()]), [...new Set(lanes.map(({ campaignId }) => campaignId))]],
  );
  const chains = new Map(rows.map((row) => [`${row.campaign_id} ${row.lane_group}`, readChain(row.route_ids)]));
  return (lane) => chains.get(keyOf(lane)) ?? null;
}
