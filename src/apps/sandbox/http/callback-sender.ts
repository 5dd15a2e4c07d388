import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { OutboundClient } from '../../../platform/outbound/index.js';

const TRIES = 6;
const FIRST_REPEAT_MS = 250;

/** Sends receipts to the callback URL of a message, again after a failure, in growing intervals. */
@Injectable()
export class CallbackSender implements OnApplicationShutdown {
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(private readonly outbound: OutboundClient) {}

  /** @param before called each time right before the receipt leaves; false puts it off */
  send(url: string, body: Record<string, unknown>, delayMs: number, before: () => boolean): void {
    this.later(delayMs, () => this.attempt(url, body, before, 1));
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  private async attempt(
    url: string,
    body: Record<string, unknown>,
    before: () => boolean,
    attempt: number,
  ): Promise<void> {
    if (!before()) return this.later(FIRST_REPEAT_MS, () => this.attempt(url, body, before, attempt));
    const headers = { 'content-type': 'application/json' };
    const taken = await this.outbound
      .request({ url, method: 'POST', headers, body: JSON.stringify(body), timeoutMs: 5_000, trusted: true })
      .then(({ status }) => status >= 200 && status < 300)
      .catch(() => false);
    if (!taken && attempt < TRIES) {
      this.later(FIRST_REPEAT_MS * 2 ** attempt, () => this.attempt(url, body, before, attempt + 1));
    }
  }

  private later(delayMs: number, work: () => Promise<void>): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void work();
    }, delayMs);
    this.timers.add(timer);
  }
}
