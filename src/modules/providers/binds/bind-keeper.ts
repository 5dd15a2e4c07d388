import { Injectable, Logger } from '@nestjs/common';
import { SingleRun } from '../../../platform/concurrency/index.js';
import { WakeCalls } from '../../../platform/periodic/index.js';
import type { RouteConnection } from '../message-driver.js';
import { RouteHealthBoard } from '../route-health.js';
import type { RouteRecord } from '../routes.store.js';
import { BoundConnection, HeldBindSlot } from './bound-connection.js';
import { type BindSlot, RouteBinds } from './route-binds.store.js';

/** The places of one route, as a worker that may hold some of them finds them. */
export interface BindMarket {
  /** of the route */
  binds: number;
  places: readonly BindSlot[];
  /** the worker that asks */
  worker: string;
  /** those that may hold places of the route, whether or not it is among them */
  workers: readonly string[];
}

/** What a worker does about its share. */
export interface BindShare {
  /** free places to take */
  take: BindSlot[];
  /** places to give back */
  surplus: number;
  /** it has less than its share */
  isShort: boolean;
  /** others may hold places of the route too */
  hasOthers: boolean;
}

/**
 * Shares the places of a route among the workers: each has as many as any other, or one more. A free place goes to one
 * that is short of its share; where none is free, those that have one more than others give it back for one that is short.
 */
export function shareOf({ binds, places: all, worker, workers }: BindMarket): BindShare {
  const places = all.filter(({ place }) => place <= binds);
  // Whose lease has ended without a word is no worker any more, whatever it said last.
  const dead = new Set(places.flatMap(({ holder, isFree }) => (isFree && holder !== null ? [holder] : [])));
  const others = [...new Set(workers)].filter((other) => other !== worker && !dead.has(other));
  const count = others.length + 1;
  const [least, most] = [Math.floor(binds / count), Math.ceil(binds / count)];
  const held = places.filter(({ isFree }) => !isFree);
  const heldBy = (holder: string): number => held.filter((place) => place.holder === holder).length;
  const mine = heldBy(worker);
  const beyond = all.filter(({ place, holder, isFree }) => place > binds && !isFree && holder === worker).length;
  const free = places.filter(({ isFree }) => isFree);
  const short = others.reduce((sum, other) => sum + Math.max(0, least - heldBy(other)), 0);
  const hasOthers = others.length > 0;
  if (mine > most || beyond > 0) {
    return { take: [], surplus: Math.max(0, mine - most) + beyond, isShort: false, hasOthers };
  }
  const own = Math.min(Math.max(0, least - mine), free.length);
  const spare = free.length - own - short;
  const more = mine + own >= least && mine + own < most && spare > 0 ? 1 : 0;
  const donors = [worker, ...others]
    .filter((other) => heldBy(other) > least)
    .sort((a, b) => heldBy(b) - heldBy(a) || (a < b ? -1 : 1));
  const rank = donors.indexOf(worker);
  const surplus = free.length === 0 && rank >= 0 && rank < short ? 1 : 0;
  return { take: free.slice(0, own + more), surplus, isShort: mine + own + more < least, hasOthers };
}

/** A holder that dies is followed after so long; one that cannot renew closes its sessions before. */
const LEASE_MS = 9_000;
const RENEW_MS = LEASE_MS / 3;
/** Nothing leaves in the last sixth of a lease: sessions close in it. */
const SAFE_MS = (LEASE_MS * 5) / 6;
const CLOSE_AT_ONCE_MS = 500;
const TICK_MS = 200;
/** All workers together look for free places about twice a second, a worker that is short of its share once a second. */
const LOOK_MS = 500;
const FIRST_LOOK_MS = 300;
const SHORT_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 15_000;
/** A session that does not stand after so long is left to another worker, which may reach the carrier. */
const UNREACHED_MS = 15_000;
/** How long a place that was in vain is left to others. */
const AVOID_MS = 10_000;

const WAKE = 'route-binds';

/** A route with binds, and what this worker has of it. */
interface KeptRoute {
  route: RouteRecord;
  /** null = its configuration cannot be used */
  open: (route: RouteRecord) => RouteConnection | null;
  connection: BoundConnection;
  /** clock of `performance.now()`: it takes none before */
  avoidUntil: number;
  hasOthers: boolean;
  reopening: boolean;
}

/**
 * Keeps this worker's share of the sessions of routes with `binds`: takes free places, renews all that it holds with one
 * statement, gives back what is more than its share, and closes the session of a place that it may have lost
 * (docs/decisions/0023).
 */
@Injectable()
export class BindKeeper {
  private readonly logger = new Logger(BindKeeper.name);
  private readonly routes = new Map<number, KeptRoute>();
  private readonly looks = new SingleRun((error) => this.warn(error, 'places of routes cannot be read'));
  private readonly renewals = new SingleRun((error) => this.warn(error, 'binds cannot be renewed'));
  private readonly leaving = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | null = null;
  private lookAt = 0;
  private renewAt = 0;
  private boundElsewhere: ReadonlySet<number> = new Set();
  private readAt = 0;
  /** clock of `performance.now()`: `boundElsewhere` is of then, or newer */
  private knownAt = 0;
  private isListening = false;

