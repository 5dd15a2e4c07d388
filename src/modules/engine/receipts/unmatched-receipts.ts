import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type ParkedPosition, type ParkedReceipt, ReceiptStore } from './receipt-store.js';
import { UnknownOutcomes } from './unknown-outcomes.js';
import { CampaignReceipts } from './campaign-receipts.js';
import { ReceiptListeners } from './receipt-listeners.js';

const BATCH = 1_000;
/** A submit answer is written well before this; a receipt that still has no message belongs to an unknown outcome, or to nobody. */
const ORPHAN_AFTER_MS = 5_000;

/** Receipts that came before their submit answer was written, or whose answer was lost with a worker. */
@Injectable()
export class UnmatchedReceipts {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: ReceiptStore,
    private readonly receipts: CampaignReceipts,
    private readonly listeners: ReceiptListeners,
    private readonly unknown: UnknownOutcomes,
  ) {}

  /**
   * Matches what can be matched by now. An orphan settles the recipient of unknown outcome with the same route and number;
   * what nobody claims until the receipt deadline is dropped.
   * @param isStopped asked between two batches
   * @param sinceMs looks at what came within this time only; old orphans would cost every round
   */
  async sweep(
    receiptTimeoutMs: number,
    sinceMs: number | null = null,
    isStopped: () => boolean = () => false,
  ): Promise<void> {
    const routesOf = await this.receipts.loginRoutes();
    for (let after: ParkedPosition | null = { sinceMs }; after !== null && !isStopped();) {
      const from: ParkedPosition = after;
      after = await inTransaction(this.dataSource, async (tx): Promise<ParkedPosition | null> => {
        const parked = await this.store.parked(tx, from, BATCH);
        const last = parked.at(-1);
        if (!last) return null;
        const batch = parked.map((entry) => ({ ...entry, routeIds: routesOf(entry.routeId) }));
        const known = await this.store.find(tx, batch);
        const matched = batch.filter((_, index) => known[index]);
        const unmatched = batch.filter((_, index) => !known[index]);
        const left = await this.listeners.offer(tx, unmatched);
        const stillParked = new Set(left);
        const taken = unmatched.filter((entry) => !stillParked.has(entry));
        const adopted = await this.adoptOrphans(
          tx,
          left.filter((entry) => entry.ageMs > ORPHAN_AFTER_MS),
        );
        await this.receipts.write(tx, [...matched, ...adopted]);
        const dropped = batch.filter((entry) => entry.ageMs > Math.max(receiptTimeoutMs, 2 * ORPHAN_AFTER_MS));
        await this.store.unpark(
          tx,
          [...matched, ...taken, ...adopted, ...dropped].map((entry) => entry.id),
        );
        return batch.length < BATCH ? null : { receivedAt: last.receivedAt, id: last.id };
      });
    }
  }

  private async adoptOrphans(tx: EntityManager, orphans: readonly ParkedReceipt[]): Promise<ParkedReceipt[]> {
    const adopted: ParkedReceipt[] = [];
    const awaited = await this.unknown.awaited(tx, orphans);
    const known = new Set<string>();
    for (const orphan of orphans.filter((_, index) => awaited.has(index))) {
      const { routeId, receipt } = orphan;
      const key = `${routeId} ${receipt.providerMessageId}`;
      // Another receipt of the same message must not settle a second recipient with the same number.
      if (!known.has(key)) {
        const message = await this.unknown.take(tx, orphan.routeIds ?? [routeId], receipt);
        if (!message) continue;
        await this.unknown.adopt(tx, routeId, receipt.providerMessageId, message);
        known.add(key);
      }
      adopted.push(orphan);
    }
    return adopted;
  }
}
