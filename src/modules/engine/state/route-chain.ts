import { MOST_ROUTES_OF_A_CHAIN } from './lanes.js';

/** Routes by id: the first carries, the others take over from it in this order. */
export type RouteChain = readonly number[];

/** As `campaign_routes.route_ids` has it. */
export const chainText = (chain: RouteChain): string => chain.join(',');

export const readChain = (text: string): RouteChain => text.split(',').map(Number);

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
