import { clockTime, dateTime, now } from '../../../kernel/clock.js';
import type { RouteQueue } from '../../engine/index.js';
import type { BindPlace, CircuitState, KnownState, RouteRecord, RouteStanding } from '../../providers/index.js';
import type { RouteFigure } from '../../statistics/index.js';
import type { RouteStatusBinds } from '../http/route-status.dto.js';

/** A route with everything that is known of it. */
export interface ObservedRoute {
  route: RouteRecord;
  standing: RouteStanding;
  known: KnownState | null;
  places: readonly BindPlace[] | null;
  queue: RouteQueue;
  figure: RouteFigure | null;
  unmatched: number;
}

/** The worst that a worker says; null where its connections have none. */
export function circuitOf({ workers }: RouteStanding): CircuitState | null {
  for (const state of ['open', 'half_open', 'closed'] as const) {
    if (workers.some(({ circuit }) => circuit === state)) return state;
  }
  return null;
}

/** What is the matter, in one line: `connect ECONNREFUSED since 02:14, 500 waiting`. */
export function summaryOf({ route, standing, known, queue }: ObservedRoute, timeZone: string): string | null {
  const waits = queue.waiting > 0 ? `${queue.waiting.toLocaleString('en')}${queue.hasMore ? '+' : ''} waiting` : null;
  if (route.stopped) {
    const { at, by } = route.stopped;
    return [`Stopped by ${by} since ${momentOf(at, timeZone)}`, waits].filter(Boolean).join(', ');
  }
  if (standing.health === 'up') return null;
  if (standing.health === 'unknown') return ['No worker keeps it open', waits].filter(Boolean).join(', ');
  const error = standing.lastError ?? STATES_IN_WORDS[standing.health];
  const since = known && standing.lastError === known.error ? known.errorSince : known?.since;
  return [since ? `${error} since ${momentOf(since, timeZone)}` : error, waits].filter(Boolean).join(', ');
}

const STATES_IN_WORDS = { degraded: 'Some workers do not reach it', down: 'No worker reaches it' } as const;
const DAY_MS = 86_400_000;

/** `02:14`, or with its date where it was another day's. */
const momentOf = (at: Date, timeZone: string): string =>
  now().getTime() - at.getTime() < DAY_MS ? clockTime(at, timeZone).slice(0, 5) : dateTime(at, timeZone).slice(0, 16);

/** Sessions with the carrier: of all workers together, or one each. */
export function bindsOf({ route, places, standing }: ObservedRoute): RouteStatusBinds {
  const sessions = places
    ? places.flatMap(({ holder, isFree, bound, fault }) =>
        holder === null || isFree ? [] : [{ worker: holder, bound, fault }],
      )
    : standing.workers.map(({ worker, ready, fault }) => ({ worker, bound: ready, fault }));
  const names = [...new Set(sessions.map(({ worker }) => worker))];
  return {
    wanted: route.binds ?? standing.workers.length,
    held: sessions.length,
    bound: sessions.filter(({ bound }) => bound).length,
    workers: names.map((worker) => {
      const own = sessions.filter((session) => session.worker === worker);
      return {
        worker,
        held: own.length,
        bound: own.filter(({ bound }) => bound).length,
        last_error: own.find(({ fault }) => fault !== null)?.fault ?? null,
      };
    }),
  };
}
