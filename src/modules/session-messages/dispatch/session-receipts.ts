import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type ReceiptListener, ReceiptListeners, type RoutedReceipt } from '../../engine/index.js';
import { SessionReceiptStore } from '../persistence/session-receipt-store.js';

/** Receipts of session messages, which are in no campaign: the engine asks here before it keeps one as unmatched. */
@Injectable()
export class SessionReceipts implements ReceiptListener {
  constructor(
    private readonly store: SessionReceiptStore,
    listeners: ReceiptListeners,
  ) {
    listeners.register(this);
  }

  take(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<boolean[]> {
    return this.store.apply(tx, receipts);
  }
}
