import { Inject, Injectable } from '@nestjs/common';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import type { RouteKey } from '../../../platform/queues/index.js';
import type { Route, RouteConnection } from '../../providers/index.js';
import { type Channel, itemsOf } from '../channel.js';
import type { LaneSnapshot } from '../lanes.js';
import { SlotOwners } from './job-routing.js';
import { ASK_AGAIN_MS, HORIZON_MS, Pacer, RoutePace } from './pacing.js';
import { UrgentBound } from './urgent-bound.js';

/** Maximum recipients of a batch: what a killed worker can leave with unknown outcome, per lane. */
export const BATCH_RECIPIENTS = 500;

const AIM_MS = 1_000;
const TOO_LONG_MS = 2_000;
/** Below this size, a slow carrier's round trips cost more than shorter batches gain. */
const SMALLEST = 20;
/** Concurrent batches of unknown and slow routes; each quick batch doubles them. */
const FEW_BATCHES = 2;
const UNKNOWN = { most: FEW_BATCHES, least: FEW_BATCHES };
/** Recipients under way over a quick route: four full batches, as some send while others claim or write. More are no faster. */
const UNDER_WAY = 4 * BATCH_RECIPIENTS;
/** A bound of one leaves a route what its carrier takes in this time under way (at least one batch). */
const AMPLE_MS = 400;

/** At most one second of the route's rate (reference/engine#batches), so that pause and cancel act within two seconds. */
const batchSize = (messagesPerSecond: number | null): number =>
  messagesPerSecond === null
    ? BATCH_RECIPIENTS
    : Math.max(1, Math.min(BATCH_RECIPIENTS, Math.floor(messagesPerSecond)));

/** Batches of about a second on slow carriers: larger ones would hold a permit and delay pause and cancel. */
export class BatchTempo {
  private readonly sizes = new Map<number, number>();
  private readonly batches = new Map<number, { most: number; least: number }>();

  size(route: Pick<Route, 'id' | 'messagesPerSecond'>): number {
    return Math.min(batchSize(route.messagesPerSecond), this.sizes.get(route.id) ?? BATCH_RECIPIENTS);
  }

  /** Whether the carrier cannot take full batches in time. */
  isSlow(routeId: number): boolean {
    return this.sizes.has(routeId);
  }

  /** Maximum concurrent batches. @param bound of `UrgentBound`, in full batches of a quick route */
  atOnce(routeId: number, bound = Infinity): number {
    const { most, least } = this.batches.get(routeId) ?? UNKNOWN;
    return Math.min(most, least * bound);
  }

  /** Adapts to a finished batch: down at once, up by doubling. */
  took(routeId: number, recipients: number, milliseconds: number): void {
    const known = this.sizes.get(routeId) ?? BATCH_RECIPIENTS;
    if (milliseconds > TOO_LONG_MS) {
      const fitting = Math.floor((recipients * AIM_MS) / milliseconds);
      this.sizes.set(routeId, Math.max(SMALLEST, Math.min(known, fitting)));
      this.batches.delete(routeId);
      return;
    }
    let most = this.atOnce(routeId);
    if (milliseconds < AIM_MS) {
      if (known * 2 >= BATCH_RECIPIENTS) this.sizes.delete(routeId);
      else this.sizes.set(routeId, known * 2);
      most = Math.min(Math.max(FEW_BATCHES, Math.ceil(UNDER_WAY / recipients)), most * 2);
    }
    const fewest = Math.max(BATCH_RECIPIENTS, (UNDER_WAY * milliseconds) / AMPLE_MS);
    this.batches.set(routeId, { most, least: Math.ceil(fewest / recipients) });
  }
}

/** Converts the rate to recipients: a message of several items takes several slots. */
export function inRecipients(route: Route, channel: Channel, content: Record<string, unknown>): Route {
  if (route.messagesPerSecond === null) return route;
  try {
    return { ...route, messagesPerSecond: route.messagesPerSecond / itemsOf(channel.compose(content, { number: '' })) };
  } catch {
    return route; // recipients that cannot be composed fail one by one
  }
}

