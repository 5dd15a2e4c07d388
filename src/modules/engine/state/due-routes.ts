import type { DataSource } from 'typeorm';
import type { DueRoute } from '../../../platform/queues/index.js';

const ROUTES_A_QUERY = 256;
/** Rows in which a step finds unknown routes, and steps of a query; the next query does the remaining ones. */
const STEP_LANES = 128;
const MOST_STEPS = 64;
const MOST_QUERIES = 2;
const PROBED = 64;
/** Every so many rounds, routes without lanes are forgotten; otherwise they would be probed forever. */
const ROUNDS_KEPT = 16;

const MOST_ROUTE_ID = 2 ** 32 - 1;

export interface FirstDue {
  channel: string;
  routeId: number;
  waitedMs: number;
  /** false = held by a worker, or the route is stalled */
  isFree: boolean;
}

interface Walk {
  known: Set<number>;
  after: number;
  rounds: number;
}

interface Page {
  channel: string;
  walk: Walk;
  after: number;
  last: number;
  end: number;
  routes: Set<number>;
  unasked: number[];
  hasOthers: boolean;
  due: Required<DueRoute>[];
}

/** A row of a step; `single` null = not necessarily due. */
interface FoundRow {
  channel: string;
  routeId: number;
  single: number | null;
}

/** Matches no lane; keeps `channel` from being a constant. Else, with bad statistics, the server reads all lanes. */
const NOTHING = "(channel = '' AND route_id = 0)";
const LANES = 'campaign_lanes FORCE INDEX (ix_campaign_lanes_route)';
const OTHERS = (isAnyKnown: boolean): string => `(SELECT channel, route_id AS routeId, NULL AS single FROM ${LANES}
  WHERE (channel = ? AND route_id > ? AND route_id <= ? ${isAnyKnown ? 'AND route_id NOT IN (?)' : ''}) OR ${NOTHING}
  ORDER BY channel, route_id LIMIT ${STEP_LANES})`;
const IS_DUE = (single: number): string => `(SELECT channel, route_id AS routeId, single FROM ${LANES}
  WHERE channel = ? AND route_id = ? AND single = ${single} AND wake_at <= UTC_TIMESTAMP(3) LIMIT 1)`;
const HAS_LANES = `(SELECT channel, route_id AS routeId, NULL AS single FROM ${LANES} WHERE channel = ? AND route_id = ? LIMIT 1)`;

/**
 * Finds routes with due lanes. With constants each route costs two index steps; `GROUP BY` with `MIN` needs accurate
 * statistics, which a queue table never has. Each query takes the next routes of each channel (docs/decisions/0002).
 */
export class DueRoutes {
  private readonly walks = new Map<string, Walk>();
  private readonly due = new Map<string, Required<DueRoute>>();

  constructor(private readonly dataSource: Pick<DataSource, 'query'>) {}

  /** The next page of due routes. */
  async find(channels: readonly string[]): Promise<Required<DueRoute>[]> {
    return (await this.readPages(channels)).flatMap(({ due }) => due);
  }

  /** The longest due lane per route: probes two further pages, and earlier found routes until nothing of them is due. */
  async first(channels: readonly string[]): Promise<FirstDue[]> {
    let left = channels;
    for (let query = 0; query < MOST_QUERIES && left.length > 0; query++) {
      const pages = await this.readPages(left);
      for (const route of pages.flatMap(({ due }) => due)) this.due.set(keyOf(route), route);
      left = pages.filter(({ end }) => end < MOST_ROUTE_ID).map(({ channel }) => channel);
    }
    const found: FirstDue[] = [];
    for (const some of inParts([...this.due.values()])) found.push(...(await this.firstOf(some)));
    return found;
  }

