import { Inject, Injectable } from '@nestjs/common';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import type { RouteKey } from '../../../platform/queues/index.js';
import type { Route, RouteConnection } from '../../providers/index.js';
import { type Channel, itemsOf } from '../channel.js';
import type { LaneSnapshot } from '../lanes.js';
import { SlotOwners } from './job-routing.js';
import { ASK_AGAIN_MS, HORIZON_MS, Pacer, RoutePace } from './pacing.js';
import { YieldToSingles } from './single-priority.js';

/** Most recipients of one window: what a killed worker can leave of unknown outcome, at the most, per lane. */
export const BATCH_RECIPIENTS = 500;

const AIM_MS = 1_000;
const TOO_LONG_MS = 2_000;
/** Below this the round trips of a slow carrier would cost more than the short window gains. */
const SMALLEST = 20;
/** Windows at once of a route that is not known yet, or slow; each quick one doubles them. */
const FEW_WINDOWS = 2;
const UNKNOWN = { most: FEW_WINDOWS, aside: FEW_WINDOWS };
/**
 * Recipients under way at once over a quick route, about: four full windows, of which some leave while others are claimed or
 * written. Three send a few hundredths slower; more send no faster, and hold up what else needs the database or the
 * connection.
 */
const UNDER_WAY = 4 * BATCH_RECIPIENTS;
/**
 * Recipients that a carrier takes in so long are under way over it while messages of one recipient come, a window of them at the
 * least: beside one that leaves in a quarter of this, a second one takes the processor and the database from it and from all else.
 */
const AMPLE_MS = 400;

/**
 * At most one second of the route's rate (reference/engine#windows), so that pause and cancel act within two seconds.
 */
const windowSize = (messagesPerSecond: number | null): number =>
  messagesPerSecond === null
    ? BATCH_RECIPIENTS
    : Math.max(1, Math.min(BATCH_RECIPIENTS, Math.floor(messagesPerSecond)));

/**
 * Windows of about a second on a carrier that is slower than its route says: a window of a fixed size would keep a place of
 * this worker, and a pause or cancel waiting, for as long as the carrier likes. Known for slow routes only. How many windows
 * a route may have at once follows its speed alike.
 */
export class BatchTempo {
  private readonly sizes = new Map<number, number>();
  private readonly windows = new Map<number, { most: number; aside: number }>();

  size(route: Pick<Route, 'id' | 'messagesPerSecond'>): number {
    return Math.min(windowSize(route.messagesPerSecond), this.sizes.get(route.id) ?? BATCH_RECIPIENTS);
  }

  /** Whether its carrier takes less than windows of full size within their time. */
  isSlow(routeId: number): boolean {
    return this.sizes.has(routeId);
  }

  /** Windows that may be under way at once. @param standsAside they are to leave room to messages of one recipient */
  atOnce(routeId: number, standsAside = false): number {
    const { most, aside } = this.windows.get(routeId) ?? UNKNOWN;
    return standsAside ? Math.min(most, aside) : most;
  }

  /** A window is over: the next ones follow its speed down at once, and up by doubling. */
  took(routeId: number, recipients: number, milliseconds: number): void {
    const known = this.sizes.get(routeId) ?? BATCH_RECIPIENTS;
    if (milliseconds > TOO_LONG_MS) {
      const fitting = Math.floor((recipients * AIM_MS) / milliseconds);
      this.sizes.set(routeId, Math.max(SMALLEST, Math.min(known, fitting)));
      this.windows.delete(routeId);
      return;
    }
    let most = this.atOnce(routeId);
    if (milliseconds < AIM_MS) {
      if (known * 2 >= BATCH_RECIPIENTS) this.sizes.delete(routeId);
      else this.sizes.set(routeId, known * 2);
      most = Math.min(Math.max(FEW_WINDOWS, Math.ceil(UNDER_WAY / recipients)), most * 2);
    }
    const fewest = Math.max(BATCH_RECIPIENTS, (UNDER_WAY * milliseconds) / AMPLE_MS);
    this.windows.set(routeId, { most, aside: Math.ceil(fewest / recipients) });
  }
}

