import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type ReceiptListener, ReceiptListeners, type RoutedReceipt } from '../../campaigns/index.js';
import { SessionMessageStore } from '../persistence/session-message-store.js';

/** Receipts of session messages, which are in no campaign: the engine asks here before it parks one. */
@Injectable()
export class SessionReceipts implements ReceiptListener {
  constructor(
    private readonly store: SessionMessageStore,
    listeners: ReceiptListeners,
  ) {
    listeners.register(this);
  }

  take(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<boolean[]> {
    return this.store.applyReceipts(tx, receipts);
  }
}
