import type { Receipt } from '../../ports/message-driver.js';

/** What is to be answered: the sequence number of a deliver_sm or data_sm, and the command of its answer. */
export interface Delivery {
  sequence: number;
  answer: number;
}

const GATHER_MS = 4;
const MOST_RECEIPTS = 1_000;

/**
 * Gathers receipts for a few milliseconds, hands them over in one batch, one batch at a time, and says afterwards which
 * deliveries may be answered: with success only after their commit (reference/providers#smpp).
 */
export class ReceiptBatch {
  private receipts: Receipt[] = [];
  private deliveries: Delivery[] = [];
  private committing = 0;
  private timer: NodeJS.Timeout | null = null;
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
    this.receipts.push(receipt);
    this.deliveries.push(delivery);
    if (this.committing > 0) return;
    if (this.receipts.length >= MOST_RECEIPTS) void this.run();
    else this.timer ??= setTimeout(() => void this.run(), GATHER_MS);
  }

  /** Resolves when every receipt has its answer. */
  drained(): Promise<void> {
    return this.unanswered === 0 ? Promise.resolve() : new Promise((resolve) => this.idle.push(resolve));
  }

  private async run(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    while (this.receipts.length > 0) {
      const receipts = this.receipts;
      const { deliveries } = this;
      this.receipts = [];
      this.deliveries = [];
      this.committing = receipts.length;
      const committed = await this.commit(receipts).then(
        () => true,
        () => false,
      );
      this.committing = 0;
      this.answer(deliveries, committed);
    }
    for (const resolve of this.idle.splice(0)) resolve();
  }
}