  constructor(
    private readonly binds: RouteBinds,
    private readonly board: RouteHealthBoard,
    private readonly wakes: WakeCalls,
  ) {}

  /** The routes whose turns this worker takes: over which it can send, or of which it has a place while no worker can. */
  get serving(): number[] {
    return [...this.routes.values()].flatMap(({ route, connection }) => {
      if (connection.ready) return [route.id];
      const holds = [...connection.places].some(
        ({ isLeaving, until, downSince }) => !isLeaving && performance.now() < until && downSince < this.knownAt,
      );
      return holds && !connection.isUntried && !this.boundElsewhere.has(route.id) ? [route.id] : [];
    });
  }

  /** The connection of a route with `binds`; from now on this worker takes its share of them. */
  connection(route: RouteRecord, open: KeptRoute['open']): BoundConnection {
    const known = this.routes.get(route.id);
    if (known) {
      const isOther = known.route.revision !== route.revision;
      known.route = route;
      if (isOther) void this.reopen(known);
      return known.connection;
    }
    const connection = new BoundConnection();
    this.routes.set(route.id, { route, open, connection, avoidUntil: 0, hasOthers: false, reopening: false });
    this.start();
    return connection;
  }

  /** The route has no binds any more, or is gone. */
  forget(routeId: number): Promise<void> {
    const known = this.routes.get(routeId);
    if (!known) return Promise.resolve();
    known.avoidUntil = Infinity;
    return this.giveBack(known, [...known.connection.places]).finally(() => this.routes.delete(routeId));
  }

  /** Whether the session of any worker stands. */
  async isBound(routeId: number): Promise<boolean> {
    if (this.routes.get(routeId)?.connection.ready) return true;
    return (await this.binds.known()).some((place) => place.routeId === routeId && place.bound && !place.isFree);
  }

  /** Closes the sessions after their last answers and receipts, and gives every place back. */
  async closeAll(): Promise<void> {
    await this.looks.stop();
    await Promise.all([...this.routes.keys()].map((routeId) => this.forget(routeId)));
    await Promise.all(this.leaving);
    if (this.timer) clearInterval(this.timer);
    await this.renewals.stop();
  }

  private start(): void {
    if (this.timer) return;
    this.looks.open();
    this.renewals.open();
    // Those that start together are to know of each other first.
    this.lookAt = performance.now() + FIRST_LOOK_MS * (1 + Math.random());
    this.timer = setInterval(() => this.tick(), TICK_MS);
    if (this.isListening) return;
    this.isListening = true;
    this.wakes.listen(WAKE, () => this.looks.request(() => this.look()));
  }

  private tick(): void {
    const at = performance.now();
    let hasNews = false;
    for (const kept of this.routes.values()) {
      for (const place of [...kept.connection.places]) {
        if (at >= place.until) this.lose(kept, place, 'its lease was not renewed in time');
        else if (this.follow(kept, place, at)) hasNews = true;
      }
    }
    if (hasNews || at >= this.renewAt) void this.renewals.run(() => this.renew());
    if (at >= this.lookAt) void this.looks.run(() => this.look());
    else if (at >= this.readAt + SHORT_LOOK_MS && this.isInDoubt()) {
      this.readAt = at;
      void this.read().catch((error: unknown) => this.warn(error, 'places of routes cannot be read'));
    }
  }

  /** Whether others might send over a route of which this worker has a place without a session. */
  private isInDoubt(): boolean {
    return [...this.routes.values()].some(({ connection }) => connection.places.size > 0 && !connection.ready);
  }

  /** @returns whether there is something new to say of the place */
  private follow(kept: KeptRoute, place: HeldBindSlot, at: number): boolean {
    const wasOpen = place.session !== null;
    const hasNews = place.look(at);
    if (place.isLeaving) return hasNews;
    if (wasOpen && place.session === null) this.warnRefused(kept, place);
    const isOver = place.session === null && place.restUntil > 0 && at >= place.restUntil;
    const isInVain = kept.hasOthers && place.session !== null && at - place.downSince > UNREACHED_MS;
    if (isOver || isInVain) {
      if (kept.hasOthers) kept.avoidUntil = at + AVOID_MS * (0.5 + Math.random() / 2);
      this.leave(kept, [place]);
    }
    return hasNews;
  }

  private async look(): Promise<void> {
    const places = await this.read();
    const workers = await this.board.candidates();
    const at = performance.now();
    let isShort = false;
    let most = 1;
    const wanted = [];
    for (const kept of this.routes.values()) {
      const { route, connection } = kept;
      const others = workers.get(route.id) ?? [];
      most = Math.max(most, others.length);
      const of = places.filter(({ routeId }) => routeId === route.id);
      const share = shareOf({ binds: route.binds ?? 0, places: of, worker: this.board.worker, workers: others });
      kept.hasOthers = share.hasOthers;
      isShort ||= share.isShort;
      if (kept.avoidUntil <= at && !kept.reopening) wanted.push(...share.take);
      const going = [...connection.places].filter(({ isLeaving }) => isLeaving).length;
      if (share.surplus > going) this.leave(kept, surplusOf(kept, share.surplus - going));
    }
    await this.take(wanted);
    const pause = isShort ? SHORT_LOOK_MS : Math.min(LONGEST_LOOK_MS, Math.max(SHORT_LOOK_MS, LOOK_MS * most));
    this.lookAt = performance.now() + pause * (0.7 + 0.6 * Math.random());
  }

