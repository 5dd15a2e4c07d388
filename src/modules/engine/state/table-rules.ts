import { dateBound, idBound } from '../../../platform/database/index.js';
import type { TableRule } from '../../../platform/tables/index.js';
import { ACCEPTANCE_LEASE_MS } from '../accept/staged-recipients.js';
import { SENDERS_KEPT_DAYS } from './route-senders.js';

const MINUTE_MS = 60_000;
const OF_CAMPAIGNS = { root: 'campaigns', column: 'campaign_id' } as const;
/** A retry says which recipients of the failed campaign it took: without it they would be taken once more. */
const IS_OF_ONE_THAT_STAYS = `EXISTS (SELECT 1 FROM campaigns p
  WHERE p.request_id = r.retry_of AND p.account_id = r.account_id AND p.id < r.id)`;

/**
 * What becomes of the rows of campaigns (reference/running#retention). `completed_at` stands once every recipient is
 * final, however the campaign ended: what is paused, scheduled, waits for approval or for a receipt has none.
 */
export const engineTables: readonly TableRule[] = [
  {
    table: 'campaigns',
    rule: 'root',
    over: `r.completed_at < ? AND NOT EXISTS (SELECT 1 FROM campaign_retries t WHERE t.campaign_id = r.id)
      AND NOT ${IS_OF_ONE_THAT_STAYS}`,
  },
  { table: 'campaign_recipients', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'recipient_terms', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'recipient_variables', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'campaign_routes', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'route_changes', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'campaign_counters', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'provider_messages', rule: 'days', bound: dateBound, of: OF_CAMPAIGNS },
  {
    table: 'route_senders',
    rule: 'days',
    bound: dateBound,
    mostDays: SENDERS_KEPT_DAYS + 1,
    leastDays: SENDERS_KEPT_DAYS + 1,
  },
  {
    table: 'campaign_lanes',
    rule: 'follows',
    ...OF_CAMPAIGNS,
    moments: [
      { column: 'lease_until', longest: 'LANE_LEASE' },
      { column: 'stalled_since', longest: 0 },
      {
        column: 'wake_at',
        notBefore: '(SELECT c.scheduled_at FROM campaigns c WHERE c.id = campaign_lanes.campaign_id)',
      },
    ],
  },
  { table: 'recipient_retries', rule: 'follows', ...OF_CAMPAIGNS, moments: [{ column: 'due_at' }] },
  { table: 'unknown_outcomes', rule: 'follows', ...OF_CAMPAIGNS },
  {
    table: 'campaign_retries',
    rule: 'follows',
    ...OF_CAMPAIGNS,
    moments: [{ column: 'lease_until', longest: MINUTE_MS }],
  },
  { table: 'restored_campaigns', rule: 'follows', ...OF_CAMPAIGNS },
  { table: 'restores', rule: 'kept', why: 'one row a restore' },
  {
    table: 'acceptances_under_way',
    rule: 'work',
    moments: [{ column: 'lease_until', longest: ACCEPTANCE_LEASE_MS }],
    why: 'the acceptance removes it at its end; of one that was broken off it goes with the recipients that are swept',
  },
  {
    table: 'parked_receipts',
    rule: 'work',
    why: 'the receipt sweeper removes what has found its message, and the rest after RECEIPT_TIMEOUT',
  },
];
