import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../../../../platform/concurrency/index.js';
import { takenInPart } from '../carrier-answers.js';
import type { OutboundMessage, RouteConnection, SendOutcome } from '../../message-driver.js';

/** The port allows 30 s for a send. */
const SEND_MS = 28_000;
const PAUSE_MS = 250;
const CLOSE_MS = 8_000;

const CLOSING: SendOutcome = { kind: 'unsent', afterMs: 0, text: 'Gateway is not reachable' };

/**
 * Sends a message with attachments as several items in order. Until one is taken, the whole message may be retried;
 * afterwards items are retried here, because resending the whole would repeat what arrived.
 */
export class ItemizedConnection implements RouteConnection {
  private readonly running = new Set<Promise<SendOutcome>>();
  private closing = false;

  /** @param timeoutMs limit of one request: the last item must start this long before the end */
  constructor(
    private readonly connection: RouteConnection,
    private readonly timeoutMs: number,
  ) {}

  get ready(): boolean {
    return !this.closing && this.connection.ready;
  }

  get onTrial(): boolean {
    return this.connection.onTrial ?? false;
  }

  get fault(): string | null {
    return this.connection.fault;
  }

  send(message: OutboundMessage): Promise<SendOutcome> {
    if (this.closing) return Promise.resolve(CLOSING);
    if (!message.attachments || message.attachments.length === 0) return this.connection.send(message);
    const work = this.sendItems(message).finally(() => this.running.delete(work));
    this.running.add(work);
    return work;
  }

  async close(): Promise<void> {
    this.closing = true;
    await within(CLOSE_MS, Promise.allSettled(this.running));
    await this.connection.close();
  }

  private async sendItems(message: OutboundMessage): Promise<SendOutcome> {
    const notAfter = Math.min(message.notAfter, performance.now() + SEND_MS - this.timeoutMs);
    const items = itemsOf({ ...message, notAfter });
    const ids: string[] = [];
    for (const [taken, item] of items.entries()) {
      const outcome = taken === 0 ? await this.connection.send(item) : await this.insist(item);
      if (outcome.kind === 'accepted') ids.push(...outcome.providerMessageIds);
      else if (waits(outcome) && taken > 0) {
        const text = `Only ${taken} of ${items.length} items were taken: ${outcome.text}`;
        return { kind: 'rejected', code: outcome.kind === 'retry' ? outcome.code : null, text, submitted: true, taken };
        // A refusal before sending does not refuse the whole message once an item was taken.
      } else
        return taken > 0 && outcome.kind === 'rejected' ? { ...takenInPart(outcome, taken), submitted: true } : outcome;
    }
    return { kind: 'accepted', providerMessageIds: ids };
  }

  /** Retries an item until it is taken or refused, or the time is over. */
  private async insist(item: OutboundMessage): Promise<SendOutcome> {
    for (;;) {
      const outcome = await this.connection.send(item);
      if (!waits(outcome)) return outcome;
      const pause = Math.max(outcome.afterMs, PAUSE_MS);
      if (performance.now() + pause >= item.notAfter) return outcome;
      await sleep(pause);
    }
  }
}

const waits = (outcome: SendOutcome): outcome is Extract<SendOutcome, { kind: 'retry' | 'unsent' }> =>
  outcome.kind === 'retry' || outcome.kind === 'unsent';

/** Each item has its own reference, or a deduplicating gateway would drop it. Stops concern only the first item. */
function itemsOf({ attachments = [], ...first }: OutboundMessage): OutboundMessage[] {
  const { leaving: _, hasStopped: __, ...common } = first;
  const rest = attachments.map((mediaUrl, index) => ({
    ...common,
    ref: `${first.ref}-${index + 1}`,
    text: '',
    mediaUrl,
  }));
  return [first, ...rest];
}
