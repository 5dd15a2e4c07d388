import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { BindKeeper } from './binds/bind-keeper.js';
import { DriverRegistry } from './driver-registry.js';
import {
  InboundSink,
  type OutboundMessage,
  ReceiptSink,
  type RouteConnection,
  type RouteKind,
  type SendOutcome,
} from './message-driver.js';
import { RouteHealthBoard, type Standing } from './route-health.js';
import { RouteDirectory, type RouteRecord } from './routes.store.js';

/** What staff and timelines read of a route that was stopped. */
export const STOPPED = 'Route is stopped by staff';

/**
 * A connection over which nothing leaves while staff have stopped its route: what waits in it does not leave any more
 * either, and receipts go on coming in.
 */
export class StoppableConnection implements RouteConnection {
  isStopped = false;

  constructor(readonly inner: RouteConnection) {}

  private readonly hasStopped = (): boolean => this.isStopped;

  get ready(): boolean {
    return !this.isStopped && this.inner.ready;
  }

  get onTrial(): boolean {
    return !this.isStopped && (this.inner.onTrial ?? false);
  }

  get restMs(): number {
    return this.inner.restMs ?? 0;
  }

  get isUntried(): boolean {
    return !this.isStopped && (this.inner.isUntried ?? false);
  }

  get fault(): string | null {
    return this.isStopped ? STOPPED : this.inner.fault;
  }

  get refusal(): string | null {
    return this.inner.refusal ?? null;
  }

  send(message: OutboundMessage): Promise<SendOutcome> {
    if (this.isStopped) return Promise.resolve(UNSENT);
    return this.inner.send(this.guarded(message));
  }

  close(waitMs?: number): Promise<void> {
    return this.inner.close(waitMs);
  }

  /** It is asked once more when nothing else can hold it back. */
  private guarded(message: OutboundMessage): OutboundMessage {
    const { leaving } = message;
    const guard = (others?: number): void => {
      if (this.isStopped) throw new Error(STOPPED);
      leaving?.(others);
    };
    return { ...message, leaving: guard, hasStopped: this.hasStopped };
  }
}

const UNSENT: SendOutcome = { kind: 'unsent', afterMs: 0, text: STOPPED };

const LOOK_EVERY_MS = 2_000;
/** Whether another process has changed a route; asked of Redis alone. */
const NEWS_EVERY_MS = 250;
/** There may be a hundred thousand chat accounts: an idle connection is closed. */
const IDLE_MS = 600_000;

/** The standing of a route whose config the driver does not take. */
const UNUSABLE: Standing = { ready: false, fault: 'Its configuration cannot be used' };

/** How a route stands for this worker. */
export interface RouteState {
  /** something may leave over it, and need not show first whether the upstream is well again */
  usable: boolean;
  /** for how long it has not been, milliseconds; 0 while nothing is known of it yet */
  downMs: number;
  /** why not, in words; null while all is well */
  fault: string | null;
}

/** The revision of a route with `binds`: its sessions follow its row one by one. */
const BOUND = 'bound';

interface Open {
  revision: string;
  channel: RouteKind;
  connection: StoppableConnection;
  /** clock of `performance.now()` */
  usedAt: number;
}

/**
 * This worker's connections to the carriers, one a route; opened again when the route's row changes. Those of chat
 * accounts are opened when something is sent, since their receipts come by HTTP.
 */
@Injectable()
export class RouteConnections implements OnApplicationShutdown {
  private readonly logger = new Logger(RouteConnections.name);
  private readonly open = new Map<number, Open>();
  private readonly broken = new Map<number, string>();
  /** clock of `performance.now()`: since when routes cannot be used, as far as this worker has looked */
  private readonly downSince = new Map<number, number>();
  private readonly closing = new Set<Promise<void>>();
  private channels: readonly RouteKind[] = [];
  private timer: NodeJS.Timeout | null = null;
  private newsTimer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(
    private readonly directory: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly receipts: ReceiptSink,
    private readonly inbound: InboundSink,
    private readonly health: RouteHealthBoard,
    private readonly binds: BindKeeper,
  ) {}

  /** The routes with `binds` whose turns this worker takes now. */
  get serving(): readonly number[] {
    return this.closed ? [] : this.binds.serving;
  }

  /** The route's connection; null when there is no such route (any more) or its config cannot be used. */
  async get(routeId: number): Promise<RouteConnection | null> {
    const route = await this.directory.byId(routeId);
    if (this.closed) return null;
    if (route) return this.connect(route);
    this.drop(routeId);
    return null;
  }

  /** How a route stands that there is; looked at with every question, and every 2 s where it is kept open. */
  async stateOf(routeId: number): Promise<RouteState> {
    return this.judge(routeId, await this.get(routeId));
  }

  /** Those routes of a kind over which this worker, or a holder of their binds, can send now, in no order. */
  async usable(kind: RouteKind): Promise<number[]> {
    const routes = (await this.directory.list()).filter(({ channel }) => channel === kind);
    const usable = await Promise.all(
      routes.map(async (route) => {
        if (route.stopped) return [];
        if (this.judge(route.id, this.connect(route)).usable) return [route.id];
        // Those that hold its binds take its turns.
        return route.binds !== null && (await this.binds.isBound(route.id)) ? [route.id] : [];
      }),
    );
    return usable.flat();
  }

