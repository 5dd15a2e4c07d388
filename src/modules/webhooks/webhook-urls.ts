import { Injectable } from '@nestjs/common';
import { OutboundClient } from '../../platform/outbound/index.js';
import { webhookFaults } from './webhooks.errors.js';

/** An owner who registers an address waits so long for its name; what is not known by then is judged at each try. */
const NAME_PATIENCE_MS = 2_000;

/** Which addresses owners may register (reference/webhooks#addresses). */
@Injectable()
export class WebhookUrls {
  constructor(private readonly outbound: OutboundClient) {}

  /** False for a plain URL where TLS is due, as far as that can be said without its name. */
  takesPlain(url: string): boolean {
    return this.outbound.takesPlain(url);
  }

  /** @throws AppError invalid for an address that no try would call */
  async assertOpen(url: string, accountId: number): Promise<void> {
    const refusal = await this.outbound.refusal({
      url,
      customer: accountId,
      tlsOutside: true,
      patienceMs: NAME_PATIENCE_MS,
    });
    if (refusal === 'refused') throw webhookFaults.urlClosed();
    if (refusal === 'unencrypted') throw webhookFaults.urlUnencrypted();
  }
}
