import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { WriteResult } from '../../../platform/database/index.js';
import { isFree } from '../../../platform/leases/index.js';
import type { DueRoute } from '../../../platform/queues/index.js';
import { sqlStates } from '../state/campaign-states.js';
import { type CampaignState, statesThat } from '../state/campaign-transitions.js';

/** What an operator's push found and did. */
export interface WokenLanes {
  state: CampaignState;
  /** lanes that are due at once */
  lanes: number;
  /** their routes, for the relay */
  due: DueRoute[];
}

const SEND = sqlStates(statesThat('send'));
const REFUND = sqlStates(statesThat('refund'));

/** Wakes lanes by hand, for an operator who does not want to wait for the relay's own patience. */
@Injectable()
export class LaneWake {
  /**
   * Wakes the lanes of a campaign that have something to do and that no worker holds; nothing is sent twice or before its
   * schedule, and a paused campaign stays paused.
   * @returns null when there is no such campaign
   */
  async wake(tx: EntityManager, requestId: string): Promise<WokenLanes | null> {
    const [campaign] = await tx.query<{ id: number; state: CampaignState }[]>(
      'SELECT id, state FROM campaigns WHERE request_id = ?',
      [requestId],
    );
    if (!campaign) return null;
    const result: WriteResult = await tx.query(
      `UPDATE campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id
       SET l.wake_at = UTC_TIMESTAMP(3), l.fence = l.fence + 1,
         l.settle_at = IF(c.state IN (${REFUND}), UTC_TIMESTAMP(3), l.settle_at)
       WHERE l.campaign_id = ? AND ${isFree('l')}
         AND (c.state IN (${REFUND})
           OR c.state IN (${SEND}) AND COALESCE(c.scheduled_at <= UTC_TIMESTAMP(3), TRUE))
         AND (l.next_seq < l.end_seq OR EXISTS (
           SELECT 1 FROM recipient_retries r WHERE r.campaign_id = l.campaign_id AND r.lane = l.lane
             AND (r.due_at <= UTC_TIMESTAMP(3) OR c.state IN (${REFUND}))))`,
      [campaign.id],
    );
    const due = await tx.query<DueRoute[]>(
      'SELECT DISTINCT channel, route_id AS routeId FROM campaign_lanes WHERE campaign_id = ?',
      [campaign.id],
    );
    return { state: campaign.state, lanes: result.affectedRows, due };
  }
}
