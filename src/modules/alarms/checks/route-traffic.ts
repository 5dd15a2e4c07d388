import { Injectable } from '@nestjs/common';
import { now } from '../../../kernel/clock.js';
import { RouteDirectory } from '../../providers/index.js';
import { SUBJECT_KINDS, type TrafficPoint, TrafficReader } from '../../statistics/index.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The past that a route is compared with. */
const PAST_MS = 48 * HOUR_MS;
/** Routes of one statement. */
const ROUTES_AT_ONCE = 200;

/** What an operator's route did lately, and in the two days before. */
export interface RouteTraffic {
  name: string;
  /** by the minute */
  lately: TrafficPoint[];
  /** by the hour, of whole hours before */
  past: TrafficPoint[];
}

/** Reads what checks of routes compare: a few ranges of a key a round. */
@Injectable()
export class RouteTrafficReader {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly reader: TrafficReader,
  ) {}

  /** @param sinceMs how far back lately goes */
  async read(sinceMs: number): Promise<RouteTraffic[]> {
    const at = now().getTime();
    const since = Math.floor((at - sinceMs) / MINUTE_MS) * MINUTE_MS;
    const hour = Math.floor(since / HOUR_MS) * HOUR_MS;
    const minutes = { from: new Date(since), to: new Date(at + MINUTE_MS), stepMs: MINUTE_MS } as const;
    const hours = { from: new Date(hour - PAST_MS), to: new Date(hour), stepMs: HOUR_MS } as const;
    const routes = await this.routes.list();
    const found: RouteTraffic[] = [];
    for (let first = 0; first < routes.length; first += ROUTES_AT_ONCE) {
      const some = routes.slice(first, first + ROUTES_AT_ONCE);
      const wanted = { kind: SUBJECT_KINDS.route, subjectIds: some.map(({ id }) => id) };
      const lately = await this.reader.points(wanted, { ...minutes, table: 'traffic_minutes' });
      const past = await this.reader.points(wanted, { ...hours, table: 'traffic_hours' });
      for (const { id, name } of some) {
        const own = ({ subjectId }: TrafficPoint): boolean => subjectId === id;
        found.push({ name, lately: lately.filter(own), past: past.filter(own) });
      }
    }
    return found;
  }
}
