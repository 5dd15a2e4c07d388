import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { TtlCache } from '../../../platform/caches/index.js';
import { Sealer } from '../../../platform/security/index.js';
import { OPERATOR_ROUTE_KINDS, type OperatorRouteKind } from '../ports/message-driver.js';
import { FORMER_SECRET_MS } from '../former-secret.js';
import { openRoute, type RouteRecord } from './route-record.js';
import { RouteEntity } from './route.entity.js';

/** What an operator says of a route; `config` is validated by its driver and holds the secrets. */
export interface RouteDraft {
  name: string;
  channel: OperatorRouteKind;
  driver: string;
  config: Record<string, unknown>;
  messagesPerSecond: number | null;
  isDefault: boolean;
}

interface Snapshot {
  byId: Map<number, RouteRecord>;
  byName: Map<string, RouteRecord>;
  defaults: Map<string, RouteRecord>;
}

const KEPT_MS = 2_000;
const CALLBACK_SECRET_BYTES = 24;
const newCallbackSecret = (): string => randomBytes(CALLBACK_SECRET_BYTES).toString('base64url');
/** Chat accounts are routes too, but there may be a hundred thousand of them: they are read one by one. */
const OPERATOR_ROUTES = In([...OPERATOR_ROUTE_KINDS]);

/** The operator's routes: read as a whole, kept for 2 s (there are few, and every send asks). */
@Injectable()
export class RouteDirectory {
  private readonly logger = new Logger(RouteDirectory.name);
  private readonly chatAccounts = new TtlCache<number, RouteRecord | null>(KEPT_MS);
  private readonly snapshot = new TtlCache<'routes', Snapshot>(KEPT_MS, 1);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sealer: Sealer,
  ) {}

  /**
   * The route of that name and kind, else the default of the kind; null = nothing usable
   * (reference/engine#routes-of-a-send).
   */
  async resolve(kind: OperatorRouteKind, service: string): Promise<RouteRecord | null> {
    const { byName, defaults } = await this.routes();
    const named = byName.get(service);
    return named?.channel === kind ? named : (defaults.get(kind) ?? null);
  }

  /** Knows chat accounts too. */
  async byId(id: number): Promise<RouteRecord | null> {
    const route = (await this.routes()).byId.get(id);
    return route ?? this.chatAccounts.get(id, () => this.chatAccount(id));
  }

  /** Whether the row is there, past every cache: one that is new, or that cannot be opened, is not gone. */
  exists(id: number): Promise<boolean> {
    return this.dataSource.getRepository(RouteEntity).existsBy({ id });
  }

  /** Compares byte for byte. */
  async byName(name: string): Promise<RouteRecord | null> {
    return (await this.routes()).byName.get(name) ?? null;
  }

  /** All routes, by name. */
  async list(): Promise<RouteRecord[]> {
    return [...(await this.routes()).byId.values()];
  }

  /** The row itself, locked, past the cache; for changes. */
  async locked(tx: EntityManager, name: string): Promise<RouteRecord | null> {
    const row = await tx.findOne(RouteEntity, {
      where: { name, channel: OPERATOR_ROUTES },
      lock: { mode: 'pessimistic_write' },
    });
    return row ? this.open(row) : null;
  }

  /**
   * Creates or replaces the route of that name; a new default takes the place of the old one. Call `forget` after the commit.
   */
  async put(tx: EntityManager, draft: RouteDraft): Promise<RouteRecord> {
    const at = now();
    const { name, channel, driver, messagesPerSecond } = draft;
    if (draft.isDefault) {
      await tx.update(RouteEntity, { defaultFor: channel }, { defaultFor: null });
    }
    const values = {
      channel,
      driver,
      config: this.sealer.seal(JSON.stringify(draft.config)),
      messagesPerSecond,
      defaultFor: draft.isDefault ? channel : null,
      updatedAt: at,
    };
    const updated = await tx.update(RouteEntity, { name, channel: OPERATOR_ROUTES }, values);
    if (!updated.affected) {
      const callbackSecret = newCallbackSecret();
      await tx.insert(RouteEntity, { ...values, name, callbackSecret, paceUs: 0, createdAt: at });
    }
    return this.open(await tx.findOneByOrFail(RouteEntity, { name }));
  }

  /**
   * Gives a locked route a new callback secret; the one before is taken for 24 h more. Call `forget` after the commit.
   * @returns the new secret, and until when the former one is taken
   */
  async rotateCallbackSecret(tx: EntityManager, route: RouteRecord): Promise<{ secret: string; formerUntil: Date }> {
    const at = now();
    const secret = newCallbackSecret();
    const formerUntil = new Date(at.getTime() + FORMER_SECRET_MS);
    await tx.update(
      RouteEntity,
      { id: route.id },
      {
        callbackSecret: secret,
        formerCallbackSecret: route.callbackSecret,
        formerSecretUntil: formerUntil,
        updatedAt: at,
      },
    );
    return { secret, formerUntil };
  }

  /** Removes the route. Call `forget` after the commit. */
  async remove(tx: EntityManager, id: number): Promise<void> {
    await tx.delete(RouteEntity, { id });
  }

  /** The next question reads the database again. */
  forget(): void {
    this.snapshot.clear();
    this.chatAccounts.clear();
  }

  private routes(): Promise<Snapshot> {
    return this.snapshot.get('routes', () => this.load());
  }

  private async load(): Promise<Snapshot> {
    const rows = await this.dataSource.getRepository(RouteEntity).find({
      where: { channel: OPERATOR_ROUTES },
      order: { name: 'ASC' },
    });
    const snapshot: Snapshot = { byId: new Map(), byName: new Map(), defaults: new Map() };
    for (const row of rows) {
      const route = this.tryOpen(row);
      if (!route) continue;
      snapshot.byId.set(route.id, route);
      snapshot.byName.set(route.name, route);
      if (route.isDefault) snapshot.defaults.set(route.channel, route);
    }
    return snapshot;
  }

  private async chatAccount(id: number): Promise<RouteRecord | null> {
    const row = await this.dataSource.getRepository(RouteEntity).findOneBy({ id, channel: 'chat' });
    return row && this.tryOpen(row);
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
