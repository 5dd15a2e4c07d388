import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { DueRoute } from '../../../platform/queues/index.js';

/** Routes of a channel that one look asks for; the next one goes on behind them. One statement has all their probes. */
const ROUTES_A_LOOK = 256;
/** Rows in which one step of a look finds routes that are not known yet, and steps of a look: what is left is the next one's. */
const STEP_LANES = 128;
const MOST_STEPS = 64;
/** Looks in a row for monitors, which want to know of all routes: 512 of a channel, and of the rest the next time. */
const MOST_LOOKS = 2;
/** Routes whose first lanes one statement asks for. */
const PROBED = 64;
/** The last of so many rounds forgets the routes without lanes, so that they are not asked for for ever. */
const ROUNDS_KEPT = 16;

const MOST_ROUTE_ID = 2 ** 32 - 1;

/** The first lane that is due of a route. */
export interface FirstDue {
  channel: string;
  routeId: number;
  waitedMs: number;
  /** false while a worker holds it, or its route lets nothing through */
  isFree: boolean;
}

/** How far the looks have come among the routes of a channel. */
interface Walk {
  /** routes that have had lanes */
  known: Set<number>;
  /** the last route of the look before; 0 = a round begins */
  after: number;
  rounds: number;
}

/** What one look asks for: the routes of a channel from behind `after` up to `end`. */
interface Page {
  channel: string;
  walk: Walk;
  after: number;
  last: number;
  /** `last`, or where there are more than one look takes, the last that has been asked for */
  end: number;
  /** routes of the page that are known */
  routes: Set<number>;
  /** those that have not been asked for yet whether they are due */
  unasked: number[];
  /** whether there may be routes that are not known */
  hasOthers: boolean;
  due: Required<DueRoute>[];
}

/** What a step has found: a lane that is due, or with `single` null one that may be due or not. */
interface FoundRow {
  channel: string;
  routeId: number;
  single: number | null;
}

/**
 * What no lane has. Beside it the channel is no constant, so the server has to jump from range to range; else, where the statistics
 * of the table say that all else costs as much, it reads every lane of the channel up to the first route that is not known.
 */
const NOTHING = "(channel = '' AND route_id = 0)";
const LANES = 'campaign_lanes FORCE INDEX (ix_campaign_lanes_route)';
const OTHERS = (isAnyKnown: boolean): string => `(SELECT channel, route_id AS routeId, NULL AS single FROM ${LANES}
  WHERE (channel = ? AND route_id > ? AND route_id <= ? ${isAnyKnown ? 'AND route_id NOT IN (?)' : ''}) OR ${NOTHING}
  ORDER BY channel, route_id LIMIT ${STEP_LANES})`;
const IS_DUE = (single: number): string => `(SELECT channel, route_id AS routeId, single FROM ${LANES}
  WHERE channel = ? AND route_id = ? AND single = ${single} AND wake_at <= UTC_TIMESTAMP(3) LIMIT 1)`;
const HAS_LANES = `(SELECT channel, route_id AS routeId, NULL AS single FROM ${LANES} WHERE channel = ? AND route_id = ? LIMIT 1)`;

/**
 * Finds the routes over which something is due. Every value of a statement is a constant, so that each route costs two steps
 * in the index: `GROUP BY` with `MIN` does the same in one statement, but only while the statistics of the table say so,
 * and those of a queue are hardly ever true; else it reads every lane.
 *
 * A look takes the next routes of each channel and goes round, so that it costs the same however many routes have lanes,
 * and none is left out (docs/decisions/0002). At rest it is one statement.
 */
export class DueRoutes {
  private readonly walks = new Map<string, Walk>();
  /** what `first` has found, and asks for again */
  private readonly due = new Map<string, Required<DueRoute>>();

  constructor(private readonly dataSource: Pick<DataSource, 'query'>) {}

  /** The next look. @param channels whose lanes are asked for */
  async find(channels: readonly string[]): Promise<Required<DueRoute>[]> {
    return (await this.look(channels)).flatMap(({ due }) => due);
  }

  /**
   * Asks for the lane that has been due for longest, of each route that is known to have one: two looks go on from where those
   * before ended, and what they have found is asked for until it is due no more.
   */
  async first(channels: readonly string[]): Promise<FirstDue[]> {
    let left = channels;
    for (let look = 0; look < MOST_LOOKS && left.length > 0; look++) {
      const pages = await this.look(left);
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

  private async look(channels: readonly string[]): Promise<Page[]> {
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
    const unasked = ahead.slice(0, ROUTES_A_LOOK);
    const last = (ahead.length > unasked.length ? unasked.at(-1) : undefined) ?? MOST_ROUTE_ID;
    const routes = new Set(unasked);
    return { channel, walk, after: walk.after, last, end: last, routes, unasked, hasOthers: true, due: [] };
  }
}

const forgets = ({ rounds }: Walk): boolean => rounds % ROUNDS_KEPT === ROUNDS_KEPT - 1;

const keyOf = ({ channel, routeId, single }: Required<DueRoute>): string => `${channel} ${routeId} ${Number(single)}`;

/** The next step of a look: routes that are not known yet, and which of the others are due. */
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

/** @param mayGoOn whether further routes may be looked for */
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
  // A step that was full may have hidden others behind it.
  const isFull = others.length === STEP_LANES;
  page.end = isFull ? (others.at(-1)?.routeId ?? page.last) : page.last;
  page.hasOthers = isFull && mayGoOn && routes.size < ROUTES_A_LOOK;
}

/** As many as one statement asks for. */
function* inParts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let first = 0; first < all.length; first += PROBED) yield all.slice(first, first + PROBED);
}

/** The first lane that is due of each route, for monitors. */
@Injectable()
export class OldestDue extends DueRoutes {
  constructor(@InjectDataSource() dataSource: DataSource) {
    super(dataSource);
  }
}
