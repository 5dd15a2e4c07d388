import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { dateTime } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment, publicAddress } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { callbackPath, DriverRegistry, RouteDirectory } from '../../providers/index.js';
import { routeErrors } from '../admin.errors.js';
import type { RotatedCallbackData } from '../http/route.dto.js';

/**
 * A new secret in a route's callback address; the one before is taken for 24 h more, and no other
 * (reference/providers#callbacks).
 * @throws AppError 404 `Route not found`, 409 `Route has no callback address`
 */
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
