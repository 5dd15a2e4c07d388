import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { dateTime } from '../../kernel/clock.js';
import type { AppError } from '../../kernel/errors.js';
import { type Environment, ENVIRONMENT, publicAddress } from '../../platform/config/index.js';
import { inTransaction, isDuplicateKey } from '../../platform/database/index.js';
import { OutboundClient } from '../../platform/outbound/index.js';
import { type Account, AuditLog } from '../accounts/index.js';
import { Channels, RouteQueues } from '../engine/index.js';
import {
  callbackPath,
  DRIVER_NAMES,
  DriverRegistry,
  hostsOf,
  isSameAddress,
  keepSecrets,
  keepUrls,
  maskSecrets,
  maskUrls,
  type MessageDriver,
  type OperatorRouteKind,
  RouteDirectory,
  unknownSettings,
} from '../providers/index.js';
import { RouteCosts, RoutingTables } from '../routing/index.js';
import type { RotatedCallbackData } from './routes.dto.js';
import { routeErrors } from './routes.errors.js';

/** Limit of a DNS lookup at saving; connections check unresolved names. */
const NAME_PATIENCE_MS = 2_000;

interface WrittenAddress {
  /** guarded so far */
  current: boolean;
  isKept: boolean;
  hosts: readonly string[];
}

/** Only super's addresses may lead to private networks beyond `ROUTE_NETWORKS` (reference/providers#addresses-of-routes). */
@Injectable()
export class GuardedAddresses {
  constructor(private readonly outbound: OutboundClient) {}

  /** @returns whether the guard applies from now on @throws AppError from `refuse`, for a host that the guard refuses */
  async check(
    { userType }: Pick<Account, 'userType'>,
    { current, isKept, hosts }: WrittenAddress,
    refuse: () => AppError,
  ): Promise<boolean> {
    if (isKept) return current;
    if (userType === 'super') return false;
    for (const host of hosts) if (await this.outbound.refusesRoute(host, NAME_PATIENCE_MS)) throw refuse();
    return true;
  }
}

/** An absent field keeps its value, null clears it. */
export interface RouteRequest {
  channel: OperatorRouteKind;
  driver: string;
  config: Record<string, unknown>;
  messagesPerSecond: number | null | undefined;
  binds: number | null | undefined;
  isDefault: boolean | undefined;
}

/** Creates or changes a route (reference/admin#routes). @throws AppError 400 with the field, 409 for another channel's route */
export class PutRouteCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly name: string,
    readonly request: RouteRequest,
  ) {
    super();
  }
}

@CommandHandler(PutRouteCommand)
export class PutRouteHandler implements ICommandHandler<PutRouteCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly addresses: GuardedAddresses,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name, request }: PutRouteCommand): Promise<void> {
    const driver = this.drivers.find(request.driver);
    if (!driver) throw routeErrors.driver(DRIVER_NAMES);
    if (!driver.channels.includes(request.channel)) {
      throw routeErrors.channelOfDriver(driver.name, driver.channels, request.channel);
    }
    if (typeof request.binds === 'number' && !driver.bindsSessions) throw routeErrors.noBinds(driver.name);
    try {
      await this.put(actor, name, request, driver);
    } catch (error) {
      if (isDuplicateKey(error)) throw routeErrors.race();
      throw error;
    } finally {
      this.routes.forget();
    }
  }

  private put(
    actor: PutRouteCommand['actor'],
    name: string,
    request: RouteRequest,
    driver: MessageDriver,
  ): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const current = await this.routes.locked(tx, name);
      if (current && current.channel !== request.channel) {
        throw routeErrors.channelOfRoute(current.channel);
      }
      const secrets = current?.driver === driver.name ? current.config : null;
      const config = readConfig(driver, request.config, secrets);
      const isKept = secrets !== null && isDeepStrictEqual(config, driver.configSchema.safeParse(secrets).data);
      const hosts = hostsOf(config, driver.addressFields);
      const written = { current: current?.guarded ?? false, isKept, hosts };
      const guarded = await this.addresses.check(actor, written, routeErrors.closedAddress);
      const route = await this.routes.put(tx, {
        name,
        channel: request.channel,
        driver: driver.name,
        config,
        messagesPerSecond:
          request.messagesPerSecond === undefined ? (current?.messagesPerSecond ?? null) : request.messagesPerSecond,
        binds: driver.bindsSessions ? (request.binds === undefined ? (current?.binds ?? null) : request.binds) : null,
        isDefault: request.isDefault ?? current?.isDefault ?? false,
        guarded,
      });
      const details = {
        channel: route.channel,
        driver: route.driver,
        config: maskUrls(maskSecrets(config, driver.secretFields), driver.addressFields),
        messages_per_second: route.messagesPerSecond,
        binds: route.binds,
        is_default: route.isDefault,
        guarded,
      };
      await this.audit.record(tx, { actor, action: 'route.put', subject: name, details });
    });
  }
}

