import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { TtlCache, GroupCommit, ONE_TICK } from '../../platform/concurrency/index.js';
import { RedisLink } from '../../platform/redis/index.js';
import { sealedIn, Sealer } from '../../platform/security/index.js';
import { addBindSlots } from './binds/route-binds.store.js';
import { OPERATOR_ROUTE_KINDS, type OperatorRouteKind, type Route, type RouteKind } from './message-driver.js';
import { TEST_ROUTE_IDS, testRoute } from './drivers/test/test.driver.js';
import { FORMER_SECRET_MS, type FormerSecret } from './secrets.js';
import { RouteBindEntity, RouteEntity } from './tables.js';

export interface RouteStop {
  at: Date;
  by: string;
  reason: string | null;
}

/** A route with its administrative data. */
export interface RouteRecord extends Route<Record<string, unknown>> {
  isDefault: boolean;
  guarded: boolean;
  /** sessions of all workers together; null = one per worker */
  binds: number | null;
  stopped: RouteStop | null;
  formerCallbackSecret: FormerSecret | null;
  owner: { accountId: number; connection: string } | null;
  /** changes whenever an open connection must be reopened */
  revision: string;
  createdAt: Date;
  updatedAt: Date;
}

/** By the name, which is known before the row is. */
export const placeOfConfig = (name: string): string => sealedIn('routes', 'config', name);

