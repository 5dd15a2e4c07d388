import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { GroupCommit } from '../../../kernel/group-commit.js';
import { inTransaction } from '../../../platform/database/index.js';
import { type Receipt, type ReceiptSink, RouteLogins } from '../../providers/index.js';
import { lowest, mayMove, RecipientStatus } from '../state/recipient-status.js';
import { ReceiptStore, type KnownMessage, type RoutedReceipt } from './receipt-store.js';
import { type RecipientChange, Settlement } from '../settle/settlement.js';
import { placeKey } from '../state/recipient-order.js';
import { RetryPlans } from '../settle/retry-plans.js';
import { AttemptReceipts } from './attempt-receipts.js';
import { receiptChange, STATUS_OF_RECEIPT } from './receipt-change.js';
import { ReceiptListeners } from './receipt-listeners.js';

const GROUP = { maxItems: 1_000, delayMs: 5 };
const LONGEST_ID = 128;

/**
 * Receipts in group commits: gathered for a few milliseconds, written in one transaction, then each caller is answered,
 * so a carrier gets its acknowledgement only after the commit.
 */
@Injectable()
export class CampaignReceipts implements ReceiptSink, OnApplicationShutdown {
  private readonly group = new GroupCommit<RoutedReceipt, void>(async (receipts) => {
    await inTransaction(this.dataSource, (tx) => this.write(tx, receipts));
    return receipts.map(() => undefined);
  }, GROUP);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: ReceiptStore,
    private readonly settlement: Settlement,
    private readonly listeners: ReceiptListeners,
    private readonly plans: RetryPlans,
    private readonly attempts: AttemptReceipts,
    private readonly logins: RouteLogins,
  ) {}

  async accept(routeId: number, receipts: Receipt[]): Promise<void> {
    // An id that no submit answer can have carried is nobody's; one such row must not refuse the whole group.
    const possible = receipts.filter(({ providerMessageId: id }) => id.length > 0 && id.length <= LONGEST_ID);
    if (possible.length === 0) return;
    const routeIds = (await this.loginRoutes())(routeId);
    await Promise.all(possible.map((receipt) => this.group.add({ routeId, routeIds, receipt })));
  }

  /** Says of a route which others share its login; asked before a transaction, since it may read the routes. */
  async loginRoutes(): Promise<(routeId: number) => readonly number[]> {
    const shared = await this.logins.shared();
    return (routeId) => shared.get(routeId) ?? [routeId];
  }

  onApplicationShutdown(): Promise<void> {
    return this.group.drained();
  }

  /** Known messages move forward; a receipt of a message that nobody knows yet is parked for the sweeper. */
  async write(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<void> {
    const known = await this.store.find(tx, receipts);
    const unknown = await this.listeners.offer(
      tx,
      receipts.filter((_, index) => !known[index]),
    );
    if (unknown.length > 0) await this.store.park(tx, unknown);
    const pairs = receipts.flatMap((entry, index): Known[] => {
      const message = known[index];
      return message ? [{ receipt: entry.receipt, message }] : [];
    });
    const plans = await this.plans.of(
      tx,
      pairs.map(({ message }) => message.campaignId),
    );
    await this.attempts.settle(
      tx,
      pairs.flatMap((pair) => {
        const campaign = plans.get(pair.message.campaignId);
        return campaign ? [{ ...pair, campaign }] : [];
      }),
    );
    const plain = pairs.filter(({ message }) => !plans.has(message.campaignId));
    const single = plain
      .filter(({ message }) => message.items === 1)
      .map(({ receipt, message }) => receiptChange(receipt, message));
    const several = await this.settleItems(
      tx,
      plain.filter(({ message }) => message.items > 1),
    );
    await this.settlement.settle(tx, [...single, ...several]);
  }

  /**
   * A message of several items: failed if any failed, else as far as its slowest item
   * (reference/engine#recipient-statuses).
   */
  private async settleItems(tx: EntityManager, pairs: readonly Known[]): Promise<RecipientChange[]> {
    if (pairs.length === 0) return [];
    const items = await this.store.lockItems(
      tx,
      pairs.map(({ message }) => message),
    );
    const moved = new Set<string>();
    for (const { receipt, message } of pairs) {
      const item = items.find((entry) => same(entry, message) && entry.item === message.item);
      if (item && mayMove(item.status, STATUS_OF_RECEIPT[receipt.status])) {
        item.status = STATUS_OF_RECEIPT[receipt.status];
        moved.add(placeKey(item));
      }
    }
    await this.store.writeItems(
      tx,
      items.filter((item) => moved.has(placeKey(item))),
    );
    return pairs.flatMap(({ receipt, message }) => {
      const statuses = items.filter((entry) => same(entry, message)).map((entry) => entry.status);
      const missing = statuses.length < message.items ? [RecipientStatus.Submitted] : [];
      const to = lowest([...statuses, ...missing]);
      const failed = to === RecipientStatus.Failed;
      // The receipt of the failed item brings the reason; it stands in this group, or came before.
      if (failed && receipt.status !== 'failed') return [];
      return [{ ...receiptChange(receipt, message), to, ...(failed ? {} : { errorCode: null, errorText: null }) }];
    });
  }
}

interface Known {
  receipt: Receipt;
  message: KnownMessage;
}

const same = (a: KnownMessage, b: KnownMessage): boolean => a.campaignId === b.campaignId && a.seq === b.seq;
