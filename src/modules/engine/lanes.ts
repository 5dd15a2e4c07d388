import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../platform/database/index.js';
import type { CampaignState } from './campaign.js';

/** A range of recipients, `from` inclusive, `end` exclusive; seq starts at 1. */
export interface LaneRange {
  lane: number;
  from: number;
  end: number;
}

/** A lane of a new campaign: of the recipients in its range it sends to those of its group, over one route. */
export interface PlannedLane extends LaneRange {
  /** 0 = the campaign's own chain of routes; the others one a further chain (`recipient_terms.lane_group`) */
  group: number;
  /** recipients of the group in the range; at least one */
  recipients: number;
}

const RECIPIENTS_A_LANE = 2_500;
const MOST_LANES = 8;

/** How many groups of lanes a campaign may have: what `recipient_terms.lane_group` can count (reference/routing#order). */
export const MOST_GROUPS = 256;

/** Routes of a chain: the first carries, the others take over. */
export const MOST_ROUTES_OF_A_CHAIN = 16;

/** Lanes of a campaign with so many recipients, and recipients of each but the last. */
function split(total: number): { lanes: number; size: number } {
  const lanes = Math.max(1, Math.min(MOST_LANES, Math.ceil(total / RECIPIENTS_A_LANE)));
  return { lanes, size: Math.max(1, Math.ceil(total / lanes)) };
}

/**
 * Splits a campaign into a few lanes that workers can send side by side: each group has its own for every range in which it
 * has recipients.
 * @param groups of the recipients, in their order; absent = all of them are of group 0
 */
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

/** The lane of a recipient, as `planLanes` has split the campaign; for good. @param group as in `recipient_terms` */
export const laneOf = (total: number, seq: number, group = 0): number =>
  group * MOST_LANES + Math.floor((seq - 1) / split(total).size);

/** Lanes below it are those of `planLanes`; from it on, those of recipients that a carrier has refused. */
const FIRST_REFUSED_LANE = MOST_GROUPS * MOST_LANES;

/** The lane of a group's recipients that the routes before this one have refused. @param place of its route in the chain */
export const refusedLaneOf = (group: number, place: number): number =>
  FIRST_REFUSED_LANE + group * MOST_ROUTES_OF_A_CHAIN + place;

/** The group of a lane: 0 = those who leave over the campaign's own chain of routes. */
export const groupOf = (lane: number): number =>
  lane < FIRST_REFUSED_LANE
    ? Math.floor(lane / MOST_LANES)
    : Math.floor((lane - FIRST_REFUSED_LANE) / MOST_ROUTES_OF_A_CHAIN);

/** The first place of its chain whose route may carry a lane: those before have refused its recipients. */
export const firstIndexOf = (lane: number): number =>
  lane < FIRST_REFUSED_LANE ? 0 : (lane - FIRST_REFUSED_LANE) % MOST_ROUTES_OF_A_CHAIN;

/** Whether a lane has recipients that the routes before its own have refused. */
export const isRefusedLane = (lane: number): boolean => lane >= FIRST_REFUSED_LANE;

/** The lanes from which recipients may have come into such a lane: all of its group, and those of earlier places of the chain. */
export const lanesBefore = (lane: number): number[] => {
  const [group, place] = [groupOf(lane), firstIndexOf(lane)];
  return [
    ...Array.from({ length: MOST_LANES }, (_, index) => group * MOST_LANES + index),
    ...Array.from({ length: Math.max(0, place - 1) }, (_, index) => refusedLaneOf(group, index + 1)),
  ];
};

/** As `groupOf` and `firstIndexOf`, as SQL. @param lane the column */
export const sqlGroupOf = (lane: string): string =>
  `IF(${lane} < ${FIRST_REFUSED_LANE}, ${lane} DIV ${MOST_LANES}, (${lane} - ${FIRST_REFUSED_LANE}) DIV ${MOST_ROUTES_OF_A_CHAIN})`;
export const sqlFirstIndexOf = (lane: string): string =>
  `IF(${lane} < ${FIRST_REFUSED_LANE}, 0, (${lane} - ${FIRST_REFUSED_LANE}) MOD ${MOST_ROUTES_OF_A_CHAIN})`;

/** Whether a lane has recipients that the routes before its own have refused, as SQL. @param lane the column */
export const sqlIsRefusedLane = (lane: string): string => `${lane} >= ${FIRST_REFUSED_LANE}`;

