import { writeIdResponse } from '../../../../platform/smpp/index.js';
import type { Receipt } from '../../ports/message-driver.js';
import { within } from './smpp-socket.js';

/** What is to be answered: the sequence number of a deliver_sm or data_sm, and the command of its answer. */
export interface Delivery {
  sequence: number;
  answer: number;
}

/** A deliver_sm_resp or data_sm_resp: header and an empty message id. */
const ANSWER_LENGTH = 17;

/** An answer to each of them. */
export function answersTo(deliveries: readonly Delivery[], status: number): Buffer {
  const bytes = Buffer.allocUnsafe(deliveries.length * ANSWER_LENGTH);
  let at = 0;
  for (const { sequence, answer } of deliveries) at = writeIdResponse(bytes, at, answer, status, sequence, '');
  return bytes;
}

/**
 * Hands over together what came in one turn of the event loop, and says afterwards which deliveries may be answered: with
 * success only after their commit (reference/providers#smpp). Those who write receipts gather them into transactions, two at
 * a time: were one batch kept back until the one before is answered, a session had never more than one.
 */
export class ReceiptBatch {
  private receipts: Receipt[] = [];
  private deliveries: Delivery[] = [];
  private committing = 0;
  private idle: (() => void)[] = [];

  constructor(
    private readonly commit: (receipts: Receipt[]) => Promise<void>,
    private readonly answer: (deliveries: readonly Delivery[], committed: boolean) => void,
  ) {}

  /** Receipts without an answer yet. */
  get unanswered(): number {
    return this.receipts.length + this.committing;
  }

  /** @param delivery what brought the receipt */
  add(receipt: Receipt, delivery: Delivery): void {
    if (this.receipts.length === 0) setImmediate(() => void this.handOver());
    this.receipts.push(receipt);
    this.deliveries.push(delivery);
  }

  /** Resolves when every receipt has its answer, at the latest after `milliseconds`. */
  drained(milliseconds: number): Promise<void> {
    return this.unanswered === 0 ? Promise.resolve() : within(milliseconds, (resolve) => this.idle.push(resolve));
  }

  private async handOver(): Promise<void> {
    const { receipts, deliveries } = this;
    this.receipts = [];
    this.deliveries = [];
    this.committing += receipts.length;
    const committed = await this.commit(receipts).then(
      () => true,
      () => false,
    );
    this.committing -= receipts.length;
    this.answer(deliveries, committed);
    if (this.unanswered === 0) for (const resolve of this.idle.splice(0)) resolve();
  }
}