  private async take(wanted: Awaited<ReturnType<RouteBinds['places']>>): Promise<void> {
    const claimedAt = performance.now();
    const refusals = new Map(wanted.map((place) => [`${place.routeId} ${place.place}`, place.refusals]));
    for (const key of await this.binds.claim(this.board.worker, wanted, LEASE_MS)) {
      const kept = this.routes.get(key.routeId);
      const known = refusals.get(`${key.routeId} ${key.place}`) ?? 0;
      const place = new HeldBindSlot({ ...key, refusals: known }, claimedAt + SAFE_MS);
      if (!kept || kept.avoidUntil === Infinity) {
        await this.binds.giveBack(this.board.worker, [place.note]);
        continue;
      }
      kept.connection.places.add(place);
      place.session = kept.open(kept.route);
    }
  }

  private async renew(): Promise<void> {
    const places = [...this.routes.values()].flatMap(({ connection }) => [...connection.places]);
    this.renewAt = performance.now() + RENEW_MS;
    if (places.length === 0) return;
    const askedAt = performance.now();
    const notes = places.map((place) => ({ ...place.note, held: place }));
    const kept = new Set((await this.binds.renew(this.board.worker, notes, LEASE_MS)).map(({ held }) => held));
    for (const route of this.routes.values()) {
      for (const place of [...route.connection.places]) {
        if (kept.has(place)) place.until = askedAt + SAFE_MS;
        else if (places.includes(place)) this.lose(route, place, 'another worker holds its place');
      }
    }
  }

  /** Gives places back in the background: their sessions close first, so the carrier has room for the next holder's. */
  private leave(kept: KeptRoute, places: readonly HeldBindSlot[]): void {
    const leaving: Promise<void> = this.giveBack(kept, places)
      .catch((error: unknown) => this.warn(error, 'a bind could not be given back'))
      .finally(() => this.leaving.delete(leaving));
    this.leaving.add(leaving);
  }

  private async giveBack({ connection }: KeptRoute, places: readonly HeldBindSlot[]): Promise<void> {
    if (places.length === 0) return;
    for (const place of places) place.isLeaving = true;
    const notes = places.map(({ note }) => note);
    try {
      await Promise.all(places.flatMap(({ session, former }) => [session?.close() ?? [], former].flat()));
      await this.binds.giveBack(this.board.worker, notes);
    } finally {
      // One that could not be given back is free when its lease ends.
      for (const place of places) connection.places.delete(place);
    }
    this.wakes.wake(WAKE);
  }

  /** Another may hold the place in a moment: what is under way ends as far as it can. */
  private lose({ connection, route }: KeptRoute, place: HeldBindSlot, why: string): void {
    place.isLeaving = true;
    connection.places.delete(place);
    this.logger.warn({ route: route.name, place: place.place, why }, 'a bind was lost');
    void place.session?.close(CLOSE_AT_ONCE_MS);
  }

  /** Sessions of another address or login, each once the one before it is closed: the carrier counts them. */
  private async reopen(kept: KeptRoute): Promise<void> {
    if (kept.reopening) return;
    kept.reopening = true;
    for (let opened = ''; opened !== kept.route.revision;) {
      opened = kept.route.revision;
      await Promise.all(
        [...kept.connection.places].map(async (place) => {
          const before = place.session;
          place.session = null;
          place.restUntil = 0;
          if (before) place.former = before.close();
          await place.former;
          if (!place.isLeaving) place.session = kept.open(kept.route);
        }),
      );
    }
    kept.reopening = false;
  }

  private async read(): ReturnType<RouteBinds['places']> {
    const askedAt = performance.now();
    this.readAt = askedAt;
    const places = await this.binds.places();
    this.knownAt = askedAt;
    const elsewhere = places.filter(({ bound, isFree, holder }) => bound && !isFree && holder !== this.board.worker);
    this.boundElsewhere = new Set(elsewhere.map(({ routeId }) => routeId));
    return places;
  }

  private warnRefused({ route }: KeptRoute, { place, fault }: HeldBindSlot): void {
    this.logger.warn({ route: route.name, place, fault }, 'the carrier takes no further session, the place rests');
  }

  private warn(error: unknown, text: string): void {
    this.logger.warn({ reason: (error as Error).message }, text);
  }
}

/** Places beyond the route's number first, then those without a session. */
function surplusOf({ route, connection }: KeptRoute, count: number): HeldBindSlot[] {
  const weight = ({ place, ready }: HeldBindSlot): number => (place > (route.binds ?? 0) ? 2 : 0) + (ready ? 0 : 1);
  return [...connection.places]
    .filter(({ isLeaving }) => !isLeaving)
    .sort((a, b) => weight(b) - weight(a))
    .slice(0, count);
}
