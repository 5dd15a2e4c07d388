import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RoutedReceipt } from './receipt-lookup.js';

/** A module that sends messages outside campaigns and wants their receipts. */
export interface ReceiptListener {
  /**
   * Settles the receipts of its own messages within the transaction.
   * @returns one entry a receipt, in order: true where the message was its own
   */
  take(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<boolean[]>;
}

/** The modules that are handed receipts whose message is in no campaign, before they are kept as unmatched. */
@Injectable()
export class ReceiptListeners {
  private readonly listeners: ReceiptListener[] = [];

  register(listener: ReceiptListener): void {
    this.listeners.push(listener);
  }

  /** @returns the receipts that no module took */
  async handOver<Entry extends RoutedReceipt>(tx: EntityManager, receipts: readonly Entry[]): Promise<Entry[]> {
    let left = [...receipts];
    for (const listener of this.listeners) {
      if (left.length === 0) break;
      const taken = await listener.take(tx, left);
      left = left.filter((_, index) => !taken[index]);
    }
    return left;
  }
}
