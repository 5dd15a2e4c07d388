import { isDeepStrictEqual } from 'node:util';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import type { AppError } from '../../../kernel/app-error.js';
import { inTransaction, isDuplicateKey } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import {
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
} from '../../providers/index.js';
import { routeErrors } from '../admin.errors.js';
import { GuardedAddresses } from './guarded-addresses.js';

/** What an operator wrote; absent fields keep what stands, null clears. */
export interface RouteRequest {
  channel: OperatorRouteKind;
  driver: string;
  config: Record<string, unknown>;
  messagesPerSecond: number | null | undefined;
  binds: number | null | undefined;
  isDefault: boolean | undefined;
}

/**
 * Creates or changes a route (reference/admin#routes).
 * @throws AppError 400 with the field at fault, 409 when the name is a route of another channel
 */
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
    if (!driver) throw routeErrors.driver(this.drivers.names);
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
      const guarded = await this.addresses.judge(actor, written, routeErrors.closedAddress);
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

/**
 * The config as the driver wants it, secrets filled in; none of them follows the route to another address.
 * @throws AppError 400 naming the field
 */
function readConfig(
  driver: MessageDriver,
  given: Record<string, unknown>,
  current: Record<string, unknown> | null,
): Record<string, unknown> {
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

/** `config.port is required`, or what is wrong with it; never the value. */
function faultOf(issue: z.core.$ZodIssue | undefined, config: Record<string, unknown>): AppError {
  const path = ['config', ...(issue?.path ?? [])].map(String).join('.');
  let value: unknown = config;
  for (const step of issue?.path ?? []) value = (value as Record<PropertyKey, unknown> | undefined)?.[step];
  if (!issue || (issue.code === 'invalid_type' && value === undefined)) return routeErrors.fieldRequired(path);
  return routeErrors.field(path, issue.message);
}