  /**
   * Opens every route of these channels and keeps the set as the operator changes it: receipts come in over a route
   * whether or not this worker sends anything.
   */
  async openAll(channels: readonly RouteKind[]): Promise<void> {
    this.channels = [...new Set([...this.channels, ...channels])];
    this.timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS);
    this.newsTimer ??= setInterval(() => void this.lookAtNews(), NEWS_EVERY_MS);
    await this.look();
  }

  /** Waits for the answers under way, then closes everything. */
  async closeAll(): Promise<void> {
    this.closed = true;
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    if (this.newsTimer) clearInterval(this.newsTimer);
    this.newsTimer = null;
    for (const routeId of [...this.open.keys()]) this.drop(routeId);
    await Promise.all([...this.closing, this.binds.closeAll(), this.health.leave()]);
  }

  onApplicationShutdown(): Promise<void> {
    return this.closeAll();
  }

  /** What staff stop acts on windows under way too: nothing waits for the next turn. */
  private async lookAtNews(): Promise<void> {
    if (await this.directory.hasNews()) await this.look();
  }

  private async look(): Promise<void> {
    try {
      const routes = await this.directory.list();
      if (this.closed) return;
      const wanted = new Set(routes.map((route) => route.id));
      const idleSince = performance.now() - IDLE_MS;
      for (const [routeId, { channel, usedAt }] of [...this.open]) {
        if (channel === 'chat' ? usedAt < idleSince : !wanted.has(routeId)) this.drop(routeId);
      }
      const standings = new Map<number, Standing>();
      const shares: number[] = [];
      for (const route of routes) {
        if (!this.channels.includes(route.channel)) continue;
        const connection = this.connect(route);
        this.judge(route.id, connection);
        // How a route with binds stands is said by its places.
        if (route.binds === null) standings.set(route.id, connection?.inner ?? UNUSABLE);
        else shares.push(route.id);
      }
      for (const routeId of [...this.downSince.keys()]) if (!wanted.has(routeId)) this.downSince.delete(routeId);
      await this.health.report(standings, shares);
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'routes cannot be read');
    }
  }

  private judge(routeId: number, connection: RouteConnection | null): RouteState {
    const isUntried = connection?.isUntried ?? false;
    const usable = connection !== null && connection.ready && !connection.onTrial && !isUntried;
    const at = performance.now();
    if (usable || isUntried) this.downSince.delete(routeId);
    else if (!this.downSince.has(routeId)) this.downSince.set(routeId, at);
    const downMs = at - (this.downSince.get(routeId) ?? at);
    return { usable, downMs, fault: connection ? connection.fault : UNUSABLE.fault };
  }

  private connect(route: RouteRecord): StoppableConnection | null {
    const connection = this.connected(route);
    if (connection) connection.isStopped = route.stopped !== null;
    return connection;
  }

  private connected(route: RouteRecord): StoppableConnection | null {
    const revision = route.binds === null ? route.revision : BOUND;
    const known = this.open.get(route.id);
    if (known && known.revision !== revision) this.drop(route.id);
    if (route.binds !== null) {
      const { channel } = route;
      const bound = this.binds.connection(route, (latest) => this.openDriver(latest));
      const connection = known?.connection.inner === bound ? known.connection : new StoppableConnection(bound);
      this.open.set(route.id, { revision, channel, connection, usedAt: performance.now() });
      return connection;
    }
    if (known?.revision === revision) {
      known.usedAt = performance.now();
      return known.connection;
    }
    const opened = this.openDriver(route);
    if (!opened) return null;
    const { channel } = route;
    const connection = new StoppableConnection(opened);
    this.open.set(route.id, { revision, channel, connection, usedAt: performance.now() });
    return connection;
  }

  private openDriver(route: RouteRecord): RouteConnection | null {
    try {
      const connection = this.drivers.open(
        route,
        (receipts) => this.receipts.accept(route.id, receipts),
        (texts) => this.inbound.accept(route.id, texts),
      );
      this.broken.delete(route.id);
      return connection;
    } catch (error) {
      // Said once a revision, without the error's own text, which may quote the config.
      if (this.broken.get(route.id) !== route.revision) {
        this.broken.set(route.id, route.revision);
        this.logger.error(
          { route: route.name, driver: route.driver, error: (error as Error).name },
          'route cannot be used',
        );
      }
      return null;
    }
  }

  private drop(routeId: number): void {
    const known = this.open.get(routeId);
    if (!known) return;
    this.open.delete(routeId);
    const close = known.revision === BOUND ? this.binds.forget(routeId) : known.connection.close();
    const closing: Promise<void> = close
      .catch((error: unknown) => this.logger.warn({ reason: (error as Error).message }, 'a connection did not close'))
      .finally(() => this.closing.delete(closing));
    this.closing.add(closing);
  }
}
