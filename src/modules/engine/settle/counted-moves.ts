import type { EntityManager } from 'typeorm';
import { afterCommit } from '../../../platform/database/index.js';
import type { Figure, Traffic } from '../../traffic/index.js';
import type { CampaignBrief } from '../state/campaign-briefs.js';
import { RecipientStatus } from '../state/recipient-status.js';
import type { RecipientMove } from './recipient-change.js';

const { Answered, Busy, Delivered, Failed, NoAnswer, Pending, Read, Submitted, Unknown } = RecipientStatus;
const NONE: readonly Figure[] = [];
const BY_STATUS: Partial<Record<RecipientStatus, readonly Figure[]>> = {
  [Submitted]: ['sent'],
  [Unknown]: ['unknown'],
  [Delivered]: ['delivered'],
  [Read]: ['delivered'],
  [Answered]: ['delivered'],
  [NoAnswer]: ['unanswered'],
  [Busy]: ['unanswered'],
};

/** Counts moves for the statistics, once they have committed; most are as the one before, and are added up first. */
export function countMoves(
  tx: EntityManager,
  traffic: Traffic,
  moves: readonly RecipientMove[],
  campaigns: ReadonlyMap<number, CampaignBrief>,
): void {
  if (!traffic.isCounting) return;
  afterCommit(tx, () => {
    let first = 0;
    for (let next = 1; next <= moves.length; next++) {
      const move = moves[first] as RecipientMove;
      const other = moves[next];
      if (other && isAlike(move, other)) continue;
      const campaign = campaigns.get(move.campaignId);
      const figures = figuresOf(move);
      if (campaign) {
        const of = { routeId: move.routeId, accountId: campaign.accountId, channel: campaign.channel };
        for (const figure of figures) traffic.count(of, figure, next - first);
      }
      first = next;
    }
  });
}

const isAlike = (a: RecipientMove, b: RecipientMove): boolean =>
  a.campaignId === b.campaignId &&
  a.to === b.to &&
  a.from === b.from &&
  a.routeId === b.routeId &&
  a.isOverdue === b.isOverdue;

/** What a change of status counts as, of a recipient or of a message that is in no campaign (docs/decisions/0050). */
export function figuresOf({
  from,
  to,
  isOverdue,
}: Pick<RecipientMove, 'from' | 'to' | 'isOverdue'>): readonly Figure[] {
  if (to === Failed) return isOverdue ? ['expired'] : from === Pending ? ['refused'] : leftBefore(from, ['failed']);
  if (to === Read && from === Delivered) return NONE;
  return leftBefore(from, BY_STATUS[to] ?? NONE, to);
}

/** What may have left has left, as a receipt says; it was counted as unknown alone. */
const leftBefore = (from: RecipientStatus, figures: readonly Figure[], to?: RecipientStatus): readonly Figure[] =>
  from === Unknown && to !== Submitted && figures.length > 0 ? ['sent', ...figures] : figures;
