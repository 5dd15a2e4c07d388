import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import { matchKey } from '../state/message-id.js';
import { inLockOrder } from '../state/recipient-key.js';
import { RecipientStatus } from '../state/recipient-status.js';
import type { BegunAttempt } from './attempts.js';
import type { WindowResult } from './window-result.js';

const LONGEST_ID = 128;

/** A message that a carrier took, under one of its ids. */
interface TakenItem {
  campaignId: number;
  seq: number;
  item: number;
  routeId: number;
  id: string;
  items: number;
}

/**
 * Keeps the ids that carriers gave, by which receipts are matched. An item whose id is known keeps it: a lost worker may have
 * written it before. An id that another message has had is no hindrance; which of the two a receipt is about, its look-up
 * says (docs/decisions/0026).
 */
export async function storeProviderIds(tx: EntityManager, results: readonly WindowResult[]): Promise<void> {
  const taken: TakenItem[] = [];
  for (const { recipient, outcome } of results) {
    if (outcome.kind !== 'accepted') continue;
    const { turn, seq, made = 0 } = recipient;
    const { campaignId, routeId } = turn;
    const { providerMessageIds: ids } = outcome;
    for (const [place, id] of ids.entries()) {
      taken.push({ campaignId, seq, item: made + place, routeId, id: id.slice(0, LONGEST_ID), items: ids.length });
    }
  }
  if (taken.length === 0) return;
  const rows = taken
    .sort((a, b) => inLockOrder(a, b) || a.item - b.item)
    .map(({ campaignId, seq, item, routeId, id, items }) => [campaignId, seq, item, routeId, id, items, matchKey(id)]);
  await tx.query(
    `INSERT IGNORE INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, match_key, status)
     SELECT j.campaign_id, j.seq, j.item, j.route_id, j.id, j.items, j.match_key, ${RecipientStatus.Submitted} FROM JSON_TABLE(?, '$[*]' COLUMNS (
       campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', item INT PATH '$[2]', route_id INT UNSIGNED PATH '$[3]',
       id VARCHAR(128) CHARACTER SET utf8mb4 PATH '$[4]', items INT PATH '$[5]',
       match_key VARCHAR(64) CHARACTER SET ascii PATH '$[6]')) j`,
    [jsonRows(rows)],
  );
}

/** The attempts that carriers have taken. */
export function begunAttempts(results: readonly WindowResult[]): BegunAttempt[] {
  return results.flatMap(({ recipient, outcome }): BegunAttempt[] => {
    const id = outcome.kind === 'accepted' ? outcome.providerMessageIds[0]?.slice(0, LONGEST_ID) : undefined;
    if (id === undefined) return [];
    const { turn, seq, made = 0 } = recipient;
    return [{ campaignId: turn.campaignId, seq, attempt: made + 1, providerMessageId: id }];
  });
}
