import type { BindPlace } from '../persistence/route-binds.js';

/** The places of one route, as a worker that may hold some of them finds them. */
export interface BindMarket {
  /** of the route */
  binds: number;
  places: readonly BindPlace[];
  /** the worker that asks */
  worker: string;
  /** those that may hold places of the route, whether or not it is among them */
  workers: readonly string[];
}

/** What a worker does about its share. */
export interface BindShare {
  /** free places to take */
  take: BindPlace[];
  /** places to give back */
  surplus: number;
  /** it has less than its share */
  isShort: boolean;
  /** others may hold places of the route too */
  hasOthers: boolean;
}

/**
 * Shares the places of a route among the workers: each has as many as any other, or one more. A free place goes to one
 * that is short of its share; where none is free, those that have one more than others give it back for one that is short.
 */
export function shareOf({ binds, places: all, worker, workers }: BindMarket): BindShare {
  const places = all.filter(({ place }) => place <= binds);
  // Whose lease has ended without a word is no worker any more, whatever it said last.
  const dead = new Set(places.flatMap(({ holder, isFree }) => (isFree && holder !== null ? [holder] : [])));
  const others = [...new Set(workers)].filter((other) => other !== worker && !dead.has(other));
  const count = others.length + 1;
  const [least, most] = [Math.floor(binds / count), Math.ceil(binds / count)];
  const held = places.filter(({ isFree }) => !isFree);
  const heldBy = (holder: string): number => held.filter((place) => place.holder === holder).length;
  const mine = heldBy(worker);
  const beyond = all.filter(({ place, holder, isFree }) => place > binds && !isFree && holder === worker).length;
  const free = places.filter(({ isFree }) => isFree);
  const short = others.reduce((sum, other) => sum + Math.max(0, least - heldBy(other)), 0);
  const hasOthers = others.length > 0;
  if (mine > most || beyond > 0) {
    return { take: [], surplus: Math.max(0, mine - most) + beyond, isShort: false, hasOthers };
  }
  const own = Math.min(Math.max(0, least - mine), free.length);
  const spare = free.length - own - short;
  const more = mine + own >= least && mine + own < most && spare > 0 ? 1 : 0;
  const donors = [worker, ...others]
    .filter((other) => heldBy(other) > least)
    .sort((a, b) => heldBy(b) - heldBy(a) || (a < b ? -1 : 1));
  const rank = donors.indexOf(worker);
  const surplus = free.length === 0 && rank >= 0 && rank < short ? 1 : 0;
  return { take: free.slice(0, own + more), surplus, isShort: mine + own + more < least, hasOthers };
}
