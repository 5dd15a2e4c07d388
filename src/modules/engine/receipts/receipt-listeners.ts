import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type Tracing, TRACING } from '../../../platform/observability/index.js';
import { CampaignTraces } from '../state/campaign-briefs.js';
import type { RoutedReceipt } from './receipt-lookup.js';

/** A module that sends messages outside campaigns and settles their receipts. */
export interface ReceiptListener {
  /** Settles its own receipts in the transaction; one entry per receipt: true = own message. */
  take(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<boolean[]>;
}

/** Offers receipts of unknown messages to modules before they are stored as unmatched. */
@Injectable()
export class ReceiptListeners {
  private readonly listeners: ReceiptListener[] = [];

  register(listener: ReceiptListener): void {
    this.listeners.push(listener);
  }

  /** @returns receipts that no module took */
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

/** Adds counts of written receipts to the traces of campaigns. */
@Injectable()
export class ReceiptTraces {
  constructor(
    @Inject(TRACING) private readonly tracing: Tracing,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly traces: CampaignTraces,
  ) {}

  /** Call after the commit; carriers do not wait for it. @param campaignIds one per receipt */
  async trace(campaignIds: readonly number[]): Promise<void> {
    if (!this.tracing.isOn || campaignIds.length === 0) return;
    const counts = new Map<number, number>();
    for (const id of campaignIds) counts.set(id, (counts.get(id) ?? 0) + 1);
    const parents = await this.traces.of(this.dataSource, counts.keys()).catch(() => new Map<number, string>());
    for (const [id, parent] of parents) {
      this.tracing.start('receipts', { parent, facts: { 'switchboard.receipts': counts.get(id) ?? 0 } }).end();
    }
  }
}