/** The driver's config with stored secrets filled in, unless the address changes. @throws AppError 400 with the field */
function readConfig(
  driver: MessageDriver,
  given: Record<string, unknown>,
  current: Record<string, unknown> | null,
): Record<string, unknown> {
  const [unknown] = unknownSettings(driver.name, given);
  if (unknown !== undefined) throw routeErrors.unknownSetting(`config.${unknown}`, driver.name);
  const urls = keepUrls(given, current, driver.addressFields);
  if ('missing' in urls) throw routeErrors.secretWithAddress(urls.missing);
  const kept = keepSecrets(urls.config, current, driver.secretFields);
  if ('missing' in kept) throw routeErrors.fieldRequired(`config.${kept.missing}`);
  const parsed = driver.configSchema.safeParse(kept.config);
  if (!parsed.success) throw faultOf(parsed.error.issues[0], kept.config);
  const config = parsed.data as Record<string, unknown>;
  const [secret] = kept.kept;
  if (secret !== undefined && !isSameAddress(current ?? {}, config, driver.addressFields)) {
    throw routeErrors.secretWithAddress(secret);
  }
  return config;
}

/** The first fault of a config; never contains the value. */
function faultOf(issue: z.core.$ZodIssue | undefined, config: Record<string, unknown>): AppError {
  const path = ['config', ...(issue?.path ?? [])].map(String).join('.');
  let value: unknown = config;
  for (const step of issue?.path ?? []) value = (value as Record<PropertyKey, unknown> | undefined)?.[step];
  if (!issue || (issue.code === 'invalid_type' && value === undefined)) return routeErrors.fieldRequired(path);
  return routeErrors.field(path, issue.message);
}

/** Removes a route. @throws AppError 404 `Route not found`, 409 when a routing table or unfinished campaigns use it */
export class RemoveRouteCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveRouteCommand)
export class RemoveRouteHandler implements ICommandHandler<RemoveRouteCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly tables: RoutingTables,
    private readonly costs: RouteCosts,
    private readonly channels: Channels,
    private readonly queues: RouteQueues,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name }: RemoveRouteCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await this.tables.lockQuota(tx);
      const route = await this.routes.locked(tx, name);
      if (!route) throw routeErrors.notFound();
      const table = await this.tables.naming(tx, route.id);
      if (table !== null) throw routeErrors.named(table);
      // If a campaign is accepted before the commit, it finds no route: the engine refunds its recipients.
      const channels = this.channels.all.flatMap(({ name, routes }) => (routes === route.channel ? [name] : []));
      // Staff may have moved recipients of campaigns that name other routes here.
      const isUsed = await this.queues.isUsed(tx, channels, route.id);
      if (isUsed || (await this.queues.unfinishedOn(tx, route.id))) {
        throw routeErrors.inUse();
      }
      await this.routes.remove(tx, route.id);
      await this.costs.remove(tx, route.id);
      const details = { channel: route.channel, driver: route.driver };
      await this.audit.record(tx, { actor, action: 'route.delete', subject: name, details });
    });
    this.routes.forget();
    this.costs.forget();
  }
}

/** Rotates a callback secret; the old one lasts 24 h (reference/providers#callbacks). @throws AppError 404; 409 without one */
export class RotateCallbackSecretCommand extends Command<RotatedCallbackData> {
  constructor(
    readonly actor: Account,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(RotateCallbackSecretCommand)
export class RotateCallbackSecretHandler implements ICommandHandler<RotateCallbackSecretCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name }: RotateCallbackSecretCommand): Promise<RotatedCallbackData> {
    const rotated = await inTransaction(this.dataSource, async (tx) => {
      const route = await this.routes.locked(tx, name);
      if (!route) throw routeErrors.notFound();
      if (!this.drivers.find(route.driver)?.parseCallback) {
        throw routeErrors.noCallback();
      }
      const { secret, formerUntil } = await this.routes.rotateCallbackSecret(tx, route);
      const callback = {
        callback_url: publicAddress(this.environment, callbackPath({ ...route, callbackSecret: secret })),
        previous_valid_until: dateTime(formerUntil, actor.timeZone),
      };
      const details = { previous_valid_until: formerUntil.toISOString() };
      await this.audit.record(tx, { actor, action: 'route.rotate_callback_secret', subject: name, details });
      return callback;
    });
    this.routes.forget();
    return rotated;
  }
}
