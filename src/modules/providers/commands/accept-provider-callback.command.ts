import { Command } from '@nestjs/cqrs';
import type { ProviderCallback } from '../ports/message-driver.js';

/**
 * Takes the receipts of a carrier's callback, and what people wrote back; resolves with the number of receipts after the
 * commit of both.
 * @throws AppError `forbidden` when the route or its secret is wrong (nothing happens then)
 */
export class AcceptProviderCallback extends Command<number> {
  constructor(
    /** first segments of the path: `sms`, `unofficial` */
    readonly channel: string,
    readonly route: string,
    readonly secret: string,
    readonly callback: ProviderCallback,
  ) {
    super();
  }
}
