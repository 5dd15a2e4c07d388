import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import { groupOf, MOST_ROUTES_OF_A_CHAIN, sqlFirstPlaceOf } from './lanes.js';

/** The pool or a transaction. */
type Source = Pick<EntityManager, 'query'>;

/** Routes by id: the first carries, the others take over from it in this order. */
export type RouteChain = readonly number[];

/** As `campaign_routes.route_ids` has it. */
export const chainText = (chain: RouteChain): string => chain.join(',');

export const readChain = (text: string): RouteChain => text.split(',').map(Number);

/** The route at a lane's own place of its chain, as SQL. @param text, lane columns */
export const sqlRouteAt = (text: string, lane: string): string =>
  `CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(${text}, ',', ${sqlFirstPlaceOf(lane)} + 1), ',', -1) AS UNSIGNED)`;

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
