import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type PriceList, RouteCosts, RouteSpend, type SpentMessage } from '../../routing/index.js';
import { Channels } from '../channels.js';
import { type Addressee, keyOf, RecipientStatus } from '../recipient.js';
import type { RecipientMove } from './recipient-change.js';

export interface SpendingRecipient extends Addressee {
  lane: { campaignId: number; routeId: number; accountId: number; channel: string; content: Record<string, unknown> };
  seq: number;
  /** messages answered by the carrier; absent = unknown */
  items?: number;
  /** parts taken by the carrier although the message failed; absent = none */
  taken?: number;
}

type CountMoves = (
  tx: EntityManager,
  moves: readonly RecipientMove[],
  recipients: () => Iterable<SpendingRecipient>,
) => Promise<void>;

const NOTHING: CountMoves = () => Promise.resolve();

/** Carrier costs (reference/routing#costs): counted when the carrier has or may have it, deducted if it never left. */
@Injectable()
export class BatchSpend {
  constructor(
    private readonly costs: RouteCosts,
    private readonly spend: RouteSpend,
    private readonly channels: Channels,
  ) {}

  /** Runs a transaction with a function that counts its costs; no-op if none of the routes has costs. */
  async counting<Result>(
    lanes: readonly { routeId: number }[],
    work: (count: CountMoves) => Promise<Result>,
  ): Promise<Result> {
    const prices = await this.pricesOf(lanes);
    if (prices.size === 0) return work(NOTHING);
    return this.spend.withShard((shard) =>
      work((tx, moves, recipients) => this.spend.count(tx, shard, prices, this.messages(moves, recipients(), prices))),
    );
  }

  private async pricesOf(lanes: readonly { routeId: number }[]): Promise<ReadonlyMap<number, PriceList>> {
    const ids = [...new Set(lanes.map(({ routeId }) => routeId))];
    const lists = await Promise.all(ids.map((id) => this.costs.listOf(id)));
    return new Map(
      ids.flatMap((id, index) => {
        const list = lists[index];
        return list ? [[id, list] as const] : [];
      }),
    );
  }

  private messages(
    moves: readonly RecipientMove[],
    recipients: Iterable<SpendingRecipient>,
    prices: ReadonlyMap<number, PriceList>,
  ): SpentMessage[] {
    const asked = moves.filter(
      ({ from, to }) => from === RecipientStatus.Unknown || leaves(to) || to === RecipientStatus.Failed,
    );
    if (asked.length === 0) return [];
    const known = new Map<string, SpendingRecipient>();
    for (const recipient of recipients)
      known.set(keyOf({ campaignId: recipient.lane.campaignId, seq: recipient.seq }), recipient);
    const segmentsOf = this.segments();
    return asked.flatMap((move): SpentMessage[] => {
      const recipient = known.get(keyOf(move));
      if (!recipient || !prices.has(recipient.lane.routeId)) return [];
      const times = timesOf(move, recipient);
      if (times === 0) return [];
      const { routeId, accountId, channel } = recipient.lane;
      return [{ routeId, accountId, channel, number: recipient.number, segments: segmentsOf(recipient), times }];
    });
  }

  /** Parts on the wire: accepted, answered, or computed once per text. */
  private segments(): (recipient: SpendingRecipient) => number {
    const plain = new Map<object, number>();
    return (recipient) => {
      const { lane, items = 0, taken, variables } = recipient;
      if (taken !== undefined) return taken;
      const known = variables ? undefined : plain.get(lane);
      const parts = known ?? this.partsOf(recipient);
      if (!variables) plain.set(lane, parts);
      return Math.max(items, parts);
    };
  }

  private partsOf(recipient: SpendingRecipient): number {
    const { channel, content } = recipient.lane;
    try {
      return this.channels.find(channel)?.segments?.(content, recipient) ?? 1;
    } catch {
      // A message that was sent is counted even if its text is no longer valid.
      return 1;
    }
  }
}

/** From Unknown, the recipient was counted before; a rejection then deducts it. */
const leaves = (status: RecipientStatus): boolean =>
  status === RecipientStatus.Submitted || status === RecipientStatus.Unknown;

function timesOf({ from, to }: RecipientMove, { taken }: SpendingRecipient): 1 | 0 | -1 {
  const had = from === RecipientStatus.Unknown;
  if (leaves(to) || taken !== undefined) return had ? 0 : 1;
  return had ? -1 : 0;
}
