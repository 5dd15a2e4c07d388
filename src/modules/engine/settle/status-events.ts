import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { boundedCache } from '../../../platform/caches/index.js';
import { type CustomerEvent, CustomerEvents } from '../../customer-events/index.js';
import { Channels } from '../channels.js';
import type { Channel } from '../channel.js';
import { deliveryRecord, statusCounts } from '../state/recipient-outcome.js';
import { RecipientStatus } from '../state/recipient-status.js';

/** A recipient's new status, as it may be published to the customer. */
export interface StatusChange {
  campaignId: number;
  seq: number;
  number: string;
  from: RecipientStatus;
  to: RecipientStatus;
  errorCode: number | null;
  errorText: string | null;
  durationSeconds?: number;
}

/** What of a campaign never changes. */
interface CampaignBrief {
  id: number;
  account_id: number;
  request_id: string;
  channel: string;
  total_rows: number;
}

interface CounterRow {
  campaign_id: number;
  status: RecipientStatus;
  recipients: number;
}

const MOST_BRIEFS = 10_000;

/**
 * Publishes statuses and ended campaigns to customers (reference/webhooks#when), in the transaction of the change
 * itself.
 */
@Injectable()
export class StatusEvents {
  private readonly briefs = boundedCache<number, CampaignBrief>(MOST_BRIEFS);

  constructor(
    private readonly events: CustomerEvents,
    private readonly channels: Channels,
  ) {}

  /**
   * One look at the endpoints of the accounts; nothing more without subscriptions.
   * @param ended campaigns of these changes whose last recipient became final
   */
  async publish(tx: EntityManager, changes: readonly StatusChange[], ended: readonly number[]): Promise<void> {
    if (!this.events.hasSubscribers) return;
    const campaigns = await this.campaignsOf(tx, [...new Set(changes.map(({ campaignId }) => campaignId))]);
    const subscriptions = await this.events.subscriptions(
      tx,
      [...campaigns.values()].map(({ account_id }) => account_id),
    );
    const events: CustomerEvent[] = [];
    for (const change of changes) {
      const campaign = campaigns.get(change.campaignId);
      const channel = campaign && this.channels.find(campaign.channel);
      if (!channel || !isNews(channel, change)) continue;
      if (subscriptions.takes(campaign.account_id, channel.event)) events.push(statusEvent(campaign, channel, change));
    }
    const awaited = ended.flatMap((id): CampaignBrief[] => {
      const campaign = campaigns.get(id);
      return campaign && subscriptions.takes(campaign.account_id, 'campaign.completed') ? [campaign] : [];
    });
    events.push(...(await this.completions(tx, awaited)));
    if (events.length > 0) await subscriptions.record(events);
  }

  private async campaignsOf(tx: EntityManager, ids: readonly number[]): Promise<ReadonlyMap<number, CampaignBrief>> {
    const found = new Map<number, CampaignBrief>();
    const unknown: number[] = [];
    for (const id of ids) {
      const brief = this.briefs.get(id);
      if (brief) found.set(id, brief);
      else unknown.push(id);
    }
    if (unknown.length === 0) return found;
    const rows: CampaignBrief[] = await tx.query(
      'SELECT id, account_id, request_id, channel, total_rows FROM campaigns WHERE id IN (?)',
      [unknown],
    );
    for (const row of rows) {
      this.briefs.set(row.id, row);
      found.set(row.id, row);
    }
    return found;
  }

  private async completions(tx: EntityManager, campaigns: readonly CampaignBrief[]): Promise<CustomerEvent[]> {
    if (campaigns.length === 0) return [];
    const rows: CounterRow[] = await tx.query(
      'SELECT campaign_id, status, recipients FROM campaign_counters WHERE campaign_id IN (?) ORDER BY campaign_id, status',
      [campaigns.map(({ id }) => id)],
    );
    return campaigns.flatMap(({ id, account_id: accountId, request_id, channel: name, total_rows }) => {
      const channel = this.channels.find(name);
      if (!channel) return [];
      const counts = rows.filter((row) => row.campaign_id === id).map((row) => [row.status, row.recipients] as const);
      const status_counts = statusCounts(channel, new Map(counts));
      const type = 'campaign.completed';
      return [{ accountId, type, body: { event: type, request_id, total_rows, status_counts } } as const];
    });
  }
}

/** Another label than before, and none of those that say only that it is under way (PP1, PENDING, INITIATED). */
function isNews({ statusLabels }: Channel, { from, to }: StatusChange): boolean {
  const label = statusLabels[to];
  return (
    label !== statusLabels[from] &&
    label !== statusLabels[RecipientStatus.Pending] &&
    label !== statusLabels[RecipientStatus.Unknown]
  );
}

function statusEvent(campaign: CampaignBrief, channel: Channel, change: StatusChange): CustomerEvent {
  const { campaignId, seq, number, to: status, errorCode, errorText: errorMessage, durationSeconds } = change;
  const recipient = { number, status, errorCode, errorMessage, duration: durationSeconds ?? null };
  return {
    accountId: campaign.account_id,
    type: channel.event,
    body: deliveryRecord(channel, campaign.request_id, recipient),
    recipient: { campaignId, seq },
  };
}
