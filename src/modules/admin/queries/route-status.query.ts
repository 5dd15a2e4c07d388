import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { dateTime, now } from '../../../kernel/clock.js';
import { type Listed, ONE, type Page, partOf } from '../../../kernel/lists.js';
import { TtlCache } from '../../../platform/caches/index.js';
import { Channels, type RouteQueue, RouteQueues, UnmatchedStore } from '../../engine/index.js';
import {
  DriverRegistry,
  RouteDirectory,
  type RouteRecord,
  RouteStandings,
  RouteStates,
  UNHEARD,
} from '../../providers/index.js';
import { RouteFigures } from '../../statistics/index.js';
import type { RouteStatusData } from '../http/route-status.dto.js';
import { stopOf } from './list-routes.query.js';
import { bindsOf, circuitOf, type ObservedRoute, summaryOf } from './route-summary.js';

/** How routes stand: a part of all by name, or the one of a name. Only those that are shown are looked at. */
export class RouteStatusQuery extends Query<Listed<RouteStatusData>> {
  /** @param timeZone in which times are shown */
  constructor(
    readonly which: Page | string,
    readonly timeZone: string,
  ) {
    super();
  }
}

/** What is counted is counted once for all who look. */
const KEPT_MS = 2_000;
const UNMATCHED_KEPT_MS = 15_000;
/** A receipt may come before the answer to its submit. */
const UNMATCHED_AFTER_MS = 60_000;
const MOST_UNMATCHED = 10_000;

@QueryHandler(RouteStatusQuery)
export class RouteStatusHandler implements IQueryHandler<RouteStatusQuery> {
  private readonly queues = new TtlCache<number, RouteQueue>(KEPT_MS);
  private readonly unmatched = new TtlCache<'all', ReadonlyMap<number, number>>(UNMATCHED_KEPT_MS, 1);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly channels: Channels,
    private readonly standings: RouteStandings,
    private readonly states: RouteStates,
    private readonly lanes: RouteQueues,
    private readonly receipts: UnmatchedStore,
    private readonly figures: RouteFigures,
  ) {}

  async execute({ which, timeZone }: RouteStatusQuery): Promise<Listed<RouteStatusData>> {
    const one = typeof which === 'string' ? await this.routes.byName(which) : null;
    const all = typeof which === 'string' ? [one].flatMap((route) => route ?? []) : await this.routes.list();
    const listed = partOf(all, ({ name }) => name, typeof which === 'string' ? ONE : which);
    return { ...listed, items: await this.look(listed.items, timeZone) };
  }

  private async look(routes: readonly RouteRecord[], timeZone: string): Promise<RouteStatusData[]> {
    if (routes.length === 0) return [];
    const [{ of, places }, states, figures, unmatched] = await Promise.all([
      this.standings.read(),
      this.states.read(),
      this.figures.of(routes.map(({ id }) => id)),
      this.unmatched.get('all', () => this.receipts.countByRoute(this.dataSource, UNMATCHED_AFTER_MS, MOST_UNMATCHED)),
    ]);
    const found: RouteStatusData[] = [];
    // One after the other: a look at all routes takes one connection.
    for (const route of routes) {
      const observed: ObservedRoute = {
        route,
        standing: of.get(route.id) ?? UNHEARD,
        known: states.get(route.id) ?? null,
        places: places.get(route.id) ?? null,
        queue: await this.queueOf(route),
        figure: figures.get(route.id) ?? null,
        unmatched: unmatched.get(route.id) ?? 0,
      };
      found.push(this.view(observed, timeZone));
    }
    return found;
  }

  private queueOf({ id, channel }: RouteRecord): Promise<RouteQueue> {
    const names = this.channels.all.flatMap((one) => (one.routes === channel ? [one.name] : []));
    return this.queues.get(id, () => this.lanes.of(names, id));
  }

  private view(observed: ObservedRoute, timeZone: string): RouteStatusData {
    const { route, standing, known, queue, figure } = observed;
    const time = (at: Date | null | undefined): string | null => (at ? dateTime(at, timeZone) : null);
    const isWell = standing.health === 'up';
    const error = standing.lastError ?? known?.error ?? null;
    const since = route.stopped ? route.stopped.at : known?.state === standing.health ? known.since : null;
    const receiptAt = figure?.newestReceiptAt ?? null;
    return {
      name: route.name,
      channel: route.channel,
      driver: route.driver,
      is_default: route.isDefault,
      state: route.stopped ? 'stopped' : standing.health,
      since: time(since),
      summary: summaryOf(observed, timeZone),
      connection: standing.health,
      stopped: route.stopped && stopOf(route.stopped, timeZone),
      last_error: error,
      last_error_since: time(known && error === known.error ? known.errorSince : null),
      last_error_at: isWell ? time(known?.errorAt) : time(error === null ? null : now()),
      waiting: queue.waiting,
      waiting_later: queue.later,
      waiting_is_capped: queue.hasMore,
      oldest_due_seconds: queue.oldestDueMs === null ? null : Math.round(queue.oldestDueMs / 1_000),
      messages_per_second: route.messagesPerSecond,
      throughput_per_second: rounded(figure?.perSecond ?? 0, 100),
      sent_last_hour: figure?.sentLastHour ?? 0,
      delivery_rate: figure?.deliveryRate ?? null,
      newest_receipt_at: time(receiptAt),
      newest_receipt_age_seconds: receiptAt && Math.max(0, Math.round((now().getTime() - receiptAt.getTime()) / 1_000)),
      unmatched_receipts: observed.unmatched,
      circuit: circuitOf(standing),
      workers: standing.workers.map(({ worker, ready, fault, circuit }) => ({
        worker,
        ready,
        circuit,
        last_error: fault,
      })),
      binds: this.drivers.find(route.driver)?.bindsSessions ? bindsOf(observed) : null,
    };
  }
}

const rounded = (value: number, parts: number): number => Math.round(value * parts) / parts;
