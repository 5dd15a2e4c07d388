import { Injectable } from '@nestjs/common';
import type { TimelineEvent } from './channel.js';
import type { CampaignRecord } from './state/campaign.js';

/** A module that keeps moments of recipients' lives, whatever their channel: webhook tries. */
export interface TimelineSource {
  /** @returns in any order; empty for a recipient that the source knows nothing of */
  timelineOf(campaign: CampaignRecord, seq: number): Promise<TimelineEvent[]>;
}

/** Sources of timelines beside the engine and the channel; a module registers its own at start. */
@Injectable()
export class TimelineSources {
  private readonly sources: TimelineSource[] = [];

  register(source: TimelineSource): void {
    this.sources.push(source);
  }

  async timelineOf(campaign: CampaignRecord, seq: number): Promise<TimelineEvent[]> {
    const parts = await Promise.all(this.sources.map((source) => source.timelineOf(campaign, seq)));
    return parts.flat();
  }
}
