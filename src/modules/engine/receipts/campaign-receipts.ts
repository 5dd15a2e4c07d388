import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { cutCodePoints } from '../../../kernel/text.js';
import { GroupCommit } from '../../../platform/concurrency/index.js';
import { InboundSink, type InboundText, type Receipt, type ReceiptSink, RouteLogins } from '../../providers/index.js';
import { readFirst } from '../settle/status-writer.js';
import { type MatchedReceipt, ReceiptWriter } from './receipt-writer.js';
import { ReceiptListeners, ReceiptTraces } from './receipt-listeners.js';
import { ReceiptLookup, type RoutedReceipt } from './receipt-lookup.js';
import { UnmatchedStore } from './unmatched-store.js';

interface RoutedReceipts extends Omit<RoutedReceipt, 'receipt'> {
  receipts: readonly Receipt[];
}

interface Written {
  campaignIds: number[];
  texts: ReadonlySet<Receipt>;
}

type Found = Awaited<ReturnType<ReceiptLookup['find']>>;

/** Two concurrent groups: one is written while the other is looked up. */
const GROUP = { maxItems: 1_000, delayMs: 5, atOnce: 2, weigh: (batch: RoutedReceipts) => batch.receipts.length };
/** Submit answers are written within a second; while an unmarked receipt waits, its carrier is not answered. */
const CLAIM_WAITS_MS = [0, 500, 1_500, 4_000];
const LONGEST_ID = 128;
/** Longer names match no recipient, and longer texts are cut, since a thousand receipts share a statement. */
const LONGEST_NAME = 64;
const LONGEST_ERROR = 255;

/** Writes receipts in group commits: collects for 5 ms, writes one transaction, and acknowledges after the commit. */
@Injectable()
export class CampaignReceipts implements ReceiptSink, OnApplicationShutdown {
  private readonly group = new GroupCommit<RoutedReceipts, boolean>(async (batches) => {
    const receipts = batches.flatMap(({ receipts: some, ...where }) => some.map((receipt) => ({ ...where, receipt })));
    let apart = await this.lookup.findApart(receipts);
    const find = (tx: EntityManager): Promise<Found> => {
      const found = apart;
      apart = null; // a second run must read again
      return found ? Promise.resolve(found) : this.lookup.find(tx, receipts);
    };
    const write = async (tx: EntityManager, locking: boolean): Promise<Written> =>
      this.write(tx, receipts, await find(tx), locking);
    const { campaignIds, texts } = await readFirst(this.dataSource, write, {
      again: 'carriers say things twice: a receipt that comes again changes nothing',
    });
    void this.traces.trace(campaignIds);
    return batches.map(({ receipts: some }) => !some.some((receipt) => texts.has(receipt)));
  }, GROUP);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly lookup: ReceiptLookup,
    private readonly listeners: ReceiptListeners,
    private readonly unmatched: UnmatchedStore,
    private readonly writer: ReceiptWriter,
    private readonly logins: RouteLogins,
    private readonly traces: ReceiptTraces,
    private readonly inbound: InboundSink,
  ) {}

  async accept(routeId: number, receipts: Receipt[]): Promise<void> {
    const routeIds = (await this.logins.sharing())(routeId);
    const marked: Receipt[] = [];
    const claims: Promise<void>[] = [];
    for (const receipt of receipts.map((one) => (isBounded(one) ? one : bounded(one)))) {
      const { providerMessageId: id, orText } = receipt;
      // An id that exceeds the column belongs to no message; it must not fail the whole group.
      const isPossible = id.length > 0 && id.length <= LONGEST_ID;
      const add = (): Promise<boolean> => this.group.add({ routeId, routeIds, receipts: [receipt] });
      if (orText) claims.push(isPossible ? this.claim(routeId, orText, add) : this.inbound.accept(routeId, [orText]));
      else if (isPossible) marked.push(receipt);
    }
    if (marked.length > 0) await this.group.add({ routeId, routeIds, receipts: marked });
    await Promise.all(claims);
  }

  /** A receipt that is not marked as one is a text, unless it fits a message, which may be stored a moment after it came. */
  private async claim(routeId: number, text: InboundText, isTaken: () => Promise<boolean>): Promise<void> {
    for (const waitMs of CLAIM_WAITS_MS) {
      await sleep(waitMs, undefined, { ref: false });
      if (await isTaken()) return;
    }
    await this.inbound.accept(routeId, [text]);
  }

  onApplicationShutdown(): Promise<void> {
    return this.group.drained();
  }

  private async write(
    tx: EntityManager,
    receipts: readonly RoutedReceipt[],
    found: Found,
    locking: boolean,
  ): Promise<Written> {
    const texts = new Set<Receipt>();
    const matched: MatchedReceipt[] = [];
    const strangers: RoutedReceipt[] = [];
    for (const [index, entry] of receipts.entries()) {
      const item = found[index];
      if (item) matched.push({ receipt: entry.receipt, item, recipient: locking ? undefined : item });
      else if (entry.receipt.orText) texts.add(entry.receipt);
      else strangers.push(entry);
    }
    await this.unmatched.keep(tx, await this.listeners.handOver(tx, strangers));
    await this.writer.write(tx, matched);
    return { campaignIds: matched.map(({ item }) => item.campaignId), texts };
  }
}

const isName = (text: string | null | undefined): boolean => typeof text !== 'string' || text.length <= LONGEST_NAME;

const isBounded = ({ receiver, otherAddress, ref, errorText }: Receipt): boolean =>
  isName(receiver) && isName(otherAddress) && isName(ref) && (errorText?.length ?? 0) <= LONGEST_ERROR;

function bounded({ receiver, otherAddress, ref, errorText, ...receipt }: Receipt): Receipt {
  return {
    ...receipt,
    receiver: isName(receiver) ? receiver : null,
    ...(isName(otherAddress) && { otherAddress }),
    ...(isName(ref) && { ref }),
    errorText: errorText === null ? null : cutCodePoints(errorText, LONGEST_ERROR),
  };
}
