import { Injectable } from '@nestjs/common';
import type { CampaignRecord, ChannelName } from './state/campaign.js';

/**
 * What a call adds to a recipient (reference/campaigns#contacts); null where nobody pressed or nothing was recorded.
 */
export interface CallDetails {
  /** seconds of the answered call, 0 when unanswered */
  duration: number;
  digits: string | null;
  recording_url: string | null;
}

/** One recipient of a campaign, for whoever tells more about it. */
export interface RecipientKey {
  campaign: CampaignRecord;
  seq: number;
  receiver: string;
}

/** One moment in a recipient's life. */
export interface TimelineEvent {
  at: Date;
  /** what happened: `queued`, `submitted`, `call_ended`, `webhook` … */
  event: string;
  /** the recipient's word afterwards, where it changed */
  status?: string;
  /** JSON values; no secret, and no time that is not formatted */
  details?: Record<string, unknown>;
}

/** The channel's own columns of recipients. */
export interface DetailsSource {
  /** @returns by seq; a recipient without an entry has none of it yet */
  detailsOf(campaign: CampaignRecord, seqs: readonly number[]): Promise<ReadonlyMap<number, CallDetails>>;
}

/** Whoever keeps moments of recipients' lives outside the engine's tables: calls, webhook tries. */
export interface TimelineSource {
  /** @returns in any order; empty for a recipient that the source knows nothing of */
  timelineOf(recipient: RecipientKey): Promise<TimelineEvent[]>;
}

/**
 * What other modules know of recipients, asked by the campaigns API. The engine's own tables need no source.
 * A module registers itself at start, as channels do.
 */
@Injectable()
export class RecipientDetails {
  private readonly columns = new Map<ChannelName, DetailsSource>();
  private readonly timelines: TimelineSource[] = [];

  /** The channel's recipients get `duration`, `digits` and `recording_url` from this source. */
  registerColumns(channel: ChannelName, source: DetailsSource): void {
    this.columns.set(channel, source);
  }

  registerTimeline(source: TimelineSource): void {
    this.timelines.push(source);
  }

  hasColumns(channel: ChannelName): boolean {
    return this.columns.has(channel);
  }

  /** @returns null for a channel without columns of its own */
  async columnsOf(campaign: CampaignRecord, seqs: readonly number[]): Promise<ReadonlyMap<number, CallDetails> | null> {
    const source = this.columns.get(campaign.channel);
    if (!source) return null;
    return seqs.length === 0 ? new Map() : source.detailsOf(campaign, seqs);
  }

  async timelineOf(recipient: RecipientKey): Promise<TimelineEvent[]> {
    const parts = await Promise.all(this.timelines.map((source) => source.timelineOf(recipient)));
    return parts.flat();
  }
}
