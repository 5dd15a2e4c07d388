import { Injectable } from '@nestjs/common';
import { type BindPlace, RouteBinds } from './persistence/route-binds.js';
import { RouteDirectory } from './persistence/route-directory.js';
import { RouteHealthBoard, type RouteStanding } from './route-health.js';

/** Routes as all workers together see them. */
export interface Standings {
  /** routes of which nothing is known are absent */
  of: ReadonlyMap<number, RouteStanding>;
  /** of routes with `binds` */
  places: ReadonlyMap<number, readonly BindPlace[]>;
}

/** How the routes stand, for staff: by what the workers say, and by the places of those with `binds`. */
@Injectable()
export class RouteStandings {
  constructor(
    private readonly directory: RouteDirectory,
    private readonly board: RouteHealthBoard,
    private readonly binds: RouteBinds,
  ) {}

  async read(): Promise<Standings> {
    const bound = (await this.directory.list()).filter(({ binds }) => binds !== null);
    const standings = new Map(await this.board.read());
    const all = bound.length > 0 ? await this.binds.places() : [];
    const places = new Map<number, readonly BindPlace[]>();
    for (const { id, binds } of bound) {
      const own = all.filter(({ routeId }) => routeId === id);
      places.set(id, own);
      standings.set(id, standingOf(binds ?? 0, own));
    }
    return { of: standings, places };
  }
}

/** A route with binds as its places tell. */
function standingOf(binds: number, all: readonly BindPlace[]): RouteStanding {
  const places = all.filter(({ place }) => place <= binds);
  const bound = places.filter((place) => place.bound && !place.isFree).length;
  const lastError = places.find(({ fault }) => fault !== null)?.fault ?? null;
  if (bound === binds) return { health: 'up', lastError: null, workers: [] };
  if (bound > 0) return { health: 'degraded', lastError, workers: [] };
  const isKnown = lastError !== null || places.some(({ isFree }) => !isFree);
  return { health: isKnown ? 'down' : 'unknown', lastError, workers: [] };
}
