import { Injectable } from '@nestjs/common';
import { type CampaignRecord, type TimelineEvent, type TimelineSource, TimelineSources } from '../engine/index.js';
import { EventStore } from './persistence/event-store.js';

/** The webhook tries of a recipient, for its timeline. */
@Injectable()
export class RecipientAttempts implements TimelineSource {
  constructor(
    private readonly events: EventStore,
    sources: TimelineSources,
  ) {
    sources.register(this);
  }

  async timelineOf(campaign: CampaignRecord, seq: number): Promise<TimelineEvent[]> {
    const attempts = await this.events.ofRecipient(campaign.id, seq);
    return attempts.map(({ created_at: at, endpoint_id: webhook_id, ...details }) => ({
      at,
      event: 'webhook',
      details: { webhook_id, ...details },
    }));
  }
}