  private async firstOf(routes: readonly Required<DueRoute>[]): Promise<FirstDue[]> {
    const probe = `(SELECT channel, route_id AS routeId, single, TIMESTAMPDIFF(MICROSECOND, wake_at, UTC_TIMESTAMP(3)) AS waited,
        stalled_since IS NULL AND (lease_until IS NULL OR lease_until <= UTC_TIMESTAMP(3)) AS free FROM ${LANES}
      WHERE channel = ? AND route_id = ? AND single = ? AND wake_at <= UTC_TIMESTAMP(3) ORDER BY wake_at LIMIT 1)`;
    const rows: { channel: string; routeId: number; single: number; waited: string; free: number }[] =
      await this.dataSource.query(
        routes.map(() => probe).join(' UNION ALL '),
        routes.flatMap(({ channel, routeId, single }) => [channel, routeId, Number(single)]),
      );
    for (const route of routes) this.due.delete(keyOf(route));
    return rows.map(({ channel, routeId, single, waited, free }) => {
      const route = { channel, routeId, single: Number(single) === 1 };
      this.due.set(keyOf(route), route);
      return { channel, routeId, waitedMs: Number(waited) / 1_000, isFree: Number(free) === 1 };
    });
  }

  private async readPages(channels: readonly string[]): Promise<Page[]> {
    const pages = channels.map((channel) => this.nextPage(channel));
    let open = pages;
    for (let step = 1; open.length > 0; step++) {
      const parts = open.flatMap(partsOf);
      const rows: FoundRow[] = await this.dataSource.query(
        parts.map(({ sql }) => sql).join(' UNION ALL '),
        parts.flatMap(({ values }) => values),
      );
      for (const page of open) {
        take(
          page,
          rows.filter(({ channel }) => channel === page.channel),
          step < MOST_STEPS,
        );
      }
      open = open.filter(({ hasOthers, unasked }) => hasOthers || unasked.length > 0);
    }
    for (const { walk, end } of pages) {
      walk.after = end < MOST_ROUTE_ID ? end : 0;
      if (walk.after === 0) walk.rounds += 1;
    }
    return pages;
  }

  private nextPage(channel: string): Page {
    const walk = this.walks.get(channel) ?? { known: new Set(), after: 0, rounds: 0 };
    this.walks.set(channel, walk);
    const ahead = [...walk.known].filter((routeId) => routeId > walk.after).sort((a, b) => a - b);
    const unasked = ahead.slice(0, ROUTES_A_QUERY);
    const last = (ahead.length > unasked.length ? unasked.at(-1) : undefined) ?? MOST_ROUTE_ID;
    const routes = new Set(unasked);
    return { channel, walk, after: walk.after, last, end: last, routes, unasked, hasOthers: true, due: [] };
  }
}

const forgets = ({ rounds }: Walk): boolean => rounds % ROUNDS_KEPT === ROUNDS_KEPT - 1;

const keyOf = ({ channel, routeId, single }: Required<DueRoute>): string => `${channel} ${routeId} ${Number(single)}`;

function partsOf({ channel, walk, after, last, routes, unasked, hasOthers }: Page): {
  sql: string;
  values: unknown[];
}[] {
  const probes = [IS_DUE(0), IS_DUE(1), ...(forgets(walk) ? [HAS_LANES] : [])];
  const others = {
    sql: OTHERS(routes.size > 0),
    values: [channel, after, last, ...(routes.size > 0 ? [[...routes]] : [])],
  };
  return [
    ...(hasOthers ? [others] : []),
    ...unasked.flatMap((routeId) => probes.map((sql) => ({ sql, values: [channel, routeId] }))),
  ];
}

function take(page: Page, rows: readonly FoundRow[], mayGoOn: boolean): void {
  const { channel, walk, routes, due } = page;
  for (const { routeId, single } of rows) {
    if (single !== null) due.push({ channel, routeId, single: Number(single) === 1 });
  }
  const seen = new Set(rows.map(({ routeId }) => routeId));
  if (forgets(walk)) {
    for (const routeId of page.unasked) if (!seen.has(routeId)) walk.known.delete(routeId);
  }
  const others = rows.filter(({ routeId }) => !routes.has(routeId));
  page.unasked = [...seen].filter((routeId) => !routes.has(routeId));
  for (const routeId of page.unasked) {
    routes.add(routeId);
    walk.known.add(routeId);
  }
  if (!page.hasOthers) return;
  // A full step may hide further routes.
  const isFull = others.length === STEP_LANES;
  page.end = isFull ? (others.at(-1)?.routeId ?? page.last) : page.last;
  page.hasOthers = isFull && mayGoOn && routes.size < ROUTES_A_QUERY;
}

function* inParts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let first = 0; first < all.length; first += PROBED) yield all.slice(first, first + PROBED);
}
