import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Receipt, RouteLogins } from '../../providers/index.js';
import { ReceiptListeners, ReceiptTraces } from './receipt-listeners.js';
import { type KnownItem, ReceiptLookup } from './receipt-lookup.js';
import { type MatchedReceipt, ReceiptWriter } from './receipt-writer.js';
import { UnknownOutcomes } from './unknown-outcomes.js';
import { isAnyUnmatched, type ScanPosition, type UnmatchedReceipt, UnmatchedStore } from './unmatched-store.js';

const BATCH = 1_000;
/** Submit answers are written well before this: a receipt still unmatched belongs to an unknown outcome, or to no message. */
const ORPHAN_AFTER_MS = 5_000;

/** Matches stored receipts whose message was unknown on arrival. */
@Injectable()
export class UnmatchedReceipts {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly logins: RouteLogins,
    private readonly store: UnmatchedStore,
    private readonly lookup: ReceiptLookup,
    private readonly listeners: ReceiptListeners,
    private readonly unknown: UnknownOutcomes,
    private readonly writer: ReceiptWriter,
    private readonly traces: ReceiptTraces,
  ) {}

  /**
   * Matches receipts; an orphan settles a recipient of unknown outcome with the same route and number. Returns the position for
   * the next call; null = done. @param sinceMs maximum age; null = all
   */
  async sweep(
    sinceMs: number | null = null,
    after: ScanPosition | null = null,
    isStopped: () => boolean = () => false,
  ): Promise<ScanPosition | null> {
    const routesOf = await this.logins.sharing();
    let at = after;
    do {
      const from = at;
      const campaignIds: number[] = [];
      const readPage = async (tx: EntityManager): Promise<ScanPosition | null> => {
        campaignIds.length = 0;
        const page = await this.store.page(tx, sinceMs, from, BATCH);
        const batch = page.map((entry) => ({ ...entry, routeIds: routesOf(entry.routeId) }));
        await this.store.remove(tx, batch.length > 0 ? await this.match(tx, batch, campaignIds) : []);
        return batch.length < BATCH ? null : (page.at(-1) ?? null);
      };
      at = await inTransaction(this.dataSource, readPage, {
        again: 'what was matched is gone: a second run finds the rest',
      });
      void this.traces.trace(campaignIds);
    } while (at !== null && !isStopped());
    return at;
  }

  /** Whether a receipt waits for its message: one statement, where a sweep is a transaction. @param sinceMs as in `sweep` */
  async isAny(sinceMs: number | null): Promise<boolean> {
    const [row]: { found: number }[] = await this.dataSource.query(
      `SELECT ${isAnyUnmatched(sinceMs)} AS found LIMIT 1`,
    );
    return Number(row?.found) === 1;
  }

  /** Drops receipts that are unmatched at the receipt deadline. @param isStopped checked between steps */
  drop(receiptTimeoutMs: number, isStopped: () => boolean = () => false): Promise<void> {
    return this.store.removeOlder(this.dataSource, Math.max(receiptTimeoutMs, 2 * ORPHAN_AFTER_MS), isStopped);
  }

  private async match(tx: EntityManager, batch: readonly UnmatchedReceipt[], campaignIds: number[]): Promise<number[]> {
    const found = await this.lookup.find(tx, batch);
    const matched = new Map<UnmatchedReceipt, KnownItem>();
    for (const [index, entry] of batch.entries()) {
      const item = found[index];
      if (item) matched.set(entry, item);
    }
    const strangers = batch.filter((entry) => !matched.has(entry));
    const left = new Set(await this.listeners.handOver(tx, strangers));
    const orphans = [...left].filter(({ ageMs }) => ageMs > ORPHAN_AFTER_MS);
    for (const [entry, item] of await this.adopt(tx, orphans)) matched.set(entry, item);
    campaignIds.push(...[...matched.values()].map(({ campaignId }) => campaignId));
    await this.writer.write(
      tx,
      [...matched].map(([{ receipt }, item]): MatchedReceipt => ({ receipt, item })),
    );
    return [...matched.keys(), ...strangers.filter((entry) => !left.has(entry))].map(({ id }) => id);
  }

  private async adopt(
    tx: EntityManager,
    orphans: readonly UnmatchedReceipt[],
  ): Promise<Map<UnmatchedReceipt, KnownItem>> {
    const adopted = new Map<UnmatchedReceipt, KnownItem>();
    const awaited = await this.unknown.awaited(tx, orphans);
    const known = new Map<string, KnownItem>();
    for (const orphan of orphans.filter((_, index) => awaited.has(index))) {
      const { routeId, routeIds = [routeId], receipt } = orphan;
      const key = `${routeId} ${receipt.providerMessageId}`;
      // A second receipt of the same message must not settle another recipient of the same number.
      const item = known.get(key) ?? (await this.identify(tx, routeIds, routeId, receipt));
      if (!item) continue;
      known.set(key, item);
      adopted.set(orphan, item);
    }
    return adopted;
  }

  private async identify(
    tx: EntityManager,
    routeIds: readonly number[],
    routeId: number,
    receipt: Receipt,
  ): Promise<KnownItem | null> {
    const item = await this.unknown.take(tx, routeIds, receipt);
    return item && (await this.unknown.adopt(tx, routeId, receipt.providerMessageId, item)) ? item : null;
  }
}
