import type { EntityManager } from 'typeorm';
import { afterCommit, jsonRows } from '../../../platform/database/index.js';
import type { Figure, Traffic } from '../../traffic/index.js';
import { isFinal, RecipientStatus } from '../recipient.js';
import type { CampaignBrief } from '../state/campaign-briefs.js';
import type { RecipientMove } from './recipient-change.js';

export interface CountedMove {
  campaignId: number;
  lane: number;
  recipients?: number;
  from: RecipientStatus;
  to: RecipientStatus;
}

type Delta = [campaignId: number, lane: number, status: RecipientStatus, recipients: number, unsettled: number];

/**
 * Counts moves by lane, so that concurrent transactions of a campaign share no row (docs/decisions/0026). The row of status 0
 * also holds the unsettled recipients of its lane. @returns by campaign, the number of lanes that became final
 */
export async function count(tx: EntityManager, moves: readonly CountedMove[]): Promise<Map<number, number>> {
  const rows = deltas(moves);
  await tx.query(
    `INSERT INTO campaign_counters (campaign_id, lane, status, recipients, unsettled)
     VALUES ${rows.map(() => '(?,?,?,?,?)').join(',')}
     ON DUPLICATE KEY UPDATE recipients = recipients + VALUES(recipients), unsettled = unsettled + VALUES(unsettled)`,
    rows.flat(),
  );
  const settled = rows.filter(([, , , , unsettled]) => unsettled < 0);
  if (settled.length === 0) return new Map();
  const closed: { campaign_id: number }[] = await tx.query(
    `SELECT STRAIGHT_JOIN k.campaign_id FROM JSON_TABLE(?, '$[*]' COLUMNS (
       campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]')) j
     JOIN campaign_counters k ON k.campaign_id = j.campaign_id AND k.lane = j.lane
     WHERE k.campaign_id IN (?) GROUP BY k.campaign_id, k.lane HAVING SUM(k.unsettled) = 0`,
    [
      jsonRows(settled.map(([campaignId, lane]) => [campaignId, lane])),
      [...new Set(settled.map(([campaignId]) => campaignId))],
    ],
  );
  const lanes = new Map<number, number>();
  for (const { campaign_id: id } of closed) lanes.set(id, (lanes.get(id) ?? 0) + 1);
  return lanes;
}

/** One row per changed counter, in key order. */
function deltas(moves: readonly CountedMove[]): Delta[] {
  const found = new Map<string, Delta>();
  const add = (campaignId: number, lane: number, status: RecipientStatus, recipients: number, unsettled = 0): void => {
    const key = `${campaignId} ${lane} ${status}`;
    const row = found.get(key);
    if (row) {
      row[3] += recipients;
      row[4] += unsettled;
    } else found.set(key, [campaignId, lane, status, recipients, unsettled]);
  };
  for (const { campaignId, lane, from, to, recipients } of runsOf(moves)) {
    add(campaignId, lane, from, -recipients);
    add(campaignId, lane, to, recipients);
    if (isFinal(to) && !isFinal(from)) add(campaignId, lane, RecipientStatus.Pending, 0, -recipients);
  }
  return [...found.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
}

/** Moves are sorted, so equal neighbours are summed first. */
function runsOf(moves: readonly CountedMove[]): Required<CountedMove>[] {
  const runs: Required<CountedMove>[] = [];
  let last: Required<CountedMove> | undefined;
  for (const { campaignId, lane, from, to, recipients = 1 } of moves) {
    if (last?.campaignId === campaignId && last.lane === lane && last.from === from && last.to === to) {
      last.recipients += recipients;
    } else runs.push((last = { campaignId, lane, from, to, recipients }));
  }
  return runs;
}

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

/** Counts moves for the statistics after the commit. */
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
      if (campaign && !campaign.isTest) {
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
  a.isOverdue === b.isOverdue &&
  a.isRefused === b.isRefused;

/** Statistics figures of a status change, also of messages outside campaigns (docs/decisions/0050). */
export function figuresOf({
  from,
  to,
  isOverdue,
  isRefused = false,
}: Pick<RecipientMove, 'from' | 'to' | 'isOverdue'> & { isRefused?: boolean }): readonly Figure[] {
  if (to === Failed) {
    if (isOverdue) return ['expired'];
    return isRefused || from === Pending ? ['refused'] : leftBefore(from, ['failed']);
  }
  if (to === Read && from === Delivered) return NONE;
  return leftBefore(from, BY_STATUS[to] ?? NONE, to);
}

/** A receipt proves that an unknown outcome was sent; it was counted only as unknown. */
const leftBefore = (from: RecipientStatus, figures: readonly Figure[], to?: RecipientStatus): readonly Figure[] =>
  from === Unknown && to !== Submitted && figures.length > 0 ? ['sent', ...figures] : figures;