export const ROUTE_DOWN_MS = 1_000;
const SOON_MS = 50;
/** Up to this rate, batches mostly wait for slots, so they need no permit. */
const FEW_PER_SECOND = 50;
/** Maximum batches without a permit per channel and class: each holds its recipients in memory. */
const MOST_WITHOUT_PERMIT = 4_000;

export type ChannelRoute = RouteKey & { channel: string };

type Running = Map<number, number>;

const classOf = ({ channel, single }: ChannelRoute): string => `${channel} ${single}`;
export const routeKeyText = (route: ChannelRoute): string => `${classOf(route)} ${route.routeId}`;
/** The columns `channel`, `route_id` and `single` of a lane. */
export const valuesOf = ({ channel, routeId, single }: ChannelRoute): [string, number, number] => [
  channel,
  routeId,
  single ? 1 : 0,
];

/**
 * Limits what a worker sends per route: connection, pace, size and number of batches (docs/decisions/0023, 0064). Slow carriers
 * together get at most half of the permits of a channel and class.
 */
@Injectable()
export class Governor {
  /** a batch of one message does not predict a full one, so each class has its own tempo */
  private readonly tempos = { single: new BatchTempo(), campaign: new BatchTempo() };
  private readonly running = new Map<string, Running>();
  private readonly light = new Map<string, Set<number>>();
  private readonly pacers = new Map<number, { perSecond: number; pacer: Pacer }>();
  /** route jobs refused because of other routes; the first gets the next permit */
  private readonly waiting = new Map<string, ChannelRoute>();
  private readonly refused = new Set<string>();
  private readonly backoffs = new Map<string, number>();

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly pace: RoutePace,
    private readonly owners: SlotOwners,
    readonly urgent: UrgentBound,
  ) {}

  /** Takes a permit for a batch. A refused job is continued by a running batch of the route, or returned by `leave`. */
  enter(route: ChannelRoute, perSecond: number | null): boolean {
    if (isLight(perSecond)) return this.enterLight(route);
    const running = this.running.get(classOf(route)) ?? new Map<number, number>();
    this.running.set(classOf(route), running);
    const own = running.get(route.routeId) ?? 0;
    if (!this.hasRoom(route, perSecond)) {
      if (own === 0) this.waiting.set(routeKeyText(route), route);
      else this.refused.add(routeKeyText(route));
      return false;
    }
    running.set(route.routeId, own + 1);
    return true;
  }

  /** Releases the permit. @returns a route job that waits for one */
  leave(route: ChannelRoute): ChannelRoute | null {
    if (this.light.get(classOf(route))?.delete(route.routeId)) return null;
    const running = this.running.get(classOf(route));
    const own = running?.get(route.routeId) ?? 0;
    if (own > 1) running?.set(route.routeId, own - 1);
    else running?.delete(route.routeId);
    for (const [key, next] of this.waiting) {
      if (classOf(next) !== classOf(route)) continue;
      this.waiting.delete(key);
      return next;
    }
    return null;
  }

  /** Whether a job of the route was refused since the last call. */
  wasRefused(route: ChannelRoute): boolean {
    return this.refused.delete(routeKeyText(route));
  }

  /** Whether another batch of the route could start now. */
  hasRoom(route: ChannelRoute, perSecond: number | null): boolean {
    if (isLight(perSecond)) return !this.light.get(classOf(route))?.has(route.routeId);
    const running = this.running.get(classOf(route));
    if (!running) return true;
    const own = running.get(route.routeId) ?? 0;
    return own < (perSecond !== null ? 1 : this.atOnce(route)) && this.hasPermit(running, route);
  }

  /** Whether this worker may run the next route job itself, past the queue: it needs no permit, and memory remains. */
  keeps(route: ChannelRoute, perSecond: number | null): boolean {
    return isLight(perSecond) && (this.light.get(classOf(route))?.size ?? 0) < MOST_WITHOUT_PERMIT / 2;
  }

  /** On a slow or paced route only recent messages count: others may have waited hours for the carrier, not for campaigns. */
  recordSingles(lanes: readonly Pick<LaneSnapshot, 'waitingSince'>[], routeId: number, perSecond: number | null): void {
    if (lanes.length > 0 && this.isQuick({ id: routeId, messagesPerSecond: perSecond })) this.urgent.received();
    else for (const { waitingSince } of lanes) this.urgent.received(waitingSince);
  }

  /** Whether messages of one recipient wait for nothing but this service. */
  isQuick({ id, messagesPerSecond }: Pick<Route, 'id' | 'messagesPerSecond'>): boolean {
    return messagesPerSecond === null && !this.tempos.single.isSlow(id);
  }

  /** On a paced route both classes share a tempo: campaign batches wait for slots there, single messages show the speed. */
  tempoOf({ single }: Pick<RouteKey, 'single'>, perSecond: number | null = null): BatchTempo {
    return this.tempos[single && perSecond === null ? 'single' : 'campaign'];
  }

  backOff(route: ChannelRoute, milliseconds: number): void {
    this.backoffs.set(routeKeyText(route), performance.now() + milliseconds);
  }

  /** Remaining backoff, ms. */
  backoffOf(route: ChannelRoute): number {
    const backoff = (this.backoffs.get(routeKeyText(route)) ?? 0) - performance.now();
    if (backoff <= 0) this.backoffs.delete(routeKeyText(route));
    return Math.max(0, backoff);
  }

  /** Size of the next batch, recipients. @param route with its rate in recipients */
  size(route: Route, connection: RouteConnection, key: Pick<RouteKey, 'single'>): number {
    return connection.onTrial ? 1 : this.tempoOf(key, route.messagesPerSecond).size(route);
  }

  /** Milliseconds until the route may send; 0 = now, or so soon that the batch waits itself. @param slots of the batch */
  async wait(route: Route, connection: RouteConnection, slots: number): Promise<number> {
    const backoff = connection.backoffMs ?? 0;
    if (backoff > SOON_MS) return backoff;
    const pacer = this.pacerOf(route);
    if (!pacer) return 0;
    const free = await pacer.freeIn(slots);
    if (free === null) return Math.max(ASK_AGAIN_MS, 250 / (route.messagesPerSecond ?? 1));
    return free > (isLight(route.messagesPerSecond) ? HORIZON_MS : SOON_MS) ? free : 0;
  }

  /** Null = not paced. */
  pacerOf(route: Route): Pacer | null {
    const { id, messagesPerSecond: perSecond } = route;
    if (perSecond === null) return null;
    const known = this.pacers.get(id);
    if (known?.perSecond === perSecond) return known.pacer;
    const book = (slots: number): Promise<number | null> => this.pace.reserve(route, slots);
    const pacer = new Pacer(perSecond, book, (forMs) => this.owners.publish(id, forMs));
    this.pacers.set(id, { perSecond, pacer });
    return pacer;
  }

  private atOnce(route: ChannelRoute): number {
    return this.tempoOf(route).atOnce(route.routeId, route.single ? Infinity : this.urgent.most);
  }

  private enterLight(route: ChannelRoute): boolean {
    const routes = this.light.get(classOf(route)) ?? new Set<number>();
    this.light.set(classOf(route), routes);
    if (routes.has(route.routeId) || routes.size >= MOST_WITHOUT_PERMIT) {
      this.refused.add(routeKeyText(route));
      return false;
    }
    routes.add(route.routeId);
    return true;
  }

  private hasPermit(running: Running, route: ChannelRoute): boolean {
    const tempo = this.tempoOf(route);
    const permits = this.environment.WORKER_CONCURRENCY;
    const sum = (counts: readonly [number, number][]): number => counts.reduce((total, [, count]) => total + count, 0);
    const all = [...running];
    if (sum(all) >= permits) return false;
    if (!tempo.isSlow(route.routeId)) return true;
    return sum(all.filter(([id]) => tempo.isSlow(id))) < Math.max(1, Math.floor(permits / 2));
  }
}

const isLight = (perSecond: number | null): boolean => perSecond !== null && perSecond <= FEW_PER_SECOND;
