import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { clockTime, dateTime, isoTime, now } from '../../kernel/clock.js';
import { type Listed, ONE, type Page, partOf } from '../../kernel/lists.js';
import { TtlCache } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { AccountDirectory } from '../accounts/index.js';
import { Channels, RouteQueues } from '../engine/index.js';
import {
  type BindSlot,
  type CircuitState,
  DriverRegistry,
  type KnownState,
  RouteDirectory,
  type RouteRecord,
  type RouteStanding,
  RouteStandings,
  RouteStates,
  UNREPORTED,
} from '../providers/index.js';
import { type RouteFigure, RouteFigures } from '../statistics/index.js';
import type { RouteStatusBinds, RouteStatusData, RouteWaitingAnswer } from './route-status.dto.js';
import { routeErrors } from './routes.errors.js';
import { stopOf } from './routes.queries.js';

type RouteQueue = Awaited<ReturnType<RouteQueues['of']>>;

interface ObservedRoute {
  route: RouteRecord;
  standing: RouteStanding;
  known: KnownState | null;
  slots: readonly BindSlot[] | null;
  queue: RouteQueue;
  figure: RouteFigure | null;
  unmatched: number;
}

/** The worst circuit state of all workers; null where connections have none. */
function circuitOf({ workers }: RouteStanding): CircuitState | null {
  for (const state of ['open', 'half_open', 'closed'] as const) {
    if (workers.some(({ circuit }) => circuit === state)) return state;
  }
  return null;
}

/** The problem in one line: `connect ECONNREFUSED since 02:14, 500 waiting`. */
function summaryOf({ route, standing, known, queue }: ObservedRoute, timeZone: string): string | null {
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

const momentOf = (at: Date, timeZone: string): string =>
  now().getTime() - at.getTime() < DAY_MS ? clockTime(at, timeZone).slice(0, 5) : dateTime(at, timeZone).slice(0, 16);

function bindsOf({ route, slots, standing }: ObservedRoute): RouteStatusBinds {
  const sessions = slots
    ? slots.flatMap(({ holder, isFree, bound, fault }) =>
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

/** Status of one route, or of a page of routes by name; computes only those. Times in `timeZone`. */
export class RouteStatusQuery extends Query<Listed<RouteStatusData>> {
  constructor(
    readonly which: Page | string,
    readonly timeZone: string,
  ) {
    super();
  }
}

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
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly channels: Channels,
    private readonly standings: RouteStandings,
    private readonly states: RouteStates,
    private readonly lanes: RouteQueues,
    private readonly figures: RouteFigures,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_HOLD'>,
  ) {}

  async execute({ which, timeZone }: RouteStatusQuery): Promise<Listed<RouteStatusData>> {
    const one = typeof which === 'string' ? await this.routes.byName(which) : null;
    const all = typeof which === 'string' ? [one].flatMap((route) => route ?? []) : await this.routes.list();
    const listed = partOf(all, ({ name }) => name, typeof which === 'string' ? ONE : which);
    return { ...listed, items: await this.statusesOf(listed.items, timeZone) };
  }

  private async statusesOf(routes: readonly RouteRecord[], timeZone: string): Promise<RouteStatusData[]> {
    if (routes.length === 0) return [];
    const [{ of, slots }, states, figures, unmatched] = await Promise.all([
      this.standings.read(),
      this.states.read(),
      this.figures.of(routes.map(({ id }) => id)),
      this.unmatched.get('all', () => this.lanes.unmatchedReceipts(UNMATCHED_AFTER_MS, MOST_UNMATCHED)),
    ]);
    const found: RouteStatusData[] = [];
    // Sequential, so that the status of all routes uses one connection.
    for (const route of routes) {
      const observed: ObservedRoute = {
        route,
        standing: of.get(route.id) ?? UNREPORTED,
        known: states.get(route.id) ?? null,
        slots: slots.get(route.id) ?? null,
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

  private secondsToAlarm(since: Date | null): number | null {
    if (since === null) return null;
    const left = since.getTime() + this.environment.ALARM_HOLD - now().getTime();
    return left <= 0 ? null : Math.ceil(left / 1_000);
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
      alarm_in_seconds: !route.stopped && standing.health === 'down' ? this.secondsToAlarm(since ?? null) : null,
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

/** Campaigns that wait on a route, most recipients first; times in `timeZone`. @throws AppError 404 `Route not found` */
export class RouteWaitingQuery extends Query<Omit<RouteWaitingAnswer, 'success'>> {
  constructor(
    readonly name: string,
    readonly timeZone: string,
  ) {
    super();
  }
}

@QueryHandler(RouteWaitingQuery)
export class RouteWaitingHandler implements IQueryHandler<RouteWaitingQuery> {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly channels: Channels,
    private readonly lanes: RouteQueues,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ name, timeZone }: RouteWaitingQuery): Promise<Omit<RouteWaitingAnswer, 'success'>> {
    const route = await this.routes.byName(name);
    if (!route) throw routeErrors.notFound();
    const names = this.channels.all.flatMap((one) => (one.routes === route.channel ? [one.name] : []));
    const { campaigns, hasMore } = await this.lanes.campaigns(names, route.id);
    const data = await Promise.all(
      campaigns.map(async ({ requestId, broadcastName, accountId, channel, state, scheduledAt, waiting }) => ({
        request_id: requestId,
        broadcast_name: broadcastName,
        username: (await this.accounts.byId(accountId))?.username ?? '',
        channel,
        state,
        scheduled_at: scheduledAt && isoTime(scheduledAt, timeZone),
        waiting,
      })),
    );
    return { data, has_more: hasMore };
  }
}
