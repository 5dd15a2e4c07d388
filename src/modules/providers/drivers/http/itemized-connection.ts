import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../../../../platform/concurrency/index.js';
import { takenInPart } from '../carrier-answers.js';
import type { OutboundMessage, RouteConnection, SendOutcome } from '../../message-driver.js';

/** A send is over within 30 s, whatever happens (port). */
const SEND_MS = 28_000;
/** Shortest pause before an item is tried again. */
const PAUSE_MS = 250;
/** How long a closing connection waits for messages of which a part has been taken. */
const CLOSE_MS = 8_000;

const CLOSING: SendOutcome = { kind: 'unsent', afterMs: 0, text: 'Gateway is not reachable' };

/**
 * Sends a message with attachments as several: the text, then each attachment, in order. While none is with the gateway the
 * whole message may come again; once one is, a later item is repeated here until it is taken, because a second copy of
 * the whole would repeat what has arrived.
 */
export class ItemizedConnection implements RouteConnection {
  private readonly running = new Set<Promise<SendOutcome>>();
  private closing = false;

  /** @param timeoutMs longest time of one request: the last item must not begin later than this before the end */
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
        // What is refused before it leaves is no refusal of the whole once an item of it was taken.
      } else
        return taken > 0 && outcome.kind === 'rejected' ? { ...takenInPart(outcome, taken), submitted: true } : outcome;
    }
    return { kind: 'accepted', providerMessageIds: ids };
  }

  /** Sends an item again and again until it is taken, refused, or the time is over. */
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

/** It is not with the gateway, and may come again. */
const waits = (outcome: SendOutcome): outcome is Extract<SendOutcome, { kind: 'retry' | 'unsent' }> =>
  outcome.kind === 'retry' || outcome.kind === 'unsent';

/**
 * Every item has a reference of its own: a gateway that removes duplicates would drop the second with the same one. The message
 * leaves with its first item, and the others follow it, also over a route that is stopped meanwhile.
 */
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
