import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { messageId } from '../../../kernel/ids.js';
import { type CustomerEvent, CustomerEvents } from '../../customer-events/index.js';
import { Channels } from '../channels.js';
import type { Channel } from '../channel.js';
import { type CampaignBrief, CampaignBriefs } from '../state/campaign-briefs.js';
import { StatusLabels } from '../state/status-labels.js';
import { RecipientStatus } from '../recipient.js';

export interface StatusChange {
  campaignId: number;
  seq: number;
  number: string;
  from: RecipientStatus;
  to: RecipientStatus;
  errorCode: number | null;
  errorText: string | null;
  durationSeconds?: number | null;
}

interface CounterRow {
  campaign_id: number;
  status: RecipientStatus;
  recipients: string;
}

/** Publishes statuses and completed campaigns to customers (reference/webhooks#when), in the transaction of the change. */
@Injectable()
export class StatusEvents {
  constructor(
    private readonly events: CustomerEvents,
    private readonly channels: Channels,
    private readonly briefs: CampaignBriefs,
  ) {}

  /** One query for subscriptions; nothing more without any. @param ended completed campaigns */
  async publish(tx: EntityManager, changes: readonly StatusChange[], ended: readonly number[]): Promise<void> {
    if (!this.events.hasSubscribers) return;
    const campaigns = await this.briefs.of(tx, [...changes.map(({ campaignId }) => campaignId), ...ended]);
    const subscriptions = await this.events.subscriptions(
      tx,
      [...campaigns.values()].map(({ accountId }) => accountId),
    );
    const events: CustomerEvent[] = [];
    for (const change of changes) {
      const campaign = campaigns.get(change.campaignId);
      const channel = campaign && this.channels.find(campaign.channel);
      if (!channel || !changesLabel(channel, change)) continue;
      if (subscriptions.takes(campaign.accountId, channel.event)) events.push(statusEvent(campaign, channel, change));
    }
    const awaited = ended.flatMap((id): CampaignBrief[] => {
      const campaign = campaigns.get(id);
      return campaign && subscriptions.takes(campaign.accountId, 'campaign.completed') ? [campaign] : [];
    });
    events.push(...(await this.completions(tx, awaited)));
    if (events.length > 0) await subscriptions.record(events);
  }

  /** Whether a subscriber exists; if not, changes need not be collected. */
  async isHeard(tx: EntityManager, { accountId, channel: name }: CampaignBrief): Promise<boolean> {
    const channel = this.channels.find(name);
    if (!channel || !this.events.hasSubscribers) return false;
    return (await this.events.subscriptions(tx, [accountId])).takes(accountId, channel.event);
  }

  private async completions(tx: EntityManager, campaigns: readonly CampaignBrief[]): Promise<CustomerEvent[]> {
    if (campaigns.length === 0) return [];
    const rows: CounterRow[] = await tx.query(
      `SELECT campaign_id, status, SUM(recipients) AS recipients FROM campaign_counters
       WHERE campaign_id IN (?) GROUP BY campaign_id, status ORDER BY campaign_id, status`,
      [campaigns.map(({ id }) => id)],
    );
    return campaigns.flatMap((campaign) => {
      const { id, accountId, requestId: request_id, channel: name, totalRows: total_rows } = campaign;
      const channel = this.channels.find(name);
      if (!channel) return [];
      const counts = rows
        .filter((row) => row.campaign_id === id)
        .map((row) => [row.status, Number(row.recipients)] as const);
      const status_counts = new StatusLabels(channel).countsOf(new Map(counts));
      const type = 'campaign.completed';
      const body = {
        event: type,
        request_id,
        total_rows,
        status_counts,
        ...markOf(campaign),
        ...taggedOf(campaign, FIRST_SEQ),
      };
      return [{ accountId, type, body } as const];
    });
  }
}

/** A new label that is not a progress label (PP1, PENDING, INITIATED). */
function changesLabel({ statusLabels }: Channel, { from, to }: StatusChange): boolean {
  const label = statusLabels[to];
  return (
    label !== statusLabels[from] &&
    label !== statusLabels[RecipientStatus.Pending] &&
    label !== statusLabels[RecipientStatus.Unknown]
  );
}

const FIRST_SEQ = 1;

/** Only events of tests have it: those of live messages are as specified. */
const markOf = ({ isTest }: CampaignBrief): object => (isTest ? { test: true } : {});

/** What the events of a message have besides (reference/messages#events). */
const taggedOf = ({ id, tags }: CampaignBrief, seq: number): object =>
  tags === null ? {} : { message_id: messageId({ kind: 'out', campaignId: id, seq }), ...tags };

function statusEvent(campaign: CampaignBrief, channel: Channel, change: StatusChange): CustomerEvent {
  const { campaignId, seq, number, to: status, errorCode, errorText: errorMessage, durationSeconds } = change;
  const recipient = { number, status, errorCode, errorMessage, duration: durationSeconds ?? null };
  return {
    accountId: campaign.accountId,
    type: channel.event,
    body: {
      ...new StatusLabels(channel).deliveryRecord(campaign.requestId, recipient),
      ...markOf(campaign),
      ...taggedOf(campaign, seq),
    },
    recipient: { campaignId, seq },
  };
}
