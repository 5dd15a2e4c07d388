import { LANE_DUTY, type LaneDuty } from '../state/campaign-transitions.js';
import type { LaneTurn } from './lane-turn.js';

/** Lanes of each route. */
export function byRoute(turns: readonly LaneTurn[]): LaneTurn[][] {
  const routes = new Map<number, LaneTurn[]>();
  for (const turn of turns) routes.set(turn.routeId, [...(routes.get(turn.routeId) ?? []), turn]);
  return [...routes.values()];
}

/** What is to be done with each lane; a window that a lost worker left comes first. */
export function byDuty(turns: readonly LaneTurn[]): Record<LaneDuty | 'recover', LaneTurn[]> {
  const of: Record<LaneDuty | 'recover', LaneTurn[]> = { recover: [], wait: [], send: [], refund: [], rest: [] };
  for (const turn of turns) {
    const isLost = turn.intentSeq > turn.nextSeq || turn.retriesBegun;
    of[isLost ? 'recover' : LANE_DUTY[turn.state]].push(turn);
  }
  return of;
}
