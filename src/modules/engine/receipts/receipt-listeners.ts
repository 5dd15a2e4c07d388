import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type Tracing, TRACING } from '../../../platform/observability/index.js';
import { CampaignTraces } from '../state/campaign-briefs.js';
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

/** Says in the traces of campaigns how many receipts of theirs a batch has written. */
@Injectable()
export class ReceiptTraces {
  constructor(
    @Inject(TRACING) private readonly tracing: Tracing,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly traces: CampaignTraces,
  ) {}

  /**
   * After the commit; carriers do not wait for it.
   * @param campaignIds one for each receipt
   */
  async tell(campaignIds: readonly number[]): Promise<void> {
    if (!this.tracing.isOn || campaignIds.length === 0) return;
    const counts = new Map<number, number>();
    for (const id of campaignIds) counts.set(id, (counts.get(id) ?? 0) + 1);
    const parents = await this.traces.of(this.dataSource, counts.keys()).catch(() => new Map<number, string>());
    for (const [id, parent] of parents) {
      this.tracing.start('receipts', { parent, facts: { 'switchboard.receipts': counts.get(id) ?? 0 } }).end();
    }
  }
}