/** The route with its speed in recipients: a message of several items takes several of its slots. */
export function inRecipients(route: Route, channel: Channel, content: Record<string, unknown>): Route {
  if (route.messagesPerSecond === null) return route;
  try {
    return { ...route, messagesPerSecond: route.messagesPerSecond / itemsOf(channel.compose(content, { number: '' })) };
  } catch {
    return route; // what cannot be composed is refused one by one
  }
}

/** A route that cannot be used is looked at again after so long. */
export const ROUTE_DOWN_MS = 1_000;
/** A slot that is free so soon is waited for by the window itself. */
const SOON_MS = 50;
/** A route of so few messages a second spends its windows waiting for slots: they take no place. */
const FEW_PER_SECOND = 50;
/** Windows without a place of a channel and class, at the most: they hold their recipients in memory. */
const MOST_WITHOUT_PLACE = 4_000;

/** A turn of a channel's route. */
export type ChannelRoute = RouteKey & { channel: string };

/** Windows under way of one channel and class, by route. */
type Running = Map<number, number>;

const classOf = ({ channel, single }: ChannelRoute): string => `${channel} ${single}`;
/** One text a turn, for maps. */
export const routeKeyText = (route: ChannelRoute): string => `${classOf(route)} ${route.routeId}`;

/**
 * Says for each route and this worker how many may leave now, and else when: the connection's own state, the route's pace, the
 * size of windows, and the number of windows under way (docs/decisions/0023), which are fewer while messages of one recipient come
 * (docs/decisions/0064). Windows of routes that are paced to little take no place. Slow carriers together never have more than half of the places of a channel and class, so a wait for one keeps no quick
 * one waiting.
 */
