import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, jsonRows } from '../../../platform/database/index.js';
import type { CampaignState } from '../campaign.js';
import { keyOf, type RecipientKey, RecipientStatus } from '../recipient.js';
import { LostClaims } from '../settle/lost-claims.js';
import { CampaignStates } from '../state/campaign-states.js';

export interface UndecidedCampaign {
  id: number;
  restoreId: number;
  requestId: string;
  username: string;
  channel: string;
  state: CampaignState;
  /** 1 = paused by the restore before its schedule */
  held: number;
  /** recipients of unknown outcome because of the restore, without a receipt */
  mayHaveLeft: number;
}

/** SQL: recipients still unknown because of a restore. @param campaign SQL of the campaign's id */
const leftUnknown = (campaign: string, restore: string): string =>
  `SELECT COUNT(*) FROM unknown_outcomes u JOIN campaign_recipients r ON r.campaign_id = u.campaign_id AND r.seq = u.seq
     AND r.status = ${RecipientStatus.Unknown}
   WHERE u.campaign_id = ${campaign} AND u.lost_claim = ${restore}`;

/** Decisions of an operator after a restore (docs/decisions/0042). */
@Injectable()
export class RestoredCampaigns {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly claims: LostClaims,
    private readonly states: CampaignStates,
  ) {}

  async undecided(after: number, limit: number, requestId?: string): Promise<UndecidedCampaign[]> {
    const rows = await this.dataSource.query<UndecidedCampaign[]>(
      `SELECT * FROM (SELECT c.id, p.restore_id AS restoreId, c.request_id AS requestId, a.username, c.channel, c.state,
         p.held AND c.state = 'paused' AS held, (${leftUnknown('p.campaign_id', 'p.restore_id')}) AS mayHaveLeft
       FROM restored_campaigns p JOIN campaigns c ON c.id = p.campaign_id JOIN accounts a ON a.id = c.account_id
       WHERE p.campaign_id > ? AND p.resumed_at IS NULL AND c.completed_at IS NULL
         ${requestId === undefined ? '' : 'AND c.request_id = ?'}) w
       WHERE w.held OR w.mayHaveLeft > 0 ORDER BY w.id LIMIT ?`,
      [after, ...(requestId === undefined ? [] : [requestId]), limit],
    );
    return rows.map((row) => ({ ...row, held: Number(row.held), mayHaveLeft: Number(row.mayHaveLeft) }));
  }

  /** Sends what has no receipt: recipients sent to after the copy get it twice. Campaigns paused by their owner stay paused. */
  async resume({ id, restoreId, held }: UndecidedCampaign): Promise<void> {
    const marking =
      'UPDATE restored_campaigns SET resumed_at = UTC_TIMESTAMP(3) WHERE campaign_id = ? AND restore_id = ?';
    if (held === 1) {
      await inTransaction(this.dataSource, async (tx) => {
        await this.states.change(tx, id, 'resume');
        await tx.query(marking, [id, restoreId]);
      });
      return;
    }
    await this.claims.takeBack({
      id: restoreId,
      lanes: [{ campaignId: id, lane: 0, fence: 0 }],
      mayHaveLeft: () => false,
    });
    await this.dataSource.query(marking, [id, restoreId]);
  }
}

/** Recipients unknown only because of a restore, as `keyOf`. They are refunded at the deadline: the operator lost the data. */
export async function unknownByRestore(
  source: Pick<EntityManager, 'query'>,
  recipients: readonly RecipientKey[],
): Promise<Set<string>> {
  if (recipients.length === 0) return new Set();
  const campaigns: { campaign_id: number }[] = await source.query(
    'SELECT DISTINCT campaign_id FROM restored_campaigns WHERE campaign_id IN (?)',
    [[...new Set(recipients.map(({ campaignId }) => campaignId))]],
  );
  const restored = new Set(campaigns.map(({ campaign_id: id }) => id));
  const wanted = recipients.filter(({ campaignId }) => restored.has(campaignId));
  if (wanted.length === 0) return new Set();
  const rows: RecipientKey[] = await source.query(
    `SELECT STRAIGHT_JOIN u.campaign_id AS campaignId, u.seq
     FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
     JOIN unknown_outcomes u ON u.campaign_id = j.campaign_id AND u.seq = j.seq
     JOIN restored_campaigns p ON p.campaign_id = u.campaign_id AND p.restore_id = u.lost_claim`,
    [jsonRows(wanted.map(({ campaignId, seq }) => [campaignId, seq]))],
  );
  return new Set(rows.map(keyOf));
}
