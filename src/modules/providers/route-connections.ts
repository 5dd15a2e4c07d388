import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { BindKeeper } from './binds/bind-keeper.js';
import { DriverRegistry } from './driver-registry.js';
import { unknownSettings } from './drivers.js';
import { isTestRoute } from './drivers/test/test.driver.js';
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

/** Fault of a stopped route, for staff and timelines. */
export const STOPPED = 'Route is stopped by staff';

/** Sends nothing while staff stop its route, not even messages that wait in it; receipts still come in. */
export class StoppableConnection implements RouteConnection {
  isStopped = false;

  constructor(readonly inner: RouteConnection) {}

  get ready(): boolean {
    return !this.isStopped && this.inner.ready;
  }

  get onTrial(): boolean {
    return !this.isStopped && (this.inner.onTrial ?? false);
  }

  get backoffMs(): number {
    return this.inner.backoffMs ?? 0;
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

  /** Checks again right before the message leaves. */
  private guarded(message: OutboundMessage): OutboundMessage {
    const { leaving, hasStopped } = message;
    const guard = (others?: number): void => {
      if (this.isStopped) throw new Error(STOPPED);
      leaving?.(others);
    };
    return { ...message, leaving: guard, hasStopped: () => this.isStopped || (hasStopped?.() ?? false) };
  }
}

const UNSENT: SendOutcome = { kind: 'unsent', afterMs: 0, text: STOPPED };

const POLL_EVERY_MS = 2_000;
/** Interval of checks for changed routes; each costs one query of Redis. */
const NEWS_EVERY_MS = 250;
/** Idle connections are closed: there may be a hundred thousand chat accounts. */
const IDLE_MS = 600_000;

const UNUSABLE: Standing = { ready: false, fault: 'Its configuration cannot be used' };

export interface RouteState {
  /** messages may be sent, and no trial must come first */
  usable: boolean;
  /** milliseconds since it became unusable; 0 = usable or unknown */
  downMs: number;
  fault: string | null;
}

/** Fixed revision of routes with `binds`: `BindKeeper` reopens their sessions one by one. */
const BOUND = 'bound';

interface Open {
  revision: string;
  channel: RouteKind;
  connection: StoppableConnection;
  usedAt: number;
}

/** This worker's connections, one a route; reopened when the row changes. Those of chat accounts open at the first send. */
@Injectable()
export class RouteConnections implements OnApplicationShutdown {
  private readonly logger = new Logger(RouteConnections.name);
  private readonly open = new Map<number, Open>();
  private readonly broken = new Map<number, string>();
  /** clock of `performance.now()`: start of each route's outage, as seen by this worker */
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

  /** Routes with `binds` whose jobs this worker takes now. */
  get serving(): readonly number[] {
    return this.closed ? [] : this.binds.serving;
  }

  /** null = no such route, or its config is invalid */
  async get(routeId: number): Promise<RouteConnection | null> {
    const route = await this.directory.byId(routeId);
    if (this.closed) return null;
    if (route) return this.connect(route);
    this.drop(routeId);
    return null;
  }

  /** State of an existing route; updated at each call, and every 2 s if it is kept open. */
  async stateOf(routeId: number): Promise<RouteState> {
    return this.updateState(routeId, await this.get(routeId));
  }

  /** Routes of a kind that this worker, or a holder of their binds, can send over. */
  async usable(kind: RouteKind): Promise<number[]> {
    const routes = (await this.directory.list()).filter(({ channel }) => channel === kind);
    const usable = await Promise.all(
      routes.map(async (route) => {
        if (route.stopped) return [];
        if (this.updateState(route.id, this.connect(route)).usable) return [route.id];
        // the workers that hold its binds take its jobs
        return route.binds !== null && (await this.binds.isBound(route.id)) ? [route.id] : [];
      }),
    );
    return usable.flat();
  }

  /** Opens every route of these channels and follows changes: receipts come in whether or not this worker sends. */
  async openAll(channels: readonly RouteKind[]): Promise<void> {
    this.channels = [...new Set([...this.channels, ...channels])];
    this.timer ??= setInterval(() => void this.poll(), POLL_EVERY_MS);
    this.newsTimer ??= setInterval(() => void this.pollChanges(), NEWS_EVERY_MS);
    await this.poll();
  }

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

  /** A stop must act on batches under way too, not only on the next job. */
  private async pollChanges(): Promise<void> {
    if (await this.directory.hasNews()) await this.poll();
  }

  private async poll(): Promise<void> {
    try {
      const routes = await this.directory.list();
      if (this.closed) return;
      const wanted = new Set(routes.map((route) => route.id));
      const idleSince = performance.now() - IDLE_MS;
      for (const [routeId, { channel, usedAt }] of [...this.open]) {
        const isListed = channel !== 'chat' && !isTestRoute(routeId);
        if (isListed ? !wanted.has(routeId) : usedAt < idleSince) this.drop(routeId);
      }
      const standings = new Map<number, Standing>();
      const shares: number[] = [];
      for (const route of routes) {
        if (!this.channels.includes(route.channel)) continue;
        const connection = this.connect(route);
        this.updateState(route.id, connection);
        // bind slots report the state of routes with binds
        if (route.binds === null) standings.set(route.id, connection?.inner ?? UNUSABLE);
        else shares.push(route.id);
      }
      for (const routeId of [...this.downSince.keys()]) if (!wanted.has(routeId)) this.downSince.delete(routeId);
      await this.health.report(standings, shares);
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'routes cannot be read');
    }
  }

  private updateState(routeId: number, connection: RouteConnection | null): RouteState {
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
        (fingerprints) => this.inbound.acknowledged(fingerprints),
      );
      this.broken.delete(route.id);
      const unknown = unknownSettings(route.driver, route.config);
      if (unknown.length > 0)
        this.logger.warn(
          { route: route.name, driver: route.driver, unknown },
          'settings that the driver does not know',
        );
      return connection;
    } catch (error) {
      // Logged once a revision, without the error's text, which may quote the config.
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