@Injectable()
export class Governor {
  /** a window of one message says nothing of a full one, so each class has its own */
  private readonly tempos = { single: new BatchTempo(), campaign: new BatchTempo() };
  private readonly running = new Map<string, Running>();
  /** windows under way that take no place */
  private readonly light = new Map<string, Set<number>>();
  private readonly pacers = new Map<number, { perSecond: number; pacer: Pacer }>();
  /** turns that found no place because of other routes; the first of them is told when there is one */
  private readonly waiting = new Map<string, ChannelRoute>();
  /** turns that came while windows of their own route were under way, and found no place for another */
  private readonly refused = new Set<string>();
  private readonly resting = new Map<string, number>();

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly pace: RoutePace,
    private readonly owners: SlotOwners,
    private readonly aside: YieldToSingles,
  ) {}

  /**
   * Takes a place for a window.
   * @param perSecond a paced route has one window of each class at once: more of them would only share its slots; null = not paced
   * @returns false without one: a window of the route that is under way goes on with it, or `leave` names the turn
   */
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

  /** Gives the place back. @returns a turn that found none meanwhile */
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

  /** Whether a turn of the route was refused because of windows such as this one, since this was last asked. */
  wasRefused(route: ChannelRoute): boolean {
    return this.refused.delete(routeKeyText(route));
  }

  /** Whether another window of the route might begin now. */
  hasRoom(route: ChannelRoute, perSecond: number | null): boolean {
    if (isLight(perSecond)) return !this.light.get(classOf(route))?.has(route.routeId);
    const running = this.running.get(classOf(route));
    if (!running) return true;
    const own = running.get(route.routeId) ?? 0;
    return own < (perSecond !== null ? 1 : this.atOnce(route)) && this.hasPlace(running, route);
  }

  /**
   * Whether the route's next turn may follow at once in this worker, past the queue: its windows take no place that others wait
   * for, and there is room for more such routes.
   */
  keeps(route: ChannelRoute, perSecond: number | null): boolean {
    return isLight(perSecond) && (this.light.get(classOf(route))?.size ?? 0) < MOST_WITHOUT_PLACE / 2;
  }

  /**
   * Messages of one recipient leave. Over a route that is slow, or paced, only those count that have just come: others may wait
   * for it for hours. Over any other one it is for what leaves before them that they have waited.
   */
  noteSingles(lanes: readonly Pick<LaneSnapshot, 'waitingSince'>[], routeId: number, perSecond: number | null): void {
    const isQuick = lanes.length > 0 && perSecond === null && !this.tempos.single.isSlow(routeId);
    if (isQuick) this.aside.heard();
    else for (const { waitingSince } of lanes) this.aside.heard(waitingSince);
  }

  /**
   * What is known of the speed of routes by windows of this class. Over a paced route, whose windows wait for slots that other
   * workers have booked before, those of single messages say best how quick its carrier is.
   */
  tempoOf({ single }: Pick<RouteKey, 'single'>, perSecond: number | null = null): BatchTempo {
    return this.tempos[single && perSecond === null ? 'single' : 'campaign'];
  }

  /** Nothing of the class leaves over the route for so long. */
  rest(route: ChannelRoute, milliseconds: number): void {
    this.resting.set(routeKeyText(route), performance.now() + milliseconds);
  }

  /** Milliseconds for which a turn is in vain. */
  restOf(route: ChannelRoute): number {
    const rest = (this.resting.get(routeKeyText(route)) ?? 0) - performance.now();
    if (rest <= 0) this.resting.delete(routeKeyText(route));
    return Math.max(0, rest);
  }

  /** Recipients of the next window of a class. @param route with its speed in recipients */
  size(route: Route, connection: RouteConnection, turn: Pick<RouteKey, 'single'>): number {
    return connection.onTrial ? 1 : this.tempoOf(turn, route.messagesPerSecond).size(route);
  }

  /**
   * Milliseconds until something may leave over a route that can be used; 0 = now, or so soon that the window waits for it.
   * @param slots that the window is going to take
   */
  async wait(route: Route, connection: RouteConnection, slots: number): Promise<number> {
    const rest = connection.restMs ?? 0;
    if (rest > SOON_MS) return rest;
    const pacer = this.pacerOf(route);
    if (!pacer) return 0;
    const free = await pacer.freeIn(slots);
    if (free === null) return Math.max(ASK_AGAIN_MS, 250 / (route.messagesPerSecond ?? 1));
    return free > (isLight(route.messagesPerSecond) ? HORIZON_MS : SOON_MS) ? free : 0;
  }

  /** Gives the slots of a paced route; null = no limit of ours. */
  pacerOf(route: Route): Pacer | null {
    const { id, messagesPerSecond: perSecond } = route;
    if (perSecond === null) return null;
    const known = this.pacers.get(id);
    if (known?.perSecond === perSecond) return known.pacer;
    const book = (slots: number): Promise<number | null> => this.pace.reserve(route, slots);
    const pacer = new Pacer(perSecond, book, (forMs) => this.owners.say(id, forMs));
    this.pacers.set(id, { perSecond, pacer });
    return pacer;
  }

  private atOnce(route: ChannelRoute): number {
    return this.tempoOf(route).atOnce(route.routeId, !route.single && this.aside.isAsked);
  }

  private enterLight(route: ChannelRoute): boolean {
    const routes = this.light.get(classOf(route)) ?? new Set<number>();
    this.light.set(classOf(route), routes);
    if (routes.has(route.routeId) || routes.size >= MOST_WITHOUT_PLACE) {
      this.refused.add(routeKeyText(route));
      return false;
    }
    routes.add(route.routeId);
    return true;
  }

  private hasPlace(running: Running, route: ChannelRoute): boolean {
    const tempo = this.tempoOf(route);
    const places = this.environment.WORKER_CONCURRENCY;
    const sum = (counts: readonly [number, number][]): number => counts.reduce((total, [, count]) => total + count, 0);
    const all = [...running];
    if (sum(all) >= places) return false;
    if (!tempo.isSlow(route.routeId)) return true;
    return sum(all.filter(([id]) => tempo.isSlow(id))) < Math.max(1, Math.floor(places / 2));
  }
}

/** Whether the route is paced to so little that its windows wait most of their time. */
export const isLight = (perSecond: number | null): boolean => perSecond !== null && perSecond <= FEW_PER_SECOND;
