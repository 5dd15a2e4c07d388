import { Injectable, Logger } from '@nestjs/common';
import { SingleRun } from '../../../platform/concurrency/index.js';
import { WakeCalls } from '../../../platform/periodic/index.js';
import type { RouteConnection } from '../message-driver.js';
import { RouteHealthBoard } from '../route-health.js';
import type { RouteRecord } from '../routes.store.js';
import { BoundConnection, HeldBindSlot } from './bound-connection.js';
import { type BindSlot, RouteBinds } from './route-binds.store.js';

export interface BindMarket {
  binds: number;
  slots: readonly BindSlot[];
  worker: string;
  workers: readonly string[];
}

export interface BindShare {
  take: BindSlot[];
  surplus: number;
  isShort: boolean;
  hasOthers: boolean;
}

/** Divides a route's bind slots equally, give or take one: a worker takes free slots, and gives back one that another lacks. */
export function shareOf({ binds, slots: all, worker, workers }: BindMarket): BindShare {
  const slots = all.filter(({ place }) => place <= binds);
  // A holder whose lease expired is dead, whatever it reported last.
  const dead = new Set(slots.flatMap(({ holder, isFree }) => (isFree && holder !== null ? [holder] : [])));
  const others = [...new Set(workers)].filter((other) => other !== worker && !dead.has(other));
  const count = others.length + 1;
  const [least, most] = [Math.floor(binds / count), Math.ceil(binds / count)];
  const held = slots.filter(({ isFree }) => !isFree);
  const heldBy = (holder: string): number => held.filter((slot) => slot.holder === holder).length;
  const mine = heldBy(worker);
  const beyond = all.filter(({ place, holder, isFree }) => place > binds && !isFree && holder === worker).length;
  const free = slots.filter(({ isFree }) => isFree);
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

/** Successors wait this long for a dead holder; a holder that cannot renew closes its sessions before. */
const LEASE_MS = 9_000;
const RENEW_MS = LEASE_MS / 3;
/** Nothing is sent in the last sixth of a lease: sessions close then. */
const SAFE_MS = (LEASE_MS * 5) / 6;
const CLOSE_AT_ONCE_MS = 500;
const TICK_MS = 200;
/** All workers together query free slots about twice a second, a worker below its share once a second. */
const POLL_MS = 500;
const FIRST_POLL_MS = 300;
const SHORT_POLL_MS = 1_000;
const LONGEST_POLL_MS = 15_000;
/** A slot without a session for this long goes to another worker, which may reach the carrier. */
const UNREACHED_MS = 15_000;
/** After failing with a slot, a worker leaves free slots to others this long. */
const AVOID_MS = 10_000;

const WAKE = 'route-binds';

interface KeptRoute {
  route: RouteRecord;
  open: (route: RouteRecord) => RouteConnection | null;
  connection: BoundConnection;
  /** clock of `performance.now()`: takes no slots before */
  avoidUntil: number;
  hasOthers: boolean;
  reopening: boolean;
}

/**
 * Keeps this worker's share of the sessions of routes with `binds` (docs/decisions/0023): takes free slots, renews all its
 * leases in one statement, gives back surplus slots, and closes the session of a slot that it may have lost.
 */
@Injectable()
export class BindKeeper {
  private readonly logger = new Logger(BindKeeper.name);
  private readonly routes = new Map<number, KeptRoute>();
  private readonly polls = new SingleRun((error) => this.warn(error, 'bind slots cannot be read'));
  private readonly renewals = new SingleRun((error) => this.warn(error, 'binds cannot be renewed'));
  private readonly leaving = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | null = null;
  private pollAt = 0;
  private renewAt = 0;
  private boundElsewhere: ReadonlySet<number> = new Set();
  private readAt = 0;
  private knownAt = 0;
  private isListening = false;

  constructor(
    private readonly binds: RouteBinds,
    private readonly board: RouteHealthBoard,
    private readonly wakes: WakeCalls,
  ) {}

  /** Routes whose jobs this worker takes: it can send over them, or it holds a slot while no worker can send. */
  get serving(): number[] {
    return [...this.routes.values()].flatMap(({ route, connection }) => {
      if (connection.ready) return [route.id];
      const holds = [...connection.slots].some(
        ({ isLeaving, until, downSince }) => !isLeaving && performance.now() < until && downSince < this.knownAt,
      );
      return holds && !connection.isUntried && !this.boundElsewhere.has(route.id) ? [route.id] : [];
    });
  }

  /** The connection of a route with `binds`; from now on this worker takes its share. */
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

  /** For a route that has no binds any more, or is removed. */
  forget(routeId: number): Promise<void> {
    const known = this.routes.get(routeId);
    if (!known) return Promise.resolve();
    known.avoidUntil = Infinity;
    return this.giveBack(known, [...known.connection.slots]).finally(() => this.routes.delete(routeId));
  }

  /** True when any worker has a session. */
  async isBound(routeId: number): Promise<boolean> {
    if (this.routes.get(routeId)?.connection.ready) return true;
    return (await this.binds.known()).some((slot) => slot.routeId === routeId && slot.bound && !slot.isFree);
  }

  /** Closes the sessions after their last answers and receipts, and gives back every slot. */
  async closeAll(): Promise<void> {
    await this.polls.stop();
    await Promise.all([...this.routes.keys()].map((routeId) => this.forget(routeId)));
    await Promise.all(this.leaving);
    if (this.timer) clearInterval(this.timer);
    await this.renewals.stop();
  }

  private start(): void {
    if (this.timer) return;
    this.polls.open();
    this.renewals.open();
    // Workers that start together must learn of each other first.
    this.pollAt = performance.now() + FIRST_POLL_MS * (1 + Math.random());
    this.timer = setInterval(() => this.tick(), TICK_MS);
    if (this.isListening) return;
    this.isListening = true;
    this.wakes.listen(WAKE, () => this.polls.request(() => this.poll()));
  }

  private tick(): void {
    const at = performance.now();
    let hasNews = false;
    for (const kept of this.routes.values()) {
      for (const slot of [...kept.connection.slots]) {
        if (at >= slot.until) this.lose(kept, slot, 'its lease was not renewed in time');
        else if (this.follow(kept, slot, at)) hasNews = true;
      }
    }
    if (hasNews || at >= this.renewAt) void this.renewals.run(() => this.renew());
    if (at >= this.pollAt) void this.polls.run(() => this.poll());
    else if (at >= this.readAt + SHORT_POLL_MS && this.isInDoubt()) {
      this.readAt = at;
      void this.read().catch((error: unknown) => this.warn(error, 'bind slots cannot be read'));
    }
  }

  private isInDoubt(): boolean {
    return [...this.routes.values()].some(({ connection }) => connection.slots.size > 0 && !connection.ready);
  }

  private follow(kept: KeptRoute, slot: HeldBindSlot, at: number): boolean {
    const wasOpen = slot.session !== null;
    const hasNews = slot.update(at);
    if (slot.isLeaving) return hasNews;
    if (wasOpen && slot.session === null) this.warnRefused(kept, slot);
    const isOver = slot.session === null && slot.backoffUntil > 0 && at >= slot.backoffUntil;
    const isInVain = kept.hasOthers && slot.session !== null && at - slot.downSince > UNREACHED_MS;
    if (isOver || isInVain) {
      if (kept.hasOthers) kept.avoidUntil = at + AVOID_MS * (0.5 + Math.random() / 2);
      this.leave(kept, [slot]);
    }
    return hasNews;
  }

  private async poll(): Promise<void> {
    const slots = await this.read();
    const workers = await this.board.candidates();
    const at = performance.now();
    let isShort = false;
    let most = 1;
    const wanted = [];
    for (const kept of this.routes.values()) {
      const { route, connection } = kept;
      const others = workers.get(route.id) ?? [];
      most = Math.max(most, others.length);
      const of = slots.filter(({ routeId }) => routeId === route.id);
      const share = shareOf({ binds: route.binds ?? 0, slots: of, worker: this.board.worker, workers: others });
      kept.hasOthers = share.hasOthers;
      isShort ||= share.isShort;
      if (kept.avoidUntil <= at && !kept.reopening) wanted.push(...share.take);
      const going = [...connection.slots].filter(({ isLeaving }) => isLeaving).length;
      if (share.surplus > going) this.leave(kept, surplusOf(kept, share.surplus - going));
    }
    await this.take(wanted);
    const pause = isShort ? SHORT_POLL_MS : Math.min(LONGEST_POLL_MS, Math.max(SHORT_POLL_MS, POLL_MS * most));
    this.pollAt = performance.now() + pause * (0.7 + 0.6 * Math.random());
  }

  private async take(wanted: Awaited<ReturnType<RouteBinds['slots']>>): Promise<void> {
    const claimedAt = performance.now();
    const refusals = new Map(wanted.map((slot) => [`${slot.routeId} ${slot.place}`, slot.refusals]));
    for (const key of await this.binds.claim(this.board.worker, wanted, LEASE_MS)) {
      const kept = this.routes.get(key.routeId);
      const known = refusals.get(`${key.routeId} ${key.place}`) ?? 0;
      const slot = new HeldBindSlot({ ...key, refusals: known }, claimedAt + SAFE_MS);
      if (!kept || kept.avoidUntil === Infinity) {
        await this.binds.giveBack(this.board.worker, [slot.report]);
        continue;
      }
      kept.connection.slots.add(slot);
      slot.session = kept.open(kept.route);
    }
  }

  private async renew(): Promise<void> {
    const slots = [...this.routes.values()].flatMap(({ connection }) => [...connection.slots]);
    this.renewAt = performance.now() + RENEW_MS;
    if (slots.length === 0) return;
    const askedAt = performance.now();
    const reports = slots.map((slot) => ({ ...slot.report, held: slot }));
    const kept = new Set((await this.binds.renew(this.board.worker, reports, LEASE_MS)).map(({ held }) => held));
    for (const route of this.routes.values()) {
      for (const slot of [...route.connection.slots]) {
        if (kept.has(slot)) slot.until = askedAt + SAFE_MS;
        else if (slots.includes(slot)) this.lose(route, slot, 'another worker holds its slot');
      }
    }
  }

  /** Gives slots back in the background: their sessions close first, so that the carrier accepts the next holder's. */
  private leave(kept: KeptRoute, slots: readonly HeldBindSlot[]): void {
    const leaving: Promise<void> = this.giveBack(kept, slots)
      .catch((error: unknown) => this.warn(error, 'a bind could not be given back'))
      .finally(() => this.leaving.delete(leaving));
    this.leaving.add(leaving);
  }

  private async giveBack({ connection }: KeptRoute, slots: readonly HeldBindSlot[]): Promise<void> {
    if (slots.length === 0) return;
    for (const slot of slots) slot.isLeaving = true;
    const reports = slots.map(({ report }) => report);
    try {
      await Promise.all(slots.flatMap(({ session, former }) => [session?.close() ?? [], former].flat()));
      await this.binds.giveBack(this.board.worker, reports);
    } finally {
      // A slot that was not given back becomes free when its lease expires.
      for (const slot of slots) connection.slots.delete(slot);
    }
    this.wakes.wake(WAKE);
  }

  /** Another worker may take the slot at any moment: ends the sends under way as far as possible. */
  private lose({ connection, route }: KeptRoute, slot: HeldBindSlot, why: string): void {
    slot.isLeaving = true;
    connection.slots.delete(slot);
    this.logger.warn({ route: route.name, place: slot.place, why }, 'a bind was lost');
    void slot.session?.close(CLOSE_AT_ONCE_MS);
  }

  /** Reopens sessions with a new address or login, each after the old one is closed: the carrier counts them. */
  private async reopen(kept: KeptRoute): Promise<void> {
    if (kept.reopening) return;
    kept.reopening = true;
    for (let opened = ''; opened !== kept.route.revision;) {
      opened = kept.route.revision;
      await Promise.all(
        [...kept.connection.slots].map(async (slot) => {
          const before = slot.session;
          slot.session = null;
          slot.backoffUntil = 0;
          if (before) slot.former = before.close();
          await slot.former;
          if (!slot.isLeaving) slot.session = kept.open(kept.route);
        }),
      );
    }
    kept.reopening = false;
  }

  private async read(): ReturnType<RouteBinds['slots']> {
    const askedAt = performance.now();
    this.readAt = askedAt;
    const slots = await this.binds.slots();
    this.knownAt = askedAt;
    const elsewhere = slots.filter(({ bound, isFree, holder }) => bound && !isFree && holder !== this.board.worker);
    this.boundElsewhere = new Set(elsewhere.map(({ routeId }) => routeId));
    return slots;
  }

  private warnRefused({ route }: KeptRoute, { place, fault }: HeldBindSlot): void {
    this.logger.warn({ route: route.name, place, fault }, 'the carrier takes no further session, the bind slot waits');
  }

  private warn(error: unknown, text: string): void {
    this.logger.warn({ reason: (error as Error).message }, text);
  }
}

function surplusOf({ route, connection }: KeptRoute, count: number): HeldBindSlot[] {
  const weight = ({ place, ready }: HeldBindSlot): number => (place > (route.binds ?? 0) ? 2 : 0) + (ready ? 0 : 1);
  return [...connection.slots]
    .filter(({ isLeaving }) => !isLeaving)
    .sort((a, b) => weight(b) - weight(a))
    .slice(0, count);
}
