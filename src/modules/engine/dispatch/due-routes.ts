import type { DataSource } from 'typeorm';
import type { DueRoute } from '../../../platform/queues/index.js';

/** Rows that one step of a search for routes reads. */
const STEP_LANES = 128;
/** Statements of a search; what is left is found by the next one. */
const MOST_STEPS = 64;
/** Routes that one statement asks for: their probes are parts of it. */
const PROBED = 64;
/** The range optimizer makes ranges of a `NOT IN` up to so many values. */
const MOST_KNOWN = 1_000;
/** After so many searches what is known is forgotten, so that routes without lanes are not asked for for ever. */
const FORGOTTEN_AFTER = 600;

/** The first lane that is due of a route. */
export interface FirstDue {
  channel: string;
  routeId: number;
  waitedMs: number;
  /** false while a worker holds it, or its route lets nothing through */
  isFree: boolean;
}

/**
 * What no lane has. Beside it the channel is no constant, so the server has to jump from range to range; else, where the statistics
 * of the table say that all else costs as much, it reads every lane of the channel up to the first route that is not known.
 */
const NOTHING = "(channel = '' AND route_id = 0)";
const LANES = 'campaign_lanes FORCE INDEX (ix_campaign_lanes_route)';

/**
 * Finds the routes over which something is due. Every value of a statement is a constant, so that each route costs two steps
 * in the index: `GROUP BY` with `MIN` does the same in one statement, but only while the statistics of the table say so,
 * and those of a queue are hardly ever true; else it reads every lane.
 */
export class DueRoutes {
  /** routes that have had lanes, by channel */
  private readonly known = new Map<string, Set<number>>();
  private searches = 0;

  constructor(private readonly dataSource: Pick<DataSource, 'query'>) {}

  /** @param channels whose lanes are asked for */
  async find(channels: readonly string[]): Promise<Required<DueRoute>[]> {
    if (this.searches++ % FORGOTTEN_AFTER === 0) this.known.clear();
    await this.learn(channels);
    const routes = channels.flatMap((channel) => [...this.of(channel)].map((routeId) => ({ channel, routeId })));
    const due: Required<DueRoute>[] = [];
    for (const some of inParts(routes)) due.push(...(await this.thatAreDue(some)));
    return due;
  }

  /** Asks for the lane of each of these routes that has been due for longest. */
  async first(channels: readonly string[]): Promise<FirstDue[]> {
    const found: FirstDue[] = [];
    for (const some of inParts(await this.find(channels))) {
      const probe = `(SELECT channel, route_id AS routeId, TIMESTAMPDIFF(MICROSECOND, wake_at, UTC_TIMESTAMP(3)) AS waited,
          stalled_since IS NULL AND (lease_until IS NULL OR lease_until <= UTC_TIMESTAMP(3)) AS free FROM ${LANES}
        WHERE channel = ? AND route_id = ? AND single = ? AND wake_at <= UTC_TIMESTAMP(3) ORDER BY wake_at LIMIT 1)`;
      const rows: { channel: string; routeId: number; waited: string; free: number }[] = await this.dataSource.query(
        some.map(() => probe).join(' UNION ALL '),
        some.flatMap(({ channel, routeId, single }) => [channel, routeId, Number(single)]),
      );
      for (const { waited, free, ...route } of rows)
        found.push({ ...route, waitedMs: Number(waited) / 1_000, isFree: Number(free) === 1 });
    }
    return found;
  }

  private of(channel: string): Set<number> {
    const routes = this.known.get(channel) ?? new Set();
    this.known.set(channel, routes);
    return routes;
  }

  /** Asks for lanes of routes that are not known yet, until there are none. */
  private async learn(channels: readonly string[]): Promise<void> {
    let asked = channels.filter((channel) => this.of(channel).size < MOST_KNOWN);
    for (let step = 0; step < MOST_STEPS && asked.length > 0; step++) {
      const parts = asked.map((channel) => {
        const routes = [...this.of(channel)];
        const others = routes.length > 0 ? 'AND route_id NOT IN (?)' : '';
        return {
          sql: `(SELECT channel, route_id AS routeId FROM ${LANES} WHERE (channel = ? ${others}) OR ${NOTHING}
            ORDER BY channel, route_id LIMIT ${STEP_LANES})`,
          values: [channel, ...(routes.length > 0 ? [routes] : [])],
        };
      });
      const rows: { channel: string; routeId: number }[] = await this.dataSource.query(
        parts.map(({ sql }) => sql).join(' UNION ALL '),
        parts.flatMap(({ values }) => values),
      );
      for (const { channel, routeId } of rows) this.of(channel).add(routeId);
      // A part that was full may have hidden others behind it.
      const counts = new Map<string, number>();
      for (const { channel } of rows) counts.set(channel, (counts.get(channel) ?? 0) + 1);
      asked = asked.filter((channel) => counts.get(channel) === STEP_LANES && this.of(channel).size < MOST_KNOWN);
    }
  }

  private async thatAreDue(routes: readonly { channel: string; routeId: number }[]): Promise<Required<DueRoute>[]> {
    const probe = `(SELECT channel, route_id AS routeId, single FROM ${LANES}
      WHERE channel = ? AND route_id = ? AND single = ? AND wake_at <= UTC_TIMESTAMP(3) LIMIT 1)`;
    const values = routes.flatMap(({ channel, routeId }) => [channel, routeId, 0, channel, routeId, 1]);
    const rows: { channel: string; routeId: number; single: number }[] = await this.dataSource.query(
      routes.map(() => `${probe} UNION ALL ${probe}`).join(' UNION ALL '),
      values,
    );
    return rows.map(({ single, ...route }) => ({ ...route, single: Number(single) === 1 }));
  }
}

/** As many as one statement asks for. */
function* inParts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let first = 0; first < all.length; first += PROBED) yield all.slice(first, first + PROBED);
}