/** @throws Error when the config was sealed under another key, or for another route */
export function openRoute(row: RouteEntity, sealer: Sealer): RouteRecord {
  const config = sealer.open(row.config, placeOfConfig(row.name));
  return {
    id: row.id,
    name: row.name,
    channel: row.channel as RouteKind,
    driver: row.driver,
    config: JSON.parse(config) as Record<string, unknown>,
    messagesPerSecond: row.messagesPerSecond,
    binds: row.binds,
    callbackSecret: row.callbackSecret,
    isDefault: row.defaultFor !== null,
    guarded: row.guarded,
    stopped: row.stoppedAt && { at: row.stoppedAt, by: row.stoppedBy ?? '', reason: row.stopReason },
    formerCallbackSecret:
      row.formerCallbackSecret === null || row.formerSecretUntil === null
        ? null
        : { value: row.formerCallbackSecret, until: row.formerSecretUntil.getTime() },
    owner:
      row.accountId === null || row.connection === null
        ? null
        : { accountId: row.accountId, connection: row.connection },
    revision: `${row.driver} ${row.guarded ? 'guarded ' : ''}${config}`,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** Path of the carrier's callbacks below our public URL; its last segment is a secret. */
export const callbackPath = ({
  channel,
  name,
  callbackSecret,
}: Pick<RouteRecord, 'channel' | 'name' | 'callbackSecret'>): string =>
  `/provider/${channel}/${encodeURIComponent(name)}/${callbackSecret}`;

const markKey = ({ prefix }: RedisLink): string => `${prefix}:routes-mark`;
/** A key whose value changes whenever a process changes a route. */
const newsKey = ({ prefix }: RedisLink): string => `${prefix}:routes-news`;
const NEWS_KEPT_MS = 60_000;

/** An operator's input; the driver validates `config`, which holds the secrets. */
export interface RouteDraft {
  name: string;
  channel: OperatorRouteKind;
  driver: string;
  config: Record<string, unknown>;
  messagesPerSecond: number | null;
  binds?: number | null;
  isDefault: boolean;
  guarded?: boolean;
}

export interface RoutesOfKind {
  byId: ReadonlyMap<number, RouteRecord>;
  byName: ReadonlyMap<string, RouteRecord>;
  standard: RouteRecord | null;
}

interface Snapshot {
  byId: Map<number, RouteRecord>;
  byName: Map<string, RouteRecord>;
  kinds: Map<OperatorRouteKind, RoutesOfKind>;
}

const TEST_ROUTES: ReadonlyMap<number, RouteRecord> = new Map(
  Object.values(TEST_ROUTE_IDS).flatMap((id) => {
    const route = testRoute(id);
    const at = new Date(0);
    const record = { isDefault: false, guarded: false, binds: null, stopped: null, formerCallbackSecret: null };
    return route
      ? [[id, { ...route, ...record, owner: null, revision: '', createdAt: at, updatedAt: at }] as const]
      : [];
  }),
);

const NO_ROUTES: RoutesOfKind = { byId: new Map(), byName: new Map(), standard: null };

const keyed = (routes: readonly RouteRecord[]): Pick<Snapshot, 'byId' | 'byName'> => ({
  byId: new Map(routes.map((route) => [route.id, route])),
  byName: new Map(routes.map((route) => [route.name, route])),
});

/** A shorter time would exceed the idle load of docs/operate/measurements.md. */
const KEPT_MS = 2_000;
const MARK_MS = 500;
/** Routes are read again after this time, even if unchanged. */
const LONGEST_MS = 60_000;
/** Differs whenever a route has changed, whichever version of the service wrote it. */
const MARK = `CONCAT(COUNT(*), ' ', COALESCE(MAX(updated_at), 0), ' ', COALESCE(BIT_XOR(CRC32(CONCAT_WS('|', id, name, channel,
  driver, config, messages_per_second, 'b', binds, 'g', guarded, 'd', default_for, callback_secret, former_callback_secret, former_secret_until, 's', stopped_at))), 0))`;
const NAMES_AT_ONCE = 500;
const CALLBACK_SECRET_BYTES = 24;
const newCallbackSecret = (): string => randomBytes(CALLBACK_SECRET_BYTES).toString('base64url');
/** Chat accounts are routes too, but up to a hundred thousand: they are read one by one. */
const OPERATOR_ROUTES = In([...OPERATOR_ROUTE_KINDS]);

/** The operator's routes, cached as a whole. One process at a time checks them for changes; others read its mark in Redis. */
@Injectable()
export class RouteDirectory {
  private readonly logger = new Logger(RouteDirectory.name);
  private readonly chatAccounts = new TtlCache<number, RouteRecord | null>(KEPT_MS);
  private known: Snapshot['byId'] = new Map();
  private last: { mark: string; readAt: number; snapshot: Snapshot } | null = null;
  private readonly chatReads = new GroupCommit<number, RouteRecord | null>((ids) => this.chatAccountsOf(ids), ONE_TICK);
  private readonly snapshot = new TtlCache<'routes', Snapshot>(KEPT_MS, 1);
  private news: string | null = null;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sealer: Sealer,
    private readonly redis?: RedisLink,
  ) {}

  async ofKind(kind: OperatorRouteKind): Promise<RoutesOfKind> {
    return (await this.routes()).kinds.get(kind) ?? NO_ROUTES;
  }

  /** Finds chat accounts too, and the routes of test keys, which are in no list. */
  async byId(id: number): Promise<RouteRecord | null> {
    const test = TEST_ROUTES.get(id);
    if (test) return test;
    const route = (await this.routes()).byId.get(id);
    return route ?? this.chatAccounts.get(id, () => this.chatReads.add(id));
  }

  /** An operator's route as it was last read here, without a query: within a transaction. */
  lastRead(id: number): RouteRecord | null {
    return this.known.get(id) ?? null;
  }

  /** Uncached: a row that is new or cannot be opened exists too. */
  exists(id: number): Promise<boolean> {
    return this.dataSource.getRepository(RouteEntity).existsBy({ id });
  }

  async byName(name: string): Promise<RouteRecord | null> {
    return (await this.routes()).byName.get(name) ?? null;
  }

  async list(): Promise<RouteRecord[]> {
    return [...(await this.routes()).byId.values()];
  }

  /** Uncached; operators' routes only. */
  async kindsOf(tx: EntityManager, names: readonly string[]): Promise<Map<string, { id: number; channel: string }>> {
    const found = new Map<string, { id: number; channel: string }>();
    for (let from = 0; from < names.length; from += NAMES_AT_ONCE) {
      const rows = await tx.find(RouteEntity, {
        where: { name: In(names.slice(from, from + NAMES_AT_ONCE)), channel: OPERATOR_ROUTES },
        select: { id: true, name: true, channel: true },
      });
      for (const { id, name, channel } of rows) found.set(name, { id, channel });
    }
    return found;
  }

  /** The row, locked and uncached; for changes. */
  async locked(tx: EntityManager, name: string): Promise<RouteRecord | null> {
    const row = await tx.findOne(RouteEntity, {
      where: { name, channel: OPERATOR_ROUTES },
      lock: { mode: 'pessimistic_write' },
    });
    return row ? this.open(row) : null;
  }

  /** Creates or replaces a route; a new default replaces the old one. Call `forget` after the commit. */
  async put(tx: EntityManager, draft: RouteDraft): Promise<RouteRecord> {
    const at = now();
    const { name, channel, driver, messagesPerSecond, binds = null } = draft;
    if (draft.isDefault) {
      await tx.update(RouteEntity, { defaultFor: channel }, { defaultFor: null });
    }
    const values = {
      channel,
      driver,
      config: this.sealer.seal(JSON.stringify(draft.config), placeOfConfig(name)),
      messagesPerSecond,
      binds,
      guarded: draft.guarded ?? false,
      defaultFor: draft.isDefault ? channel : null,
      updatedAt: at,
    };
    const updated = await tx.update(RouteEntity, { name, channel: OPERATOR_ROUTES }, values);
    if (!updated.affected) {
      const callbackSecret = newCallbackSecret();
      await tx.insert(RouteEntity, { ...values, name, callbackSecret, paceUs: 0, createdAt: at });
    }
    const route = this.open(await tx.findOneByOrFail(RouteEntity, { name }));
    if (binds !== null) await addBindSlots(tx, route.id, binds);
    return route;
  }

  /** Replaces a locked route's callback secret; the old one is valid for 24 h more. Call `forget` after the commit. */
  async rotateCallbackSecret(tx: EntityManager, route: RouteRecord): Promise<{ secret: string; formerUntil: Date }> {
    const secret = newCallbackSecret();
    const formerUntil = new Date(now().getTime() + FORMER_SECRET_MS);
    const former = { formerCallbackSecret: route.callbackSecret, formerSecretUntil: formerUntil };
    await this.touch(tx, route.id, { callbackSecret: secret, ...former });
    return { secret, formerUntil };
  }

  /** Stops a locked route, or resumes it (null). Call `forget` after the commit. */
  async setStop(tx: EntityManager, id: number, stop: RouteStop | null): Promise<void> {
    const values = { stoppedAt: stop?.at ?? null, stoppedBy: stop?.by ?? null, stopReason: stop?.reason ?? null };
    await this.touch(tx, id, values);
  }

  /** Writes the locked row even if only other tables change: a removal on another Galera node must conflict with it. */
  async touch(tx: EntityManager, id: number, values: Partial<RouteEntity> = {}): Promise<void> {
    await tx.update(RouteEntity, { id }, { ...values, updatedAt: now() });
  }

  /** Removes a route. Call `forget` after the commit. */
  async remove(tx: EntityManager, id: number): Promise<void> {
    await tx.delete(RouteEntity, { id });
    await tx.delete(RouteBindEntity, { routeId: id });
    await tx.query('DELETE FROM route_states WHERE route_id = ?', [id]);
  }

  /** Clears the caches here and, through Redis, in other processes. */
  forget(): void {
    this.snapshot.clear();
    this.chatAccounts.clear();
    this.last = null;
    const { redis } = this;
    if (!redis) return;
    // The mark first: a process that sees the new key must read current routes.
    void redis.answer(async () => {
      await redis.client.del(markKey(redis));
      await redis.client.set(newsKey(redis), randomBytes(8).toString('hex'), 'PX', NEWS_KEPT_MS);
    });
  }

  /** True when another process changed a route since the last call: then the cache is cleared. One query of Redis. */
  async hasNews(): Promise<boolean> {
    const { redis } = this;
    if (!redis?.ready) return false;
    const news = await redis.answer(() => redis.client.get(newsKey(redis)));
    if (news === null || news === this.news) return false;
    this.news = news;
    this.snapshot.clear();
    // A mark from before the change may be written after its deletion: do not use it.
    this.last = null;
    return true;
  }

  private routes(): Promise<Snapshot> {
    return this.snapshot.get('routes', () => this.load());
  }

  private async load(): Promise<Snapshot> {
    const mark = await this.mark();
    const { last } = this;
    if (mark !== null && last?.mark === mark && performance.now() - last.readAt < LONGEST_MS) return last.snapshot;
    const readAt = performance.now();
    const snapshot = await this.readAll();
    this.known = snapshot.byId;
    // Keep the mark from before the read: a change meanwhile gives another mark.
    this.last = mark === null ? null : { mark, readAt, snapshot };
    return snapshot;
  }

  private async mark(): Promise<string | null> {
    const { redis } = this;
    if (!redis?.ready) return null;
    const known = await redis.answer(() => redis.client.get(markKey(redis)));
    if (known !== null) return known;
    const [row] = await this.dataSource.query<{ mark: string }[]>(
      `SELECT ${MARK} AS mark FROM routes WHERE channel IN (?)`,
      [[...OPERATOR_ROUTE_KINDS]],
    );
    const mark = row?.mark ?? '';
    await redis.answer(() => redis.client.set(markKey(redis), mark, 'PX', MARK_MS));
    return mark;
  }

  private async readAll(): Promise<Snapshot> {
    const rows = await this.dataSource.getRepository(RouteEntity).find({
      where: { channel: OPERATOR_ROUTES },
      order: { name: 'ASC' },
    });
    const routes = rows.flatMap((row) => this.tryOpen(row) ?? []);
    return {
      ...keyed(routes),
      kinds: new Map(
        OPERATOR_ROUTE_KINDS.map((kind) => {
          const those = routes.filter(({ channel }) => channel === kind);
          return [kind, { ...keyed(those), standard: those.find(({ isDefault }) => isDefault) ?? null }];
        }),
      ),
    };
  }

  private async chatAccountsOf(ids: readonly number[]): Promise<(RouteRecord | null)[]> {
    const rows = await this.dataSource.getRepository(RouteEntity).findBy({ id: In([...ids]), channel: 'chat' });
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = found.get(id);
      return row ? this.tryOpen(row) : null;
    });
  }

  private tryOpen(row: RouteEntity): RouteRecord | null {
    try {
      return this.open(row);
    } catch (error) {
      this.logger.error({ route: row.name, reason: (error as Error).message }, 'route cannot be opened');
      return null;
    }
  }

  private open(row: RouteEntity): RouteRecord {
    return openRoute(row, this.sealer);
  }
}