/** A lane by its key. */
export interface LaneKey {
  campaignId: number;
  lane: number;
}

/** A lane as a turn found it, with what the turn needs of its campaign. The claim raises the fence by one. */
export interface LaneSnapshot extends LaneKey {
  /** as it was read: the claim asks for it, and what the turn writes stands under the next one */
  fence: number;
  nextSeq: number;
  intentSeq: number;
  endSeq: number;
  state: CampaignState;
  channel: string;
  accountId: number;
  routeId: number;
  /** a campaign of one recipient */
  single: boolean;
  /** recipients of the campaign leave over several chains of routes: the lane has those of its group alone */
  grouped: boolean;
  /** recipients of the campaign have senders of their own */
  ownSenders: boolean;
  /** recipients of the campaign have variables */
  ownVariables: boolean;
  /** sender id of recipients that have none of their own; null = the route's */
  sender: string | null;
  content: Record<string, unknown>;
  /** since when its messages could leave: the moment of acceptance, or of the schedule; clock of `performance.now()` */
  waitingSince: number;
  /** retries are due */
  retriesDue: boolean;
  /** another worker had begun retries, and has not ended them */
  retriesBegun: boolean;
  /** of the last claim, as `LaneStore.claim` got it */
  claimId: number | null;
  /** for how long nothing has got through; null = it moves */
  stalledMs: number | null;
  /** how often it was handed to another route */
  moves: number;
}

/** A lane whose turn is over. */
export interface LaneEnding {
  lane: LaneSnapshot;
  /** the new position of a turn that sent nothing, and so recorded no intent; null = the intent */
  reached: number | null;
}

/** The fence under which a claimed turn writes. */
export const heldFence = ({ fence }: Pick<LaneSnapshot, 'fence'>): number => fence + 1;

/**
 * Whether its window shares statements with those of other routes. One of single messages is a group of campaigns already, and
 * waits for no other; the claim of one with retries is a transaction of many statements.
 */
export const isShared = ({ single, retriesDue }: LaneSnapshot): boolean => !single && !retriesDue;

/** One text a lane, for maps. */
export const laneKey = ({ campaignId, lane }: LaneKey): string => `${campaignId} ${lane}`;

/** The order in which lanes are locked. */
export const inLaneOrder = (a: LaneKey, b: LaneKey): number => a.campaignId - b.campaignId || a.lane - b.lane;

/** The ends of turns that reach what they intended. */
export const endingsOf = (lanes: readonly LaneSnapshot[]): LaneEnding[] =>
  lanes.map((lane) => ({ lane, reached: null }));

/** Lanes as an SQL condition. Not `(a, b) IN (…)`: MariaDB reads the whole index for a list of one row. */
export const isOneOfLanes = (alias: string, lanes: readonly LaneKey[]): string =>
  lanes.map(() => `(${alias}.campaign_id = ? AND ${alias}.lane = ?)`).join(' OR ');

/** The pool or a transaction. */
type Source = Pick<EntityManager, 'query'>;

/** Routes by id: the first carries, the others take over from it in this order. */
export type RouteChain = readonly number[];

/** As `campaign_routes.route_ids` has it. */
export const chainText = (chain: RouteChain): string => chain.join(',');

export const readChain = (text: string): RouteChain => text.split(',').map(Number);

/** The route at a lane's own place of its chain, as SQL. @param text, lane columns */
export const sqlRouteAt = (text: string, lane: string): string =>
  `CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(${text}, ',', ${sqlFirstIndexOf(lane)} + 1), ',', -1) AS UNSIGNED)`;

/** @throws RangeError for one that names a route twice, or has too many */
export function chainOf(routeId: number, fallbacks: readonly number[] = []): RouteChain {
  if (fallbacks.length === 0) return [routeId];
  const chain = [routeId, ...fallbacks];
  if (new Set(chain).size < chain.length) throw new RangeError(`a chain names a route twice: ${chainText(chain)}`);
  if (chain.length > MOST_ROUTES_OF_A_CHAIN)
    throw new RangeError(`a chain has ${MOST_ROUTES_OF_A_CHAIN} routes at most`);
  return chain;
}

/** By their ids, the first before the others. */
export function byIds(a: RouteChain, b: RouteChain): number {
  for (let place = 0; place < Math.min(a.length, b.length); place++) {
    const order = Number(a[place]) - Number(b[place]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** The chains of lanes, in one statement. @returns tells a lane's; null = nothing takes over from its route */
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
