import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AppError } from '../../../kernel/app-error.js';
import { constantTimeEqual } from '../../../platform/security/index.js';
import { DriverRegistry } from '../driver-registry.js';
import { RouteDirectory } from '../persistence/route-directory.js';
import { ReceiptSink } from '../ports/message-driver.js';
import { AcceptProviderCallback } from './accept-provider-callback.command.js';

@CommandHandler(AcceptProviderCallback)
export class AcceptProviderCallbackHandler implements ICommandHandler<AcceptProviderCallback> {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly receipts: ReceiptSink,
  ) {}

  async execute({ channel, route: name, secret, callback }: AcceptProviderCallback): Promise<number> {
    const route = await this.routes.byName(name);
    // A route that is none costs the same comparison, so that names cannot be told by their time.
    const known = constantTimeEqual(secret, route?.callbackSecret ?? 'no such route');
    const driver = route && this.drivers.find(route.driver);
    const config = driver?.configSchema.safeParse(route?.config);
    if (!known || !route || route.channel !== channel || !driver?.parseCallback || !config?.success) {
      throw new AppError('forbidden', 'wrong_callback', 'Forbidden');
    }
    const receipts = driver.parseCallback({ ...route, config: config.data }, callback);
    if (receipts.length > 0) await this.receipts.accept(route.id, receipts);
    return receipts.length;
  }
}
