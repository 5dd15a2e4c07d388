import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { constantTimeEqual } from '../../../platform/security/index.js';
import { DriverRegistry } from '../driver-registry.js';
import { takenSecrets } from '../former-secret.js';
import { RouteDirectory } from '../persistence/route-directory.js';
import { InboundSink } from '../ports/inbound-sink.js';
import { type ProviderCallback, ReceiptSink } from '../ports/message-driver.js';
import { wrongCallback } from '../providers.errors.js';

/**
 * Takes the receipts of a carrier's callback, and what people wrote back; resolves with the number of receipts after the
 * commit of both.
 * @throws AppError `forbidden` when the route or its secret is wrong (nothing happens then)
 */
export class AcceptProviderCallbackCommand extends Command<number> {
  constructor(
    /** first segments of the path: `sms`, `unofficial` */
    readonly channel: string,
    readonly route: string,
    readonly secret: string,
    readonly head: Omit<ProviderCallback, 'body'>,
    /** reads the body, once the secret is known to be right */
    readonly body: () => Promise<unknown>,
  ) {
    super();
  }
}

@CommandHandler(AcceptProviderCallbackCommand)
export class AcceptProviderCallbackHandler implements ICommandHandler<AcceptProviderCallbackCommand> {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly receipts: ReceiptSink,
    private readonly inbound: InboundSink,
  ) {}

  async execute({ channel, route: name, secret, head, body }: AcceptProviderCallbackCommand): Promise<number> {
    const route = await this.routes.byName(name);
    // A route that is none costs the same comparison, so that names cannot be told by their time.
    const secrets = route ? takenSecrets(route.callbackSecret, route.formerCallbackSecret) : ['no such route'];
    const known = secrets.map((taken) => constantTimeEqual(secret, taken)).includes(true);
    const driver = route && this.drivers.find(route.driver);
    const config = driver?.configSchema.safeParse(route?.config);
    if (!known || !route || route.channel !== channel || !driver?.parseCallback || !config?.success) {
      throw wrongCallback();
    }
    const callback: ProviderCallback = { ...head, body: await body() };
    const described = { ...route, config: config.data };
    const receipts = driver.parseCallback(described, callback);
    if (receipts.length > 0) await this.receipts.accept(route.id, receipts);
    const texts = driver.parseInbound?.(described, callback) ?? [];
    if (texts.length > 0) await this.inbound.accept(route.id, texts);
    return receipts.length;
  }
}
